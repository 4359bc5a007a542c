"""An interior-point solver that knows nothing of this library: its optimum, and our bound on it."""

import numpy as np
import pytest

from cases_solvers import draw, size
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Loss,
    MulticlassHinge,
    MultiSquared,
    Quantile,
    SmoothedHinge,
    Softmax,
    Squared,
    SquaredHinge,
)
from fenchel.numerics.coordinate import along
from fenchel.regularizers import L1, Box, ElasticNet, L2Ball, NonNegative, NoPenalty, Regularizer, Ridge

cp = pytest.importorskip("cvxpy")

CASES: list[tuple[Loss, Regularizer, bool]] = [
    (Logistic(), L1(0.02), True),
    (Logistic(), Ridge(0.1), False),
    (Logistic(), L2Ball(0.7), True),
    (Hinge(), Ridge(0.1), True),
    (Hinge(), L1(0.05), True),
    (Hinge(), Box(-0.3, 0.4), False),
    (SquaredHinge(), ElasticNet(0.05, 0.05), True),
    (SquaredHinge(), NonNegative(), False),
    (SmoothedHinge(0.5), L1(0.05, weights=(0.0, 1.0, 1.0, 2.0)), True),
    (SmoothedHinge(), L2Ball(0.5), False),
    (Squared(), NoPenalty(), True),
    (Squared(), L1(0.1), True),
    (Squared(), Box([0.1, -1.0, -1.0, 0.0], 1.0, l1=0.05), True),
    (Absolute(), Ridge(0.1), True),
    (Absolute(), L1(0.1), False),
    (Huber(0.3), NonNegative(l1=0.05), True),
    (Huber(), NoPenalty(), False),
    (Quantile(0.2), Ridge(0.05), True),
    (EpsilonInsensitive(0.2), L1(0.05), True),
    (MultiSquared(), L2Ball(0.8), True),
    (MultiSquared(), L1(0.1), True),
    (Softmax(), Ridge(0.1), True),
    (Softmax(), L1(0.05), True),
    (Softmax(), ElasticNet(0.05, 0.05), False),
    (Softmax(), Box(-0.3, 0.4, l1=0.01), True),
    (Softmax(), L2Ball(0.8), True),
    (MulticlassHinge(), Ridge(0.1), True),
    (MulticlassHinge(), L1(0.05), True),
    (MulticlassHinge(), ElasticNet(0.05, 0.05), False),
    (MulticlassHinge(), Box(-0.3, 0.4, l1=0.01), True),
    (MulticlassHinge(), NonNegative(l2=0.05), False),
]


def loss_expression(loss: Loss, z, b):
    """The same loss, written for cvxpy from its definition; one entry a row."""
    if isinstance(loss, Logistic):
        return cp.logistic(-cp.multiply(b, z))
    if isinstance(loss, Hinge):
        return cp.pos(1 - cp.multiply(b, z))
    if isinstance(loss, SquaredHinge):
        return cp.square(cp.pos(1 - cp.multiply(b, z)))
    if isinstance(loss, SmoothedHinge):
        # The infimal convolution of the hinge loss with a parabola.
        q, t = loss.width, cp.Variable(b.size)
        return cp.pos(t) + cp.square(1 - q / 2 - cp.multiply(b, z) - t + q / 2) / (2 * q)
    if isinstance(loss, Squared):
        return cp.square(z - b) / 2
    if isinstance(loss, MultiSquared):
        return cp.sum(cp.square(z - b), axis=1) / 2
    if isinstance(loss, Softmax):
        return cp.log_sum_exp(z, axis=1) - cp.sum(cp.multiply(z, b), axis=1)
    if isinstance(loss, MulticlassHinge):
        return cp.max(z + 1 - b, axis=1) - cp.sum(cp.multiply(z, b), axis=1)
    if isinstance(loss, Huber):
        return cp.huber(z - b, loss.threshold) / 2
    if isinstance(loss, Quantile):
        return cp.maximum(loss.level * (b - z), (loss.level - 1) * (b - z))
    margin = loss.margin if isinstance(loss, EpsilonInsensitive) else 0.0
    return cp.pos(cp.abs(z - b) - margin)


def clarabel_point(problem: Problem) -> np.ndarray:
    """A feasible point with the value that Clarabel finds."""
    A = problem.design.select_columns(np.arange(problem.n_coordinates))
    w = cp.Variable(problem.primal_shape)
    features = w[: problem.n_features]
    objective = problem.sample_weight @ loss_expression(problem.loss, A @ w, problem.b) / problem.n_samples
    g, constraints = problem.regularizer, []
    if isinstance(g, L2Ball):
        constraints = [cp.norm(cp.vec(features, order="C")) <= g.radius]
    else:
        form = g.coordinate_form(problem.n_features)
        l1, l2 = (
            x if features.ndim == 1 else x[:, None] + np.zeros(features.shape) for x in (form.l1, form.l2)
        )
        objective += cp.sum(cp.multiply(l1, cp.abs(features))) + cp.sum(
            cp.multiply(l2 / 2, cp.square(features))
        )
        lower, upper = (along(end, np.empty(features.shape)) for end in (form.lower, form.upper))
        bounded_below, bounded_above = np.isfinite(form.lower), np.isfinite(form.upper)
        constraints = [
            features[bounded_below] >= lower[bounded_below],
            features[bounded_above] <= upper[bounded_above],
        ] if bounded_below.any() or bounded_above.any() else []  # fmt: skip
    cp.Problem(cp.Minimize(objective), constraints).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9
    )
    return problem.prox(np.asarray(w.value, dtype=np.float64), 0.0)


@pytest.mark.parametrize("weight", ["none", "zeros"])
@pytest.mark.parametrize(("loss", "g", "intercept"), CASES, ids=str)
def test_bound_is_below_the_optimum_and_reaches_it(rng, loss, g, intercept, weight):
    problem = draw(rng, loss, g, n=14, intercept=intercept, weight=weight)
    found = clarabel_point(problem)
    optimum = problem.primal_value(found)
    scale = size(problem, optimum)
    result = solve(problem, stopping=RelativeGap(1e-9) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert result.certificate.dual <= optimum + 1e-12 * scale
    assert result.certificate.primal == pytest.approx(optimum, abs=1e-6 * scale)
    # The bound that a foreign point gets from our dual point is tight, whoever found the point.
    foreign = problem.certify(found, result.u)
    assert foreign.primal == optimum
    assert foreign.gap <= 1e-6 * scale
    # Neither is a gap smaller than the distance to the optimum, far from it and near it.
    for move in (1e-3, 0.1, 1.0):
        w = problem.prox(found + move * rng.normal(size=found.shape), 0.0)
        for u in (None, result.u + move * rng.normal(size=result.u.shape)):
            certificate = problem.certify(w, u)
            assert certificate.gap >= certificate.primal - optimum - 1e-12 * scale
    if loss.smooth:
        assert problem.certify(found).gap <= 1e-3 * scale
