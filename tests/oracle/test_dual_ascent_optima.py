"""Dual ascent against stored optima (conic solver and 30-digit Newton), and stored runs of twelve steps."""

import numpy as np
import pytest

from cases_interpolation import interpolation_problem, run
from fenchel import AcceleratedDualAscent, DualAscent
from fenchel._kernels.dual_ascent import (
    ConstraintArrays,
    MapArrays,
    accelerated_dual_ascent_pass,
    dual_ascent_pass,
)
from fenchel._kernels.views import DenseLines
from fenchel.reference.dual_ascent import row_norms
from fenchel.regularizers import SquaredLp
from stored import stored

DIGITS = 1e-12
"""The stored values have about twelve digits."""


def oracle() -> dict:
    return stored("interpolation.json")


@pytest.mark.parametrize(
    "solver",
    [
        DualAscent(),
        DualAscent(newton_trials=0),
        DualAscent(sampling="uniform"),
        DualAscent(sampling="proportional", rescaling=False),
        AcceleratedDualAscent(),
        AcceleratedDualAscent(sampling="proportional", restart_passes=10),
    ],
    ids=repr,
)
@pytest.mark.parametrize("index", range(12))
def test_optima(index, solver):
    """The value, and as many digits of the points as it determines."""
    record = oracle()["problems"][index]
    problem, u = interpolation_problem(oracle(), record)
    value, slack = record["value"], 10 * max(record["agree"], DIGITS)
    w, found = run(problem, solver, 1000)
    assert problem.dual_value(found) == pytest.approx(value, abs=slack)
    certificate = problem.certify(w, found)
    assert certificate.dual == pytest.approx(value, abs=slack)
    assert certificate.gap <= 1e-6
    np.testing.assert_allclose(w, record["theta"], atol=1e-6)
    np.testing.assert_allclose(found, u, atol=1e-5)


def trace_case(record: dict) -> tuple[DenseLines, ConstraintArrays, np.ndarray, MapArrays, SquaredLp]:
    """The rows ``y_i x_i``, all with scores of at least 1."""
    y = np.array(oracle()["problems"][0]["y"])
    rows = y[:, None] * np.array(oracle()["X"])
    g = SquaredLp(record["p"])
    mirror = MapArrays("euclidean" if g.p == 2.0 else "power", 1.0, g.q, np.empty(0))
    sets = ConstraintArrays("interval", np.ones(4), np.full(4, np.inf), np.zeros(4))
    curvature = row_norms(rows, g.q) ** 2 / (g.p - 1.0)
    return DenseLines(rows, *rows.shape), sets, curvature, mirror, g


def traces(method: str) -> list[int]:
    return [i for i, record in enumerate(oracle()["traces"]) if record["method"].startswith(method)]


@pytest.mark.parametrize("which", [0, 1])
def test_a_stored_run_of_dual_ascent(which):
    record = oracle()["traces"][traces("RCD")[which]]
    lines, sets, curvature, mirror, g = trace_case(record)
    np.testing.assert_allclose(curvature, record["L"], rtol=DIGITS)
    a, t = np.zeros(4), np.zeros(5)
    for i, value in zip(record["seq"], record["G"], strict=True):
        dual_ascent_pass(lines, np.array([i]), sets, curvature, mirror, 0, a, t, np.zeros(2))
        assert a.sum() - g.conjugate(t) == pytest.approx(value, rel=DIGITS)
    np.testing.assert_allclose(a, record["a"], rtol=10 * DIGITS)


@pytest.mark.parametrize("which", [0, 1])
def test_a_stored_run_of_accelerated_dual_ascent(which):
    record = oracle()["traces"][traces("APPROX")[which]]
    lines, sets, curvature, mirror, g = trace_case(record)
    share, momentum = np.full(4, 0.25), np.array([0.25, 0.0])
    lag, lead, lag_image, lead_image = np.zeros(4), np.zeros(4), np.zeros(5), np.zeros(5)
    for i, value in zip(record["seq"], record["G_x"], strict=True):
        accelerated_dual_ascent_pass(
            lines, np.array([i]), sets, curvature, share, mirror, momentum, lag, lead, lag_image, lead_image
        )
        x = momentum[1] ** 2 * lag + lead
        assert x.sum() - g.conjugate(lines.data.T @ x) == pytest.approx(value, rel=DIGITS)
    np.testing.assert_allclose(x, record["a_x"], rtol=10 * DIGITS)
    np.testing.assert_allclose(lead, record["a_z"], rtol=10 * DIGITS)
