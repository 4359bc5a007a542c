"""Dual ascent and its accelerated form: bounds, invariants, weights, slack, and what they refuse."""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from cases_interpolation import run
from fenchel import (
    AcceleratedDualAscent,
    DualAscent,
    InvalidInputError,
    MaxPasses,
    Problem,
    RelativeGap,
    Start,
    UnsupportedProblemError,
    solve,
)
from fenchel._kernels.dual_ascent import accelerated_dual_ascent_pass, dual_ascent_pass
from fenchel.losses import (
    BallConstraint,
    EqualityConstraint,
    Hinge,
    IntervalConstraint,
    LowerBoundConstraint,
    MarginConstraint,
    SimplexConstraint,
    SquaredDistance,
)
from fenchel.regularizers import ElasticNet, RelativeEntropy, Ridge, SquaredLp
from fenchel.solvers.interpolation.setting import constraint_arrays, curvatures, map_arrays
from fenchel.solvers.registry import choose_solver

N, D = 6, 16
SETS = {
    "points": EqualityConstraint(),
    "half-lines": LowerBoundConstraint(),
    "margins": MarginConstraint(),
    "intervals": IntervalConstraint(epsilon=0.05),
    "balls": BallConstraint(radius=0.05),
    "several points": BallConstraint(),
    "simplex": SimplexConstraint(),
}
MIRRORS = {
    "ridge": Ridge(0.5),
    "p=2": SquaredLp(2.0, strength=2.0),
    "p=1.5": SquaredLp(1.5, strength=0.5),
    "p=1.2": SquaredLp(1.2),
    "entropy": RelativeEntropy(),
    "entropy-prior": RelativeEntropy(np.arange(1.0, D + 1), strength=0.5),
}
PLAIN = DualAscent(newton_trials=0, rescaling=False)
"""The paper's method, which is slow for p near 1."""
each_set = pytest.mark.parametrize("kind", SETS)
each_solver = pytest.mark.parametrize("solver", [DualAscent(), PLAIN, AcceleratedDualAscent()], ids=repr)


def draw(rng, kind, mirror, slack=None, n=N, weight=None) -> Problem:
    """A problem that some probabilities meet, so that every regularizer is finite somewhere in it."""
    loss, g, k = SETS[kind], MIRRORS[mirror], 3 if SETS[kind].vector_output else 1
    w = rng.dirichlet(np.ones(D * k)).reshape(D, k)
    A = rng.random((n, D)) if kind == "simplex" else rng.normal(size=(n, D))
    z = A @ w
    if kind == "simplex":
        A = A / z.sum(axis=1, keepdims=True)
    if kind == "margins":
        A = A / np.abs(z)
    b = np.sign(z) if kind == "margins" else z
    loss = loss if slack is None else SquaredDistance(loss, strength=slack * n)
    return Problem(A, b if k > 1 else b[:, 0], loss, g, sample_weight=weight)


def relaxed_gap(problem: Problem, u: np.ndarray) -> tuple[float, float]:
    """g(w) - D(u) + (1/n) sum_i s_i r_i |u_i|, and the largest r_i, for the best response w to u."""
    w = problem.primal_point(u)
    distance = problem.loss.distance(problem.scores(w), problem.b)
    sizes = np.abs(u) if u.ndim == 1 else np.linalg.norm(u, axis=1)
    charge = float(np.mean(problem.sample_weight * distance * sizes))
    return problem.regularizer.value(w) - problem.dual_value(u) + charge, float(distance.max())


def divergence(problem: Problem, best: np.ndarray, u: np.ndarray) -> float:
    """D_g(w*, w) for the best response w to u: g(w*) + g*(t) - <t, w*> with t = -v."""
    t = -problem.correlation(u)
    g = problem.regularizer
    return g.value(best) + g.conjugate(t) - float(np.sum(t * best))


@each_set
@pytest.mark.parametrize("mirror", ["p=2", "p=1.5", "p=1.2", "entropy-prior"])
@each_solver
def test_constraints_are_met_at_the_least_value(rng, kind, mirror, solver):
    problem = draw(rng, kind, mirror)
    w, u = run(problem, solver, 1000)
    gap, violation = relaxed_gap(problem, u)
    size, close = 1e-3 + problem.regularizer.value(w), 3e-2 if solver == PLAIN else 1e-4
    assert violation <= close
    assert -1e-9 * size <= gap <= close * size


@each_set
@pytest.mark.parametrize("mirror", ["p=2", "p=1.5", "p=1.2", "entropy"])
@each_solver
def test_the_primal_point_is_as_near_as_the_dual_value(rng, kind, mirror, solver):
    """Proposition 1: D_g(w*, w(a)) <= G* - G(a) after every epoch."""
    problem = draw(rng, kind, mirror)
    w, best = run(problem, DualAscent(), 1000)
    optimum = problem.dual_value(best)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    for _ in range(10):
        solver.run_epoch(problem, state)
        u = solver.extract(problem, state)[1]
        left = optimum - problem.dual_value(u)
        assert divergence(problem, w, u) <= left + 1e-6 * (1.0 + abs(optimum))


@each_set
@pytest.mark.parametrize("mirror", ["ridge", "p=1.5", "entropy"])
@each_solver
@pytest.mark.parametrize("weighted", [False, True])
def test_slack_has_a_gap_that_closes(rng, kind, mirror, solver, weighted):
    weight = rng.random(N) * (np.arange(N) > 1) if weighted else None
    problem = draw(rng, kind, mirror, slack=2.0, weight=weight)
    result = solve(problem, solver, stopping=RelativeGap(1e-8) | MaxPasses(1500))
    size = 1e-9 + problem.regularizer.value(problem.primal_point(result.u))
    assert result.status.solved or result.certificate.gap <= 1e-8 * size, result.message
    again = problem.certify(result.w, result.u)
    assert again.gap == pytest.approx(result.certificate.gap, rel=1e-6, abs=1e-13)
    # At the optimum u = phi'(z), and rows of weight zero count for nothing.
    nearest = problem.loss.gradient(problem.scores(result.w), problem.b)
    counts = problem.sample_weight > 0
    np.testing.assert_allclose(result.u[counts], nearest[counts], atol=1e-2 * (1.0 + np.abs(nearest).max()))


def stepwise(problem: Problem, seed: int, passes: int, accelerated: bool) -> list[float]:
    """Dual values after every pass of even draws, from zero."""
    sets, mirror, curvature = constraint_arrays(problem), map_arrays(problem), curvatures(problem)
    rng, n, rows = np.random.default_rng(seed), problem.n_samples, problem.design.rows
    a, t = np.zeros_like(problem.b), np.zeros(problem.primal_shape)
    share, momentum = np.full(n, 1 / n), np.array([1 / n, 0.0])
    lag, lag_image, values = np.zeros_like(a), np.zeros_like(t), []
    for _ in range(passes):
        order = rng.integers(n, size=n)
        if accelerated:
            accelerated_dual_ascent_pass(
                rows, order, sets, curvature, share, mirror, momentum, lag, a, lag_image, t
            )
        else:
            dual_ascent_pass(rows, order, sets, curvature, mirror, 0, a, t, np.zeros(2))
        values.append(problem.dual_value(-n * (momentum[1] ** 2 * lag + a)))
    return values


@each_set
@pytest.mark.parametrize("mirror", ["p=2", "p=1.5", "entropy"])
@pytest.mark.parametrize("accelerated", [False, True])
def test_the_bounds_hold_on_the_mean_of_eight_runs(rng, kind, mirror, accelerated):
    problem, passes = draw(rng, kind, mirror), 12
    best = run(problem, DualAscent(), 1000)[1]
    optimum, n = problem.dual_value(best), problem.n_samples
    a = best / n
    distance = 0.5 * float(np.sum(curvatures(problem) * (a**2 if a.ndim == 1 else np.sum(a**2, axis=1))))
    start = optimum - problem.dual_value(np.zeros_like(best))
    left = optimum - np.mean([stepwise(problem, seed, passes, accelerated) for seed in range(8)], axis=0)
    t = n * np.arange(1.0, passes + 1.0)
    if accelerated:
        bound = 4 * n**2 / (t + 2 * n) ** 2 * ((1 - 1 / n) * start + distance)
    else:
        bound = n / (n + t) * (distance + start)
    assert np.all(left <= bound)
    assert left[-1] > 0  # the runs are not over, so that the bound says something


@pytest.mark.parametrize("solver", [DualAscent(), AcceleratedDualAscent()], ids=repr)
def test_points_at_p_2_have_the_solution_of_the_pseudo_inverse(rng, solver):
    A, b = rng.normal(size=(N, D)), rng.normal(size=N)
    problem = Problem(A, b, EqualityConstraint(), SquaredLp(2.0, strength=3.0))
    w, u = run(problem, solver, 1000)
    np.testing.assert_allclose(w, np.linalg.pinv(A) @ b, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(u, -3.0 * N * np.linalg.solve(A @ A.T, b), rtol=1e-7)


@each_solver
def test_slack_on_points_at_p_2_is_ridge_regression(rng, solver):
    A, b, s = rng.normal(size=(30, 5)), rng.normal(size=30), rng.random(30)
    problem = Problem(A, b, SquaredDistance(EqualityConstraint(), 4.0), Ridge(0.3), sample_weight=s)
    s = s / s.mean()
    w = np.linalg.solve(4.0 * A.T @ (s[:, None] * A) / 30 + 0.3 * np.eye(5), 4.0 * A.T @ (s * b) / 30)
    result = solve(problem, solver, stopping=RelativeGap(1e-13) | MaxPasses(1500))
    np.testing.assert_allclose(result.w, w, rtol=1e-5, atol=1e-7)


@each_solver
@pytest.mark.parametrize("kind", ["half-lines", "balls"])
@pytest.mark.parametrize("mirror", ["p=2", "p=1.5"])
def test_hard_constraints_know_weights_as_zero_or_not(rng, kind, mirror, solver):
    problem = draw(rng, kind, mirror)
    weight = rng.random(N) + 0.1
    weight[:2] = 0.0
    A = problem.design.select_columns(np.arange(D))

    def best(rows, weights=None):
        part = Problem(A[rows], problem.b[rows], problem.loss, problem.regularizer, sample_weight=weights)
        return run(part, solver, 1000)

    everything = np.arange(N)
    w, u = best(everything, weight)
    np.testing.assert_array_equal(u[:2], np.zeros_like(u[:2]))
    np.testing.assert_allclose(w, best(everything[2:])[0], atol=1e-6)
    np.testing.assert_allclose(w, best(everything[2:], weight[2:])[0], atol=1e-6)


@each_solver
def test_a_slack_of_weight_two_is_a_row_that_stands_twice(rng, solver):
    problem = draw(rng, "intervals", "p=1.5", slack=3.0)
    A, counts = problem.design.select_columns(np.arange(D)), np.where(np.arange(N) % 3 == 0, 2, 1)
    twice = np.repeat(np.arange(N), counts)
    rule = RelativeGap(1e-11) | MaxPasses(4000)
    one = solve(replace(problem, sample_weight=counts), solver, stopping=rule)
    two = solve(Problem(A[twice], problem.b[twice], problem.loss, problem.regularizer), solver, stopping=rule)
    np.testing.assert_allclose(one.w, two.w, atol=1e-6)


@each_solver
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_storage_does_not_matter(rng, solver, dtype):
    problem = draw(rng, "points", "p=1.5")
    A = problem.design.select_columns(np.arange(D)).astype(dtype)
    A[rng.random(A.shape) < 0.5] = 0.0
    dense = Problem(A, problem.b, problem.loss, problem.regularizer)
    sparse = replace(dense, design=sp.csr_array(A))
    one, two = (solver.init(part, Start(), np.random.default_rng(0)) for part in (dense, sparse))
    for _ in range(8):
        solver.run_epoch(dense, one)
        solver.run_epoch(sparse, two)
    for found, expected in zip(solver.extract(sparse, two), solver.extract(dense, one), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    assert two.entries_read < one.entries_read


@each_solver
def test_rows_of_zeros_wait_or_take_their_slack(rng, solver):
    problem = draw(rng, "points", "p=1.5")
    A = problem.design.select_columns(np.arange(D))
    A[3] = 0.0
    hard = Problem(A, problem.b, problem.loss, problem.regularizer)
    assert solve(hard, solver, stopping=MaxPasses(5)).u[3] == 0.0
    soft = replace(hard, loss=SquaredDistance(problem.loss, 2.0))
    result = solve(soft, solver, stopping=RelativeGap(1e-10) | MaxPasses(3000))
    assert result.u[3] == pytest.approx(-2.0 * problem.b[3], rel=1e-5)
    nothing = Problem(np.zeros((3, 2)), np.zeros(3), EqualityConstraint(), SquaredLp(1.5))
    assert solve(nothing, solver, stopping=MaxPasses(3)).certificate.dual == 0.0


def test_rescaling_takes_the_best_factor(rng):
    for kind in SETS:
        problem = draw(rng, kind, "p=1.5", slack=5.0 if kind == "balls" else None)
        solver = DualAscent(newton_trials=0)
        state = solver.init(problem, Start(), np.random.default_rng(0))
        for _ in range(5):
            solver.run_epoch(problem, state)
        u = solver.extract(problem, state)[1]
        values = [problem.dual_value(scale * u) for scale in (0.9, 0.999, 1.0, 1.001, 1.1)]
        assert np.argmax(values) == 2
        assert values[2] > 0


def test_a_start_is_gone_on_from(rng):
    problem = draw(rng, "half-lines", "p=1.5")
    first = solve(problem, DualAscent(), stopping=MaxPasses(30))
    for solver in (DualAscent(), AcceleratedDualAscent()):
        again = solve(problem, solver, stopping=MaxPasses(0), start=Start(u=first.u))
        assert problem.dual_value(again.u) == pytest.approx(problem.dual_value(first.u), rel=1e-12)


def test_a_newton_step_is_worth_many_plain_ones_near_the_l1_norm(rng):
    A = rng.normal(size=(30, 200))
    problem = Problem(A, np.sign(rng.normal(size=30)), MarginConstraint(), SquaredLp(1 + 1 / np.log(200)))
    plain, newton = (
        solve(problem, DualAscent(newton_trials=trials), stopping=MaxPasses(10)).certificate.dual
        for trials in (0, 3)
    )
    best = solve(problem, DualAscent(), stopping=MaxPasses(3000)).certificate.dual
    assert best - newton < 0.2 * (best - plain)


def test_restarts_reach_nine_digits_on_half_lines_in_two_hundred_passes():
    """The l2 problem of the paper's experiments: x ~ N(0, diag(i^-1.5)), 1,000 rows and 2,000 columns."""
    rng = np.random.default_rng(0)
    deviations, direction = np.arange(1.0, 2001.0) ** -0.75, rng.normal(size=2000)
    X = rng.normal(size=(1400, 2000)) * deviations
    z = X @ direction + 0.005
    X, z = X[np.abs(z) > 0.1][:1000], z[np.abs(z) > 0.1][:1000]
    problem = Problem(X, np.sign(z), MarginConstraint(), Ridge(1.0))
    trace = solve(problem, AcceleratedDualAscent(), stopping=MaxPasses(400)).trace
    best = trace[-1].certificate.dual
    early = max(row.certificate.dual for row in trace if row.passes <= 200)
    assert 0 <= best - early <= 1e-9 * best
    plain = solve(problem, DualAscent(), stopping=MaxPasses(200)).certificate.dual
    assert best - plain > 1e-5 * best


@pytest.mark.parametrize("solver", ["dual_ascent", "accelerated_dual_ascent"])
@pytest.mark.parametrize(
    ("loss", "g", "intercept", "message"),
    [
        (
            Hinge(),
            Ridge(1.0),
            False,
            "it needs a constraint that the kernels know, and 'hinge' is not one. Use",
        ),
        (
            MarginConstraint(),
            ElasticNet(0.1, 0.1),
            False,
            "an entropy, whose best responses it keeps. Use Sq",
        ),
        (MarginConstraint(), Ridge(0.0), False, "whose best responses it keeps. Use SquaredLp(p), Ridge(str"),
        (MarginConstraint(), Ridge(1.0, weights=(1.0, 2.0)), False, "Ridge(strength) without weights"),
        (
            MarginConstraint(),
            Ridge(1.0),
            True,
            "a free intercept (sum of s_i u_i = 0) forbids. Use fit_interc",
        ),
    ],
)
def test_refusals(solver, loss, g, intercept, message):
    problem = Problem(np.eye(2), [1.0, -1.0], loss, g, fit_intercept=intercept)
    with pytest.raises(UnsupportedProblemError, match=re.escape(message)):
        solve(problem, solver)


@pytest.mark.parametrize(
    "make",
    [
        lambda: DualAscent(sampling="cyclic"),
        lambda: DualAscent(newton_trials=-1),
        lambda: DualAscent(newton_trials=True),
        lambda: AcceleratedDualAscent(sampling="shuffled"),
        lambda: AcceleratedDualAscent(restart_passes=0),
        lambda: AcceleratedDualAscent(restart_passes=2.5),
    ],
)
def test_arguments_out_of_range(make):
    with pytest.raises(InvalidInputError, match=r"is unknown|is not a whole number"):
        make()


def test_auto_takes_momentum_where_it_is_cheap_and_pays(rng):
    expected = [
        (draw(rng, "points", "p=2"), "accelerated_dual_ascent"),
        (draw(rng, "balls", "ridge"), "accelerated_dual_ascent"),
        (draw(rng, "margins", "p=1.5"), "dual_ascent"),
        (draw(rng, "intervals", "entropy"), "dual_ascent"),
        (draw(rng, "intervals", "ridge", slack=100.0), "accelerated_dual_ascent"),
        (draw(rng, "intervals", "ridge", slack=0.01), "dual_ascent"),
        (draw(rng, "intervals", "p=1.2", slack=100.0), "dual_ascent"),
    ]
    for problem, name in expected:
        assert choose_solver(problem)[0].name == name
