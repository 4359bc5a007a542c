"""The optima that independent solvers found, stored beside the repository; a clone alone skips them."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses.registry import get_loss
from fenchel.regularizers import Box, ElasticNet
from fenchel.solvers.registry import SOLVERS

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "oracles"
FEW_DIGITS = 1e-6
"""Clarabel's own accuracy, for the optima that it alone found."""
PARAMETER = {"smoothed_hinge": "width", "huber": "threshold", "quantile": "level"}


def stored(name: str) -> dict:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not beside the repository")
    return json.loads(path.read_text())


def loss_of(record: dict):
    name = record["loss"]
    return get_loss(name, **({PARAMETER[name]: record["par"]} if name in PARAMETER else {}))


def regularizer_of(record: dict):
    lower = -np.inf if record["lower"] is None else record["lower"]
    upper = np.inf if record["upper"] is None else record["upper"]
    return Box(lower, upper, l1=record["l1"], l2=record["l2"])


def check(problem: Problem, solver: str, value: float, accuracy: float) -> tuple[np.ndarray, np.ndarray]:
    """Solve to a gap of 1e-10 and compare values; the bound must lie below the stored optimum."""
    result = solve(problem, solver, stopping=RelativeGap(1e-10) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert problem.primal_value(result.w) == pytest.approx(value, abs=accuracy)
    assert result.certificate.dual <= value + accuracy
    return result.w, result.u


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("index", range(80))
def test_sparse_primal_dual_optima(index, solver):
    data = stored("spd-optima.json")
    record = data["problems"][index]
    A = np.array(data[f"A_{record['data']}"])
    loss = loss_of(record)
    b = data["b_class" if loss.task == "classification" else "b_reg"]
    problem = Problem(sp.csr_array(A) if record["data"] == "sparse" else A, b, loss, regularizer_of(record))
    if SOLVERS[solver].unmet(problem) is not None:
        return
    exact = "P_own" in record
    value = record["P_own"] if exact else record["P_clarabel"]
    w, u = check(problem, solver, value, 1e-9 if exact else FEW_DIGITS)
    if record["l2"] > 0:
        np.testing.assert_allclose(w, record["x"], atol=1e-4)
    if record.get("unique_y"):
        np.testing.assert_allclose(u, record["y"], atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
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
