"""SVRG and SAGA: what they keep true while they run, their steps, and what they read."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_solvers import draw
from fenchel import SAGA, SVRG, InvalidInputError, MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Huber, Logistic, Loss, Squared, SquaredHinge
from fenchel.reference import row_gradient as twins
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, NoPenalty, Regularizer, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.stochastic.row_curvature import coordinate_metric, row_curvatures
from fenchel.solvers.stochastic.safeguard import SafeguardedState, accept

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
PENALTIES = [
    L1(0.02),
    Ridge(0.1),
    ElasticNet(0.02, 0.05, weights=(1.0, 0.0, 2.0, 0.5, 1.0, 1.0, 3.0, 0.2)),
    NonNegative(l1=0.01, l2=0.1),
    Box(-0.3, 0.4),
]
NEVER = RelativeGap(0.0)

each_solver = pytest.mark.parametrize("solver", [SVRG(), SAGA()], ids=lambda s: s.name)
each_loss = pytest.mark.parametrize("loss", SMOOTH, ids=repr)
each_penalty = pytest.mark.parametrize("g", PENALTIES, ids=repr)


def medium(rng, loss: Loss, g: Regularizer, **options) -> Problem:
    defaults = {"n": 30, "d": 8, "kind": "correlated", "weight": "zeros", "intercept": True}
    return draw(rng, loss, g, **defaults | options)


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


@each_solver
@each_loss
@each_penalty
@pytest.mark.parametrize("kind", ["gaussian", "sparse", "degenerate"])
def test_the_state_is_consistent_after_a_run(rng, solver, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, solver, stopping=NEVER | MaxPasses(60)).state
    form = problem.coordinate_form
    assert np.all((form.lower <= state.w) & (state.w <= form.upper))
    assert loss.dual_domain(problem.b).contains(state.u).all()
    np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-10)
    if solver.name == "svrg":
        np.testing.assert_allclose(state.u, problem.dual_point(state.w), rtol=1e-12, atol=1e-12)
        assert state.primal == pytest.approx(problem.primal_value(state.w), rel=1e-13)


@each_solver
@each_loss
@each_penalty
def test_sparse_iterates_are_dense_iterates(rng, solver, loss, g):
    problem = medium(rng, loss, g, kind="sparse", intercept=False)
    other = Problem(dense(problem), problem.b, loss, g, sample_weight=problem.sample_weight)
    states = []
    for one in (problem, other):
        state = solver.init(one, Start(), np.random.default_rng(3))
        for _ in range(3):
            solver.run_epoch(one, state)
        states.append(state)
    np.testing.assert_allclose(states[0].w, states[1].w, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(states[0].u, states[1].u, rtol=1e-11, atol=1e-12)


@each_loss
@each_penalty
@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_saga_is_its_twin_to_the_end(rng, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    solver, generator = SAGA(), np.random.default_rng(5)
    state = solver.init(problem, Start(), np.random.default_rng(5))
    w, u, v = state.w.copy(), state.u.copy(), state.v.copy()
    for _ in range(3):
        solver.run_epoch(problem, state)
        twins.saga_pass(
            dense(problem), generator.integers(30, size=30), loss, problem.b, problem.sample_weight,
            problem.coordinate_form, state.step * state.metric, u, v, w,
        )  # fmt: skip
    np.testing.assert_allclose(state.w, w, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(state.u, u, rtol=1e-11, atol=1e-12)


@each_solver
def test_the_optimum_is_a_fixed_point(rng, solver):
    """At (w*, phi'(A w*)) no row's gradient differs from its memory, and the prox step stays."""
    problem = medium(rng, Logistic(), ElasticNet(0.01, 0.1), kind="gaussian", weight="none")
    best = solve(problem, "primal_cd", stopping=RelativeGap(1e-15) | MaxPasses(2000))
    state = solver.init(problem, Start(w=best.w), rng)
    solver.run_epoch(problem, state)
    np.testing.assert_allclose(state.w, best.w, atol=1e-7)


@each_solver
@each_loss
@each_penalty
def test_they_converge_without_a_hand_on_the_steps(rng, solver, loss, g):
    problem = medium(rng, loss, g, kind="gaussian", n=60)
    result = solve(problem, solver, stopping=RelativeGap(1e-7) | MaxPasses(10_000))
    assert result.status.solved, result.message


@each_solver
def test_rows_and_weights_of_very_different_size(rng, solver):
    A = rng.normal(size=(80, 10)) * np.exp(1.5 * rng.normal(size=(80, 1)))
    weight = rng.exponential(size=80)
    problem = Problem(A, np.sign(A[:, 0]), Logistic(), Ridge(0.05), sample_weight=weight, fit_intercept=True)
    result = solve(problem, solver, stopping=RelativeGap(1e-6) | MaxPasses(5000))
    assert result.status.solved, result.message


def test_svrg_draws_uneven_rows_by_their_curvature(rng):
    A = rng.normal(size=(50, 6))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    A[0] *= 30.0
    A[1] = 0.0
    problem = Problem(A, rng.normal(size=50), Squared(), Ridge(0.1))
    state = SVRG().init(problem, Start(), rng)
    curvature = row_curvatures(problem, coordinate_metric(problem))
    np.testing.assert_allclose(curvature, (A**2).sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(state.probability, curvature / curvature.sum(), rtol=1e-12)
    assert state.step == pytest.approx(1.0 / curvature.mean())
    even = SVRG().init(Problem(A[2:], problem.b[2:], Squared(), Ridge(0.1)), Start(), rng)
    np.testing.assert_allclose(even.probability, 1.0 / 48)


def test_the_intercept_adds_no_more_than_the_mean_row(rng):
    A = 1e5 * rng.normal(size=(40, 3))
    problem = Problem(A, rng.normal(size=40), Huber(), L1(1.0), fit_intercept=True)
    metric = coordinate_metric(problem)
    squares = (A**2).sum(axis=1)
    np.testing.assert_allclose(metric, [1.0, 1.0, 1.0, squares.mean()], rtol=1e-12)
    np.testing.assert_allclose(row_curvatures(problem, metric), squares + squares.mean(), rtol=1e-12)
    zero = Problem(np.zeros((4, 2)), np.ones(4), Huber(), L1(1.0), fit_intercept=True)
    np.testing.assert_array_equal(coordinate_metric(zero), 1.0)


def test_entries_read(rng):
    """The first epoch pays for the first derivatives and their correlation; SVRG's then for a snapshot."""
    problem = medium(rng, Squared(), Ridge(0.1), kind="sparse", weight="none", intercept=False)
    stored = (dense(problem) != 0).sum(axis=1)
    for solver, more in ((SVRG(), 2), (SAGA(), 0)):
        state = solver.init(problem, Start(), np.random.default_rng(2))
        assert state.entries_read == 0
        solver.run_epoch(problem, state)
        drawn = np.random.default_rng(2)
        order = drawn.choice(30, 30, p=state.probability) if getattr(state, "uneven", False) else None
        order = drawn.integers(30, size=30) if order is None else order
        assert state.entries_read == (2 + more) * problem.design.n_entries + stored[order].sum()


@each_solver
@pytest.mark.parametrize("factor", [3.0, 1000.0])
def test_steps_that_are_too_long_are_taken_back(rng, solver, factor):
    """The safeguard alone: begun with a step that diverges, the values of P never rise, and it converges."""
    problem = medium(rng, Squared(), Ridge(0.1), kind="gaussian", weight="none")
    state = solver.init(problem, Start(), rng)
    state.step *= factor
    state.epoch = 11
    value = problem.primal_value(state.w)
    state.primal = value
    for _ in range(60):
        above = state.step > state.least_step
        solver.run_epoch(problem, state)
        new = problem.primal_value(state.w)
        if above and solver.name == "saga":
            assert new <= value + problem.rounding
        value = new
    assert problem.certify(state.w, state.u).relative_gap <= 1e-6


def test_the_safeguard(rng):
    problem = medium(rng, Squared(), Ridge(0.1))
    zero = np.zeros(1)
    state = SafeguardedState(rng, 0, 0, zero, zero, zero, primal=1.0, step=4.0, least_step=1.0, growth=2.0)
    assert accept(problem, state, 0.5, growing=True)
    assert (state.primal, state.step, state.growth) == (0.5, 8.0, 2.0)
    assert not accept(problem, state, 0.6, growing=True)
    assert (state.primal, state.step, state.growth) == (0.5, 4.0, 2.0**0.5)
    assert accept(problem, state, 0.4, growing=False)
    assert state.step == 4.0
    assert not accept(problem, state, np.inf, growing=True)
    assert not accept(problem, state, np.nan, growing=True)
    assert state.step == 1.0
    assert accept(problem, state, 0.7, growing=True)  # the least step: a rise is noise
    assert (state.primal, state.step) == (0.7, 1.0)
    assert not accept(problem, state, np.nan, growing=True)


@each_solver
def test_a_given_step_stays(rng, solver):
    problem = medium(rng, SquaredHinge(), NoPenalty(), kind="gaussian")
    chosen = type(solver)(step_size=1e-3)
    state = solve(problem, chosen, stopping=NEVER | MaxPasses(200)).state
    assert state.step == 1e-3
    for bad in (0.0, -1.0, np.inf, np.nan, "1", True):
        with pytest.raises(InvalidInputError, match=r"is not a finite number above 0"):
            type(solver)(step_size=bad)


@each_solver
def test_a_given_step_that_is_far_too_long_leaves_a_true_certificate(rng, solver):
    problem = medium(rng, Squared(), Ridge(0.1), kind="gaussian")
    chosen = type(solver)(step_size=1e3)
    result = solve(problem, chosen, stopping=NEVER | MaxPasses(400))
    assert np.isfinite(result.w).all()
    assert result.certificate.primal <= problem.primal_value(np.zeros(9))
    assert result.certificate.gap >= 0


@each_solver
def test_a_warm_start_needs_fewer_passes(rng, solver):
    problem = medium(rng, Logistic(), ElasticNet(0.02, 0.02), kind="gaussian", weight="none")
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    cold = solve(problem, solver, stopping=rule)
    near = Problem(
        sp.csr_array(dense(problem)[:, :-1]), problem.b, Logistic(), ElasticNet(0.0201, 0.0201),
        fit_intercept=True,
    )  # fmt: skip
    warm = solve(near, solver, stopping=rule, start=cold)
    assert warm.status.solved
    assert warm.passes < solve(near, solver, stopping=rule).passes
