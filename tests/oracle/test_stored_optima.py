"""The optima that independent solvers found, stored beside the repository; a clone alone skips them."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import PRECISE, SCALAR, SUBLINEAR, may_run_out, serving
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses.registry import get_loss
from fenchel.regularizers import Box, ElasticNet
from stored import stored

FEW_DIGITS = 1e-6
"""Clarabel's own accuracy, for the optima that it alone found."""
PARAMETER = {"smoothed_hinge": "width", "huber": "threshold", "quantile": "level"}


def loss_of(record: dict):
    name = record["loss"]
    return get_loss(name, **({PARAMETER[name]: record["par"]} if name in PARAMETER else {}))


def regularizer_of(record: dict):
    lower = -np.inf if record["lower"] is None else record["lower"]
    upper = np.inf if record["upper"] is None else record["upper"]
    return Box(lower, upper, l1=record["l1"], l2=record["l2"])


def check(problem: Problem, solver: str, value: float, accuracy: float) -> tuple[np.ndarray, np.ndarray]:
    """Solve to a gap of 1e-10 and compare values; the bound must lie below the stored optimum.

    SPD1-VR must come to 1e-7 on all of them.
    """
    gap = 1e-7 if may_run_out(solver, problem) else 1e-10
    result = solve(problem, solver, stopping=RelativeGap(gap) | MaxPasses(20_000))
    assert result.status.solved, (solver, result.message)
    assert problem.primal_value(result.w) <= value + gap * abs(value) + accuracy
    assert problem.primal_value(result.w) >= value - accuracy
    assert result.certificate.dual <= value + accuracy
    return result.w, result.u


def sparse_primal_dual(index: int) -> tuple[Problem, dict]:
    data = stored("spd-optima.json")
    record = data["problems"][index]
    A = np.array(data[f"A_{record['data']}"])
    loss = loss_of(record)
    b = data["b_class" if loss.task == "classification" else "b_reg"]
    A = sp.csr_array(A) if record["data"] == "sparse" else A
    return Problem(A, b, loss, regularizer_of(record)), record


@pytest.mark.parametrize("index", range(80))
def test_sparse_primal_dual_optima(index):
    problem, record = sparse_primal_dual(index)
    exact = "P_own" in record
    value = record["P_own"] if exact else record["P_clarabel"]
    for solver in serving(problem, PRECISE):
        w, u = check(problem, solver, value, 1e-9 if exact else FEW_DIGITS)
        if record["l2"] > 0:
            # l2/2 |w - w*|^2 is at most the gap.
            accuracy = 1e-4 + np.sqrt(2e-7 / record["l2"]) * may_run_out(solver, problem)
            np.testing.assert_allclose(w, record["x"], atol=accuracy, err_msg=solver)
        if record.get("unique_y"):
            np.testing.assert_allclose(u, record["y"], atol=1e-4, err_msg=solver)


@pytest.mark.parametrize("index", range(80))
def test_sublinear_solvers_are_never_optimistic(index):
    problem, record = sparse_primal_dual(index)
    value = record.get("P_own", record["P_clarabel"])
    accuracy = 1e-9 if "P_own" in record else FEW_DIGITS
    for solver in serving(problem, SUBLINEAR):
        result = solve(problem, solver, stopping=RelativeGap(1e-3) | MaxPasses(2000))
        for row in result.trace:
            assert row.certificate.dual <= value + accuracy, solver
            assert row.certificate.primal >= value - accuracy, solver
            assert row.certificate.primal - value <= row.certificate.gap + accuracy, solver
        first = result.trace[0].certificate.primal - value
        assert result.certificate.primal - value <= max(0.2 * first, 1e-2), solver


@pytest.mark.parametrize("solver", SCALAR)
@pytest.mark.parametrize("index", range(12))
def test_doubly_greedy_optima(index, solver):
    data = stored("dgpd-oracle.json")
    record = data["optima"][index]
    loss = loss_of(record)
    b = data["b_class" if loss.task == "classification" else "b_reg"]
    problem = Problem(np.array(data["A"]), b, loss, ElasticNet(record["lam"], record["mu"]))
    w, u = check(problem, solver, record["P_star"], 1e-9)
    np.testing.assert_allclose(w, record["x"], atol=1e-4)
    np.testing.assert_allclose(u, record["y"], atol=1e-4)
