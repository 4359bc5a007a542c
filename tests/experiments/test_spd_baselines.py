"""What the benchmark of a pass measures: every method's own entries, on the data it says."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.datasets.stored import gisette_like
from benchmarks.spd_baselines import SOLVERS, _epoch, _measure, _products
from fenchel import Problem
from fenchel.losses import Logistic
from fenchel.regularizers import Ridge

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture
def problem(rng) -> Problem:
    A = rng.normal(size=(12, 5))
    return Problem(A, np.sign(A[:, 0]), Logistic(), Ridge(0.1))


def test_epochs_read_what_they_say(problem):
    """The first ones, that pay for the first snapshot and the first table."""
    passes = {solver.name: _epoch(problem, solver)() / problem.design.n_entries for solver in SOLVERS}
    assert passes == {"svrg": 5.0, "saga": 3.0, "psgd": 1.0, "spd1": 1.0, "spd1_vr": 5.0}
    assert _products(problem)() == 2 * problem.design.n_entries


def test_steps_are_what_the_products_leave(problem):
    medians = _measure(problem, 1)
    assert set(medians) == {solver.name for solver in SOLVERS} | {"products", "svrg steps", "spd1_vr steps"}
    assert (2.0 * medians["products"] + medians["svrg steps"]) / 3.0 == pytest.approx(medians["svrg"])
    spd1_vr = (2.0 * medians["products"] + 3.0 * medians["spd1_vr steps"]) / 5.0
    assert spd1_vr == pytest.approx(medians["spd1_vr"])


@pytest.mark.slow
def test_gisette_like_has_the_shape_of_gisette():
    if not (DATA / "mnist.npz").exists():
        pytest.skip("mnist.npz is not beside the repository")
    A, b = gisette_like(DATA)
    assert A.shape == (6000, 5000)
    assert np.count_nonzero(b == 1.0) == np.count_nonzero(b == -1.0) == 3000
    np.testing.assert_array_equal(np.abs(A).max(axis=0), 1.0)
    # Half of the columns are probes: their correlation with the labels is that of chance.
    correlation = np.abs(A.T @ b) / 6000 / A.std(axis=0)
    assert 2400 <= np.count_nonzero(correlation < 4 / np.sqrt(6000)) <= 3500
