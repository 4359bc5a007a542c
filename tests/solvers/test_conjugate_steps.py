"""Conjugate steps between the passes of MulticlassSDCA."""

import numpy as np
import pytest

from fenchel import MulticlassSDCA, Problem, RelativeGap, solve
from fenchel.driver.stopping import MaxPasses
from fenchel.losses import MulticlassHinge
from fenchel.regularizers import Box, ElasticNet, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.coordinate import multiclass_sdca
from fenchel.solvers.coordinate.conjugate_steps import ConjugateSteps, Move

each_regularizer = pytest.mark.parametrize(
    "g", [Ridge(0.05), ElasticNet(0.02, 0.05), Box(-0.2, 0.3, l2=0.1)], ids=repr
)


def drawn(rng, g, n=40, d=6, k=4):
    A = rng.normal(size=(n, d))
    label = (A @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)
    return Problem(A, np.eye(k)[label], MulticlassHinge(), g, rng.exponential(size=n))


def inner_point(rng, problem):
    """A dual point in the middle of its simplices, and its t."""
    u = rng.dirichlet(np.full(problem.b.shape[1], 50.0), size=problem.n_samples) - problem.b
    return u, -problem.correlation(u)


def moved_a_little(rng, problem, u, size):
    """Blocks that sum to zero still."""
    move = size * rng.normal(size=u.shape)
    u = u + move - move.mean(axis=1, keepdims=True)
    return u, -problem.correlation(u)


def test_the_model_is_exact_for_a_ridge(rng):
    """Its maximiser has no slope of the dual, extended beyond the simplices, and the promised rise."""
    problem = drawn(rng, Ridge(0.05))

    def dual(u):
        w = -problem.correlation(u) / 0.05
        return -float(np.mean(problem.sample_weight * np.sum(u * problem.b, axis=1))) - 0.025 * np.sum(w**2)

    u, t = inner_point(rng, problem)
    steps = ConjugateSteps.begin(problem, np.arange(40), np.zeros(6), u, t)
    ends = [moved_a_little(rng, problem, u, 0.5) for _ in range(2)]
    plane = [Move(end - u, there - t) for end, there in ends]
    aim, promised = steps._aim(t, plane)
    assert promised > 0.0
    assert dual(u + aim.u) - dual(u) == pytest.approx(promised, rel=1e-9)
    np.testing.assert_allclose(aim.t, -problem.correlation(aim.u), atol=1e-12)
    for move in plane:
        up, down = (dual(u + aim.u + sign * move.u) for sign in (1.0, -1.0))
        assert up < dual(u + aim.u) > down
        assert up == pytest.approx(down, rel=1e-9)


@each_regularizer
def test_no_step_lowers_the_dual_value_or_leaves_the_domain(rng, g):
    problem = drawn(rng, g)
    rows = np.flatnonzero(rng.random(40) < 0.7)
    u, t = inner_point(rng, problem)
    steps = ConjugateSteps.begin(problem, rows, np.zeros(6), u, t)
    idle = np.setdiff1d(np.arange(40), rows)
    projected = False
    for _ in range(6):
        moved, _ = moved_a_little(rng, problem, u, 0.05)
        moved[idle] = u[idle]
        u = problem.loss.dual_domain(problem.b).project(moved)
        t = -problem.correlation(u)
        value, kept, unchanged = problem.dual_value(u), u[idle].copy(), u.copy()
        entries = steps.advance(problem, u, t)
        projected |= entries > 0
        assert problem.dual_value(u) >= value - 1e-14
        assert problem.loss.dual_domain(problem.b).contains(u).all()
        np.testing.assert_allclose(t, -problem.correlation(u), atol=1e-13)
        np.testing.assert_array_equal(u[idle], kept)
        assert not np.array_equal(u, unchanged) or entries > 0
    assert projected


def test_a_class_without_weight_gets_none_where_the_passes_leave_it(rng):
    problem = drawn(rng, Ridge(0.05))
    first = np.zeros_like(problem.b)
    first[:, :2] = 0.3 * rng.random((40, 2))
    own = problem.b > 0
    first[own] = 0.0
    first[own] = -first.sum(axis=1)
    unused = (first + problem.b) == 0.0
    steps = ConjugateSteps.begin(
        problem, np.arange(40), np.zeros(6), np.zeros_like(first), np.zeros(problem.primal_shape)
    )
    u, t = first.copy(), -problem.correlation(first)
    steps.advance(problem, u, t)
    assert not np.array_equal(u, first)
    assert not (u + problem.b)[unused].any()


def test_where_nothing_moved_nothing_is_done(rng):
    problem = drawn(rng, Ridge(0.05))
    u, t = inner_point(rng, problem)
    before = u.copy(), t.copy()
    assert ConjugateSteps.begin(problem, np.arange(40), np.zeros(6), u, t).advance(problem, u, t) == 0
    np.testing.assert_array_equal(u, before[0])
    np.testing.assert_array_equal(t, before[1])


@pytest.mark.parametrize("intercept", [False, True])
def test_ill_conditioned_data_take_fewer_passes(rng, monkeypatch, intercept):
    A = rng.normal(size=(300, 8)) * np.geomspace(1.0, 0.03, 8)
    A[:, 1] += A[:, 0]
    label = (A @ rng.normal(size=(8, 4)) + 0.1 * rng.normal(size=(300, 4))).argmax(axis=1)
    problem = Problem(A, np.eye(4)[label], MulticlassHinge(), Ridge(1e-4), fit_intercept=intercept)
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    with_steps = solve(problem, "multiclass_sdca", stopping=rule)
    assert with_steps.status.solved
    monkeypatch.setattr(multiclass_sdca, "_CHUNK", 10**9)
    without = solve(problem, "multiclass_sdca", stopping=rule)
    assert with_steps.trace[-1].passes < 0.6 * without.trace[-1].passes


def test_the_state_is_consistent_after_epochs_with_steps(rng):
    problem, solver = drawn(rng, Ridge(1e-3), n=80), MulticlassSDCA()
    state = solver.init(problem, Start(), rng)
    for _ in range(8):
        solver.run_epoch(problem, state)
        np.testing.assert_allclose(state.t, -problem.correlation(state.u), atol=1e-12)
        assert problem.loss.dual_domain(problem.b).contains(state.u).all()
