"""What all tests share: one seed a test, and reproducible hypothesis examples."""

import zlib

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("fenchel", deadline=None, derandomize=True, database=None, max_examples=20)
settings.load_profile("fenchel")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator whose seed is the test's own name: the same numbers in every order of the tests."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
