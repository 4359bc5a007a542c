"""Accelerated dual coordinate ascent: its bound and that of SDCA on averages, and what it saves."""

import numpy as np
import pytest

import cases
from cases_solvers import draw
from fenchel import APCG, SDCA, InvalidInputError, MaxPasses, Problem, RelativeGap, solve
from fenchel._kernels.coordinate import sdca_pass
from fenchel._kernels.losses import KernelLoss
from fenchel.losses import Logistic, SmoothedHinge, Squared
from fenchel.reference.apcg import apcg_pass as twin_pass
from fenchel.regularizers import Box, ElasticNet, NonNegative, Ridge
from fenchel.solvers.base import Start

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
CURVED = [Ridge(0.1), ElasticNet(0.02, 0.05), Box(-0.3, 0.4, l1=0.01, l2=0.05), NonNegative(l1=0.01, l2=0.1)]
RUNS, EPOCHS = 200, 4


def planted(rng, loss, g, *, spread: float = 0.0, n: int = 60, d: int = 20) -> Problem:
    """Rows of length 1, or of lengths that differ by factors of e^spread, the largest 1."""
    A = rng.normal(size=(n, d))
    lengths = np.exp(-spread * rng.random(n))
    A *= (lengths / np.linalg.norm(A, axis=1))[:, None]
    b = A @ rng.normal(size=d) + 0.1 * rng.normal(size=n)
    return Problem(A, np.sign(b) if loss.task == "classification" else b, loss, g)


def optimum(problem: Problem) -> tuple[float, np.ndarray]:
    """The dual optimum and its point; the gap is rounding."""
    result = solve(problem, SDCA(), stopping=RelativeGap(1e-14) | MaxPasses(5000))
    return problem.dual_value(result.u), result.u


def largest(problem: Problem) -> float:
    squares = problem.sample_weight * problem.design.row_square_sums(1.0 / problem.coordinate_form.l2)
    return float(squares.max())


def mean_distances(values: np.ndarray, best: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean of D* - D over the runs at every pass, and three standard errors of it."""
    distances = best - values
    return distances.mean(axis=0), 3.0 * distances.std(axis=0) / np.sqrt(RUNS)


@pytest.mark.parametrize("loss", [Squared(), Logistic(), SmoothedHinge()], ids=repr)
@pytest.mark.parametrize("spread", [0.0, 1.5])
@pytest.mark.parametrize("strength", [0.1, 0.001])
def test_the_bound_holds_on_averages(rng, loss, spread, strength):
    """``(1 - root / n)^t (D* - D(0) + gamma / (2 n) sum s (u* - u0)^2)``, for rows drawn with replacement."""
    problem = planted(rng, loss, ElasticNet(0.1 * strength, strength), spread=spread)
    best, u_best = optimum(problem)
    n, solver, values, passes = problem.n_samples, APCG(steps="theory"), np.empty((RUNS, EPOCHS)), []
    for run in range(RUNS):
        state = solver.init(problem, Start(u=np.zeros(n)), np.random.default_rng(run))
        for epoch in range(EPOCHS):
            solver.run_epoch(problem, state)
            values[run, epoch] = problem.dual_value(solver.extract(problem, state)[1])
            passes += [state.entries_read / problem.design.n_entries] if run == 0 else []
    gamma = 1.0 / loss.smoothness
    begin = best - problem.dual_value(np.zeros(n)) + gamma / (2 * n) * float(np.sum(u_best**2))
    root = np.sqrt(gamma * n / (gamma * n + largest(problem)))
    mean, error = mean_distances(values, best)
    assert np.all(mean - error <= (1 - root / n) ** (n * np.array(passes)) * begin)


@pytest.mark.parametrize("loss", [Squared(), Logistic(), SmoothedHinge()], ids=repr)
@pytest.mark.parametrize("strength", [1.0, 0.01])
def test_the_bound_of_sdca_holds_on_averages(rng, loss, strength):
    """``(1 - gamma / (R^2 + gamma n))^t (D* - D(0))``, for rows drawn with replacement."""
    problem = planted(rng, loss, Ridge(strength))
    best, _ = optimum(problem)
    n, d = problem.design.shape
    step = n / (problem.sample_weight * problem.design.row_square_sums(1.0 / problem.coordinate_form.l2))
    values = np.empty((RUNS, EPOCHS))
    for run in range(RUNS):
        generator, u, v, w = np.random.default_rng(run), np.zeros(n), np.zeros(d), np.zeros(d)
        for epoch in range(EPOCHS):
            sdca_pass(
                problem.design.rows, generator.integers(n, size=n), KernelLoss.of(loss), problem.b,
                problem.sample_weight, step, problem.coordinate_form, np.zeros(d), np.zeros(d), v, w, u,
            )  # fmt: skip
            values[run, epoch] = problem.dual_value(u)
    gamma, passes = 1.0 / loss.smoothness, np.arange(1, EPOCHS + 1)
    mean, error = mean_distances(values, best)
    begin = best - problem.dual_value(np.zeros(n))
    assert np.all(mean - error <= (1 - gamma / (largest(problem) + gamma * n)) ** (n * passes) * begin)


@pytest.mark.parametrize("loss", [Squared(), Logistic(), SmoothedHinge()], ids=repr)
@pytest.mark.parametrize("steps", ["adaptive", "theory"])
def test_weak_regularizers_take_fewer_passes_than_sdca(rng, loss, steps):
    """Where the data are curved no more than the regularizer: columns that fade, and many of them."""
    A = rng.normal(size=(300, 100)) / np.arange(1.0, 101.0)
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    b = A @ rng.normal(size=100) + 0.1 * rng.normal(size=300)
    problem = Problem(A, np.sign(b) if loss.task == "classification" else b, loss, Ridge(1e-3 / 300))
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    fast, plain = (
        solve(problem, solver, stopping=rule)
        for solver in (APCG(steps), SDCA(newton_passes=0.0, moving_passes=0))
    )
    assert fast.status.solved
    assert fast.passes < 0.8 * plain.passes


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("g", CURVED, ids=repr)
@pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])
def test_state_is_consistent_after_a_run(rng, loss, g, kind):
    problem = draw(rng, loss, g, n=30, d=8, kind=kind, weight="zeros")
    solver = APCG()
    result = solve(problem, solver, stopping=RelativeGap(1e-10) | MaxPasses(5000))
    assert result.status.solved
    state = result.state
    w, u = solver.extract(problem, state)
    assert loss.dual_domain(problem.b).contains(u).all()
    # x and z stay in the domain up to rounding: they are convex combinations of proxes.
    for sign in (-1.0, 1.0):
        assert loss.dual_domain(problem.b).contains(0.5 * (state.total + sign * state.difference)).all()
    np.testing.assert_allclose(w, problem.coordinate_form.lmo(problem.correlation(u)), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("steps", ["adaptive", "theory"])
def test_a_run_is_its_twin(rng, steps):
    """The same draws through the dense form, over several epochs with their fresh products."""
    problem = draw(rng, Logistic(), ElasticNet(0.02, 1.0), n=30, d=8, weight="zeros")
    solver, generator = APCG(steps), np.random.default_rng(3)
    state = solver.init(problem, Start(), np.random.default_rng(3))
    x, z = 0.5 * state.total, 0.5 * state.total
    A, m = problem.design.select_columns(np.arange(8)), state.visited.size
    assert m == np.count_nonzero(problem.sample_weight)
    for _ in range(3):
        drawn = generator.integers(m, size=m) if steps == "theory" else generator.permutation(m)
        root = state.root
        assert 1.0 / root < 2.0  # so that an epoch is one pass
        twin_pass(
            A, state.visited[drawn], problem.loss, problem.b, problem.sample_weight,
            (1.0 + 1.0 / root) * state.step, problem.coordinate_form, root, root / m, x, z,
        )  # fmt: skip
        solver.run_epoch(problem, state)
    np.testing.assert_allclose(0.5 * (state.total - state.difference), x, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(0.5 * (state.total + state.difference), z, rtol=1e-11, atol=1e-12)


def test_momentum_is_dropped_where_the_dual_value_falls(rng):
    problem = draw(rng, Squared(), Ridge(0.01), n=30, d=8)
    solver = APCG()
    state = solver.init(problem, Start(), np.random.default_rng(0))
    solver.run_epoch(problem, state)
    assert state.difference.any()
    state.value = np.inf
    solver.run_epoch(problem, state)
    assert not state.difference.any()
    assert not state.v_difference.any()
    u = solver.extract(problem, state)[1]
    np.testing.assert_array_equal(state.total, 2.0 * u)
    assert state.value == pytest.approx(problem.dual_value(u), rel=1e-12)


def test_entries_read_are_those_of_the_rows_and_of_the_start(rng):
    problem = draw(rng, Logistic(), Ridge(0.1), n=30, d=8, weight="zeros")
    read = 8 * np.count_nonzero(problem.sample_weight)
    for solver, product in ((APCG(), problem.design.n_entries), (APCG(steps="theory"), 0)):
        state = solver.init(problem, Start(), np.random.default_rng(0))
        assert state.entries_read == 0
        solver.run_epoch(problem, state)
        # The logistic start has no zero derivative, so that its correlation reads the same rows once.
        assert state.entries_read == read + int(1.0 / state.least_root) * read + product


def test_the_share_of_strong_convexity_follows_the_gap(rng):
    """Squared loss and more columns than rows: the data are curved, and the share rises."""
    problem = draw(rng, Squared(), Ridge(1e-4), n=10, d=40)
    state = solve(problem, APCG(), stopping=RelativeGap(1e-8) | MaxPasses(5000)).state
    assert state.root > 2.0 * state.least_root
    state.gap = 1e-300
    APCG().run_epoch(problem, state)
    lowered = state.root
    state.gap = 1e-300
    APCG().run_epoch(problem, state)
    assert state.least_root <= state.root < lowered


def test_unknown_steps_are_refused():
    with pytest.raises(InvalidInputError, match=r"^steps='greedy' is unknown\. Use 'adaptive'"):
        APCG(steps="greedy")
