"""The committed stub of the compiled module is the one that it generates."""

from pathlib import Path

import pytest

from fenchel import _kernels
from fenchel._kernels import _core

stubgen = pytest.importorskip("nanobind.stubgen", reason="nanobind generates the stub")
nanobind = pytest.importorskip("nanobind")

STUB = Path(_kernels.__file__).with_name("_core.pyi")
COMMAND = "python -m nanobind.stubgen -m fenchel._kernels._core -o src/fenchel/_kernels/_core.pyi"


@pytest.mark.skipif(nanobind.__version__.split(".")[0] != "3", reason="another nanobind formats otherwise")
def test_stub_is_fresh():
    generator = stubgen.StubGen(_core)
    generator.put(_core)
    assert generator.get() == STUB.read_text(), f"the bindings have changed; run: {COMMAND}"
