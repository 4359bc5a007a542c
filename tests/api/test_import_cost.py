"""What ``import fenchel`` must not load: modules that only some calls need."""

import json
import subprocess
import sys

import pytest

HEAVY = [
    "fenchel.cli",
    "fenchel.datasets",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.datasets",
    "sklearn.linear_model",
    "typer",
]


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after ``statement``."""
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.fixture(scope="module")
def extra() -> set[str]:
    """What fenchel adds to the dependencies that no estimator can do without."""
    needed = "import numpy, scipy.sparse, sklearn.base, sklearn.utils.validation"
    return loaded_by("import fenchel") - loaded_by(needed)


@pytest.mark.parametrize("module", HEAVY)
def test_import_leaves_out(module: str, extra: set[str]) -> None:
    assert module not in extra


def test_import_loads_the_kernels(extra: set[str]) -> None:
    assert "fenchel._kernels._core" in extra
