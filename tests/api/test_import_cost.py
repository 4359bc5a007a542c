"""What the import of an estimator must not load: modules that only some calls need."""

import json
import subprocess
import sys

import pytest

HEAVY = [
    "fenchel.cli",
    "fenchel.datasets",
    "fenchel.estimators.lasso_cv",
    "fenchel.solvers.mirror.mirror_prox",
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
    return loaded_by("from fenchel import LogisticRegression") - loaded_by(needed)


@pytest.mark.parametrize("module", HEAVY)
def test_import_leaves_out(module: str, extra: set[str]) -> None:
    assert module not in extra


def test_import_loads_the_kernels(extra: set[str]) -> None:
    assert "fenchel._kernels._core" in extra


def test_names_are_imported_when_they_are_asked_for() -> None:
    assert not {name for name in loaded_by("import fenchel") if name.startswith("fenchel.")}
    loaded = loaded_by("import fenchel; fenchel.losses.Hinge; fenchel.Problem")
    assert {"fenchel.losses", "fenchel.problem.problem"} <= loaded


def test_unknown_names_are_refused() -> None:
    import fenchel

    with pytest.raises(AttributeError, match=r"^module 'fenchel' has no attribute 'LogisticRegresion'$"):
        fenchel.LogisticRegresion  # noqa: B018
    assert {"LogisticRegression", "losses", "__version__"} <= set(dir(fenchel))
