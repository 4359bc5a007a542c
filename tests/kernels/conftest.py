"""The levels of the innermost loops that this CPU runs, and each of them in turn."""

import pytest

from fenchel._kernels import simd
from fenchel.errors import InvalidInputError


def runs(level: str) -> bool:
    try:
        return simd.choose_level(level) == level
    except InvalidInputError:
        return False


@pytest.fixture(scope="session")
def runnable() -> list[str]:
    return [level for level in simd.LEVELS if runs(level)]


@pytest.fixture(params=simd.LEVELS)
def level(request, runnable):
    if request.param not in runnable:
        pytest.skip(f"this CPU does not run {request.param}")
    before = simd.used_level()
    simd.use_level(request.param)
    yield request.param
    simd.use_level(before)
