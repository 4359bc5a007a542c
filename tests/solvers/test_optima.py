"""Every solver on every problem it serves, with an optimum known by construction."""

import numpy as np
import pytest

import cases
from cases_solvers import (
    OPTIMAL_REGULARIZERS,
    PRECISE,
    ROW_GRADIENTS,
    SUBLINEAR,
    construct,
    construct_for,
    limit_on_passes,
    may_run_out,
    served_keys,
)
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import MultiSquared
from fenchel.regularizers import L2Ball, Ridge

SCALAR = [case.loss for case in cases.LOSSES if case.loss.compiled]


@pytest.mark.parametrize("loss", SCALAR, ids=repr)
@pytest.mark.parametrize("key", OPTIMAL_REGULARIZERS)
@pytest.mark.parametrize("intercept", [False, True])
def test_the_constructed_pair_is_optimal(rng, loss, key, intercept):
    """The certificate recognises it: the gap of (w, u) is rounding."""
    known = construct(rng, loss, key, weight=True, intercept=intercept)
    certificate = known.problem.certify(known.w, known.u)
    assert certificate.primal == pytest.approx(known.value, rel=1e-15)
    assert certificate.gap <= 1e-10 * (1.0 + abs(known.value))


@served_keys(PRECISE, SCALAR)
def test_solvers_reach_the_optimum(rng, solver, loss, key):
    known = construct_for(solver, rng, loss, key)
    problem, value = known.problem, known.value
    result = solve(problem, solver, stopping=RelativeGap(1e-8) | limit_on_passes(solver, problem))
    # Steps along single rows take as many steps as the condition says, 2,200 passes of nine rows for 20,000.
    hard = solver in ROW_GRADIENTS and known.condition > 5e3
    assert result.status.solved or hard or may_run_out(solver, problem), result.message
    slack = 1e-11 * (1.0 + abs(value))
    for record in result.trace:
        # What the gap promises holds at every record, not only at the end.
        assert record.certificate.primal - value <= record.certificate.gap + slack
        assert record.certificate.dual <= value + slack
        assert record.certificate.primal >= value - slack
    if problem.regularizer.strong_convexity(problem.n_features) > 0:
        # The gap bounds the distance too: mu/2 |w - w*|^2 <= gap.
        modulus = problem.regularizer.strong_convexity(problem.n_features)
        distance = np.sum((result.w - known.w)[: problem.n_features] ** 2)
        assert 0.5 * modulus * distance <= result.certificate.gap + slack


@served_keys(SUBLINEAR, SCALAR)
def test_sublinear_solvers_have_a_true_gap_and_come_near_under_curvature(rng, solver, loss, key):
    known = construct_for(solver, rng, loss, key)
    problem, value = known.problem, known.value
    result = solve(problem, solver, stopping=RelativeGap(1e-3) | MaxPasses(1000))
    slack = 1e-11 * (1.0 + abs(value))
    for record in result.trace:
        assert record.certificate.primal - value <= record.certificate.gap + slack
        assert record.certificate.dual <= value + slack
        assert record.certificate.primal >= value - slack
    if problem.regularizer.strong_convexity(problem.n_features) > 0:
        start = result.trace[0].certificate.primal - value
        assert result.certificate.primal - value <= 0.2 * start


@pytest.mark.parametrize("weight", [False, True])
def test_several_outputs_are_ridge_regression(rng, weight):
    """(A' S A / n + l2) w = A' S b / n, with all means taken out by the intercept."""
    A, b = rng.normal(size=(15, 4)), rng.normal(size=(15, 3))
    s = rng.random(15) + 0.1 if weight else np.ones(15)
    s = s / s.mean()
    problem = Problem(A, b, MultiSquared(), Ridge(0.3), sample_weight=s, fit_intercept=True)
    mean_A, mean_b = s @ A / 15, s @ b / 15
    centred = A - mean_A
    left = centred.T @ (s[:, None] * centred) / 15 + 0.3 * np.eye(4)
    features = np.linalg.solve(left, centred.T @ (s[:, None] * (b - mean_b)) / 15)
    result = solve(problem, stopping=RelativeGap(1e-13) | MaxPasses(5000))
    assert result.status.solved
    np.testing.assert_allclose(result.w[:-1], features, atol=1e-6)
    np.testing.assert_allclose(result.w[-1], mean_b - mean_A @ features, atol=1e-6)


def test_a_ball_over_several_outputs(rng):
    """Inside a large ball nothing binds; on a small one the norm is its radius."""
    A, b = rng.normal(size=(12, 3)), rng.normal(size=(12, 2))
    free = np.linalg.lstsq(A, b, rcond=None)[0]
    large = Problem(A, b, MultiSquared(), L2Ball(2 * np.linalg.norm(free)))
    np.testing.assert_allclose(solve(large, stopping=RelativeGap(1e-13) | MaxPasses(5000)).w, free, atol=1e-6)
    small = Problem(A, b, MultiSquared(), L2Ball(0.5 * np.linalg.norm(free)))
    result = solve(small, stopping=RelativeGap(1e-12) | MaxPasses(5000))
    assert result.status.solved
    assert np.linalg.norm(result.w) == pytest.approx(0.5 * np.linalg.norm(free), rel=1e-10)
