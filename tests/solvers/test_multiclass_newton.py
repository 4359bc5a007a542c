"""Proximal Newton over several outputs: its own properties, beside what every solver is tested for."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import draw
from fenchel import MaxPasses, MulticlassNewton, Problem, RelativeGap, Start, UnsupportedProblemError, solve
from fenchel.losses import MultiSquared, Softmax
from fenchel.regularizers import L1, Box, ElasticNet, NoPenalty, Ridge
from fenchel.solvers.full.quadratic_model import QuadraticModel
from fenchel.solvers.registry import choose_solver

RULE = RelativeGap(1e-10) | MaxPasses(2_000)
each_loss = pytest.mark.parametrize("loss", [Softmax(), MultiSquared()], ids=repr)
PENALTIES = [Ridge(1e-4), L1(0.02), ElasticNet(0.01, 0.01), Box(-0.2, 0.3), Box(-0.2, 0.3, l2=0.1)]


def data(rng, n=40, d=6, k=4):
    A = rng.normal(size=(n, d))
    return A, np.eye(k)[(A @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)]


@each_loss
@pytest.mark.parametrize("intercept", [False, True])
def test_the_model_is_the_second_order_expansion(rng, loss, intercept):
    A, b = data(rng)
    problem = Problem(A + 3.0, b, loss, NoPenalty(), rng.exponential(size=40), fit_intercept=intercept)
    w, move = rng.normal(size=(2, *problem.primal_shape))
    z = problem.scores(w)
    slope = problem.correlation(loss.gradient(z, b))
    model = QuadraticModel.at(problem, w, z, slope)
    centred = move.copy()
    centred[-1] += model.centre @ move
    first, second = float(np.sum(slope * move)), float(centred.ravel() @ model.hessian @ centred.ravel())
    assert float(np.sum(model.slope * centred)) == pytest.approx(first, rel=1e-12)
    step = 1e-3
    values = [problem.primal_value(w + t * step * move) for t in (-1, 0, 1)]
    assert (values[2] - values[0]) / (2 * step) == pytest.approx(first, rel=1e-4)
    assert (values[0] - 2 * values[1] + values[2]) / step**2 == pytest.approx(second, rel=1e-4)


@each_loss
@pytest.mark.parametrize("g", PENALTIES, ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
def test_few_steps_whatever_the_scales(rng, loss, g, intercept):
    A, b = data(rng)
    factors = 10.0 ** np.array([-2, -1, 0, 1, 2, 3])
    problem = Problem(A * factors, b, loss, g, rng.exponential(size=40), fit_intercept=intercept)
    result = solve(problem, MulticlassNewton(), stopping=RULE)
    assert result.status.solved, result.message
    assert len(result.trace) <= 25
    values = [record.certificate.primal for record in result.trace]
    assert values == sorted(values, reverse=True)


def test_columns_far_from_zero(rng):
    A, b = data(rng)
    values = []
    for offset in (0.0, 1e4):
        problem = Problem(A + offset, b, Softmax(), ElasticNet(0.01, 0.01), fit_intercept=True)
        result = solve(problem, MulticlassNewton(), stopping=RelativeGap(1e-8) | MaxPasses(300))
        assert result.status.solved, result.message
        values.append(result.certificate.primal)
    assert values[1] == pytest.approx(values[0], rel=1e-8)


@each_loss
def test_dense_sparse_and_single_precision(rng, loss):
    A, b = data(rng)
    A = (A * (rng.random(A.shape) < 0.5)).astype(np.float32)
    values = []
    for matrix in (A.astype(np.float64), A, sp.csr_array(A), sp.csc_array(A.astype(np.float64))):
        problem = Problem(matrix, b, loss, ElasticNet(0.01, 0.05), fit_intercept=True)
        values.append(solve(problem, MulticlassNewton(), stopping=RULE).certificate.primal)
    np.testing.assert_allclose(values, values[0], rtol=1e-9)


def test_the_squared_loss_takes_one_step(rng):
    A, b = data(rng)
    problem = Problem(A, b, MultiSquared(), Ridge(0.1), fit_intercept=True)
    result = solve(problem, MulticlassNewton(), stopping=RULE)
    assert len(result.trace) <= 3
    exact = np.linalg.solve(
        (A - A.mean(0)).T @ (A - A.mean(0)) / 40 + 0.1 * np.eye(6), (A - A.mean(0)).T @ (b - b.mean(0)) / 40
    )
    np.testing.assert_allclose(result.w[:-1], exact, atol=1e-8)


def test_nearly_separable_classes(rng):
    """Full steps from zero would go too far: the search halves them."""
    A, b = data(rng, n=30, d=25)
    problem = Problem(30 * A, b, Softmax(), Ridge(1e-6), fit_intercept=True)
    result = solve(problem, MulticlassNewton(), stopping=RelativeGap(1e-6) | MaxPasses(2_000))
    assert result.status.solved, result.message


@pytest.mark.parametrize("g", [Ridge(0.01), L1(0.02), Box(-0.5, 0.5)], ids=repr)
def test_far_from_the_optimum_the_loss_is_flat(rng, g):
    A, b = data(rng)
    problem = Problem(A, b, Softmax(), g, fit_intercept=True)
    start = Start(w=300.0 * rng.normal(size=problem.primal_shape))
    result = solve(problem, MulticlassNewton(), stopping=RelativeGap(1e-8) | MaxPasses(1_000), start=start)
    assert result.status.solved, result.message


def test_a_warm_start_needs_no_step(rng):
    A, b = data(rng)
    problem = Problem(A, b, Softmax(), L1(0.02), fit_intercept=True)
    cold = solve(problem, MulticlassNewton(), stopping=RULE)
    warm = solve(problem, MulticlassNewton(), stopping=RULE, start=Start(w=cold.w))
    assert len(warm.trace) == 1 < len(cold.trace)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["correlated", "degenerate"])
@pytest.mark.parametrize("g", [Ridge(0.01), L1(0.02)], ids=repr)
def test_singular_data(seed, kind, g):
    rng = np.random.default_rng(seed)
    problem = draw(rng, Softmax(), g, n=30, kind=kind, weight="zeros", intercept=True)
    result = solve(problem, MulticlassNewton(), stopping=RelativeGap(1e-8) | MaxPasses(2_000))
    assert result.status.solved, result.message


def test_too_many_coefficients_are_refused(rng):
    problem = Problem(rng.normal(size=(4, 700)), np.eye(3)[[0, 1, 2, 0]], Softmax(), Ridge(0.1))
    with pytest.raises(UnsupportedProblemError, match="at most 2000 coefficients, and there are 2100"):
        MulticlassNewton.check(problem)
    assert solve(problem).solver == "multiclass_sdca"


@pytest.mark.parametrize(
    ("g", "expected"),
    [
        (L1(0.02), "proximal_gradient"),
        (Ridge(0.02), "multiclass_sdca"),
        (ElasticNet(0.01, 0.01), "multiclass_sdca"),
    ],
    ids=repr,
)
def test_auto_beyond_few_coefficients(rng, g, expected):
    A, b = data(rng, n=20, d=300)
    assert choose_solver(Problem(A, b, Softmax(), g))[0].name == expected
