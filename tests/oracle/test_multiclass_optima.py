"""Optima of softmax and the multiclass hinge that independent solvers found."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases_estimators as data
from cases_solvers import PRECISE
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import get_loss
from fenchel.regularizers import L1, Ridge
from fenchel.solvers.registry import SOLVERS
from stored import stored

NAMES = {"hinge": "multiclass_hinge", "softmax": "softmax"}
each_solver = pytest.mark.parametrize("solver", PRECISE)

# loss, regularizer, intercept, weights of O10, optimal value, non-zero weights where they are known.
OPTIMA = (
    ("softmax", Ridge(0.01), True, False, 0.346744011506984, 18),
    ("softmax", L1(0.02), True, False, 0.517821371869, 12),
    ("softmax", Ridge(0.01), True, True, 0.3384820314503, 18),
    ("multiclass_hinge", Ridge(0.01), False, False, 0.25083605042, 18),
    ("multiclass_hinge", L1(0.02), False, False, 0.39722067112, 11),
    ("multiclass_hinge", Ridge(0.01), False, True, 0.2141307413, 18),
)


def check(problem: Problem, solver: str, value: float, accuracy: float) -> np.ndarray | None:
    """Solve to a gap of 1e-9; every bound on the way lies below the known optimum."""
    if SOLVERS[solver].unmet(problem) is not None:
        return None
    result = solve(problem, solver, stopping=RelativeGap(1e-9) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert result.certificate.primal == pytest.approx(value, abs=accuracy)
    for record in result.trace:
        assert record.certificate.dual <= value + accuracy
        assert record.certificate.primal - value <= record.certificate.gap + accuracy
    return result.w


@each_solver
@pytest.mark.parametrize(("name", "g", "intercept", "weighted", "value", "nonzeros"), OPTIMA)
@pytest.mark.parametrize("sparse", [False, True])
def test_three_classes(name, g, intercept, weighted, value, nonzeros, solver, sparse):
    X, y = data.three_classes_data()
    weight = data.repetition_weights() if weighted else None
    A = sp.csr_array(X) if sparse else X
    problem = Problem(A, np.eye(3)[y], get_loss(name), g, weight, fit_intercept=intercept)
    w = check(problem, solver, value, 2e-9)
    if w is not None:
        features = w[: problem.n_features]
        assert np.count_nonzero(np.abs(features) > 1e-6) == nonzeros
        if name == "softmax" and isinstance(g, Ridge) and not weighted:
            expected = [0.1824984, -0.2019790, 0.0194806]
            np.testing.assert_allclose(w[-1] - w[-1].mean(), expected, atol=2e-5)


@each_solver
@pytest.mark.parametrize("index", range(10))
def test_mirror_descent_optima(index, solver):
    oracle = stored("mirror_descent.json")
    record = oracle["problems"][index]
    if record["R"] is not None:
        return
    b = np.eye(oracle["k"])[oracle["y"]]
    problem = Problem(np.array(oracle["X"]), b, get_loss(NAMES[record["loss"]]), L1(record["lam"]))
    w = check(problem, solver, record["p_star"], 1e-9)
    if w is not None and record["U_unique"]:
        np.testing.assert_allclose(w, record["U"], atol=2e-4)
