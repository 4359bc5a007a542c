"""The committed stub of the compiled module is the one that it generates."""

from pathlib import Path

import pytest

from fenchel import _kernels
from fenchel._kernels import _core

stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind generates the stub")

STUB = Path(_kernels.__file__).with_name("_core.pyi")


def test_stub_is_fresh():
    generator = stubgen.StubGen(_core)
    generator.put(_core)
    assert generator.get() == STUB.read_text(), "run: python -m nanobind.stubgen -m fenchel._kernels._core"
