"""Mirror descent and mirror prox: true certificates, the bounds of the theory, invariants, their twins."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import MIRROR, draw, primal_dual
from fenchel import MaxPasses, MirrorDescent, MirrorProx, Problem, RelativeGap, Start, solve
from fenchel.errors import InvalidInputError
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.reference.mirror import LiftedGame, mirror_descent, mirror_prox
from fenchel.regularizers import L1, GroupL2Ball, L1Ball, SolidSimplex
from fenchel.solvers.mirror.dual_geometry import EntropyDual, EuclideanDual
from fenchel.solvers.mirror.state import game_of
from fenchel.solvers.registry import SOLVERS

NEVER = RelativeGap(0.0)
SETS = [L1(0.02), L1Ball(1.5), L1Ball(4.0, l1=0.02), SolidSimplex(1.5, l1=0.01), GroupL2Ball(1.0, l1=0.02)]
DUALS = [EntropyDual(), EuclideanDual()]
each_loss = pytest.mark.parametrize("loss", [MulticlassHinge(), Softmax()], ids=lambda loss: loss.name)
each_set = pytest.mark.parametrize("g", SETS, ids=repr)
each_dual = pytest.mark.parametrize("dual", DUALS, ids=lambda dual: dual.norm)
each_solver = pytest.mark.parametrize("solver", MIRROR)


def problem_of(rng, loss, g, kind="gaussian", weight="positive", n=12, d=5) -> Problem:
    return draw(rng, loss, g, n=n, d=d, kind=kind, weight=weight)


def twin_of(problem: Problem) -> LiftedGame:
    A = problem.design.select_columns(np.arange(problem.n_features))
    name = "softmax" if problem.loss.smooth else "hinge"
    g = problem.regularizer
    return LiftedGame(A, problem.b, problem.sample_weight, name, g.radius, g.l1)


def gap_on_ball(problem: Problem, w, u) -> float:
    """``P(w) + mean conjugate + R max(max |v| - l1, 0)``, for L1Ball."""
    excess = max(np.abs(problem.correlation(u)).max() - problem.regularizer.l1, 0.0)
    return problem.primal_value(w) + problem.mean_conjugate(u) + problem.regularizer.radius * excess


# Certificates and optima


@each_solver
@each_loss
@each_set
@each_dual
@pytest.mark.parametrize("kind", ["gaussian", "degenerate", "sparse"])
def test_what_is_proved_holds_all_the_way(rng, solver, loss, g, dual, kind):
    problem = problem_of(rng, loss, g, kind, rng.choice(["none", "positive", "zeros"]))
    point, _ = primal_dual(problem, 500)
    point = problem.prox(point, 0.0)
    certificate = problem.certify(point)
    result = solve(problem, SOLVERS[solver](dual_geometry=dual), stopping=NEVER | MaxPasses(400))
    for record in result.trace:
        assert record.certificate.dual <= certificate.primal + 1e-11
        assert record.certificate.primal >= certificate.dual - 1e-11
    assert result.certificate.primal <= problem.primal_value(np.zeros(problem.primal_shape))


@each_loss
@each_set
@each_dual
def test_mirror_prox_comes_to_three_digits(rng, loss, g, dual):
    problem = problem_of(rng, loss, g)
    result = solve(problem, MirrorProx(dual_geometry=dual), stopping=RelativeGap(1e-3) | MaxPasses(20_000))
    assert result.status.solved, result.message
    found = problem.primal_value(problem.prox(primal_dual(problem, 1000)[0], 0.0))
    assert result.certificate.primal - found <= result.certificate.gap + 1e-9


@pytest.mark.parametrize("g", SETS, ids=repr)
def test_mirror_prox_solves_softmax(rng, g):
    """The iterates converge by themselves: restarts make use of it."""
    problem = problem_of(rng, Softmax(), g)
    result = solve(problem, MirrorProx(), stopping=RelativeGap(1e-8) | MaxPasses(40_000))
    assert result.status.solved, result.message


@each_loss
@pytest.mark.parametrize("radius", [0.01, 0.3, None, 1e4])
def test_the_radius_does_not_change_the_problem(rng, loss, radius):
    problem = problem_of(rng, loss, L1(0.05), n=30)
    best = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-7) | MaxPasses(20_000))
    result = solve(problem, MirrorProx(radius=radius), stopping=RelativeGap(1e-3) | MaxPasses(40_000))
    assert result.status.solved, result.message
    assert result.certificate.primal - best.certificate.primal <= result.certificate.gap + 1e-6
    # No minimiser lies beyond P(0) / strength.
    bound = problem.primal_value(np.zeros(problem.primal_shape)) / 0.05
    assert np.abs(best.w).sum() <= bound
    assert result.state.radius <= bound * (1 + 1e-12)


@each_loss
def test_weights_are_repetitions(rng, loss):
    one = problem_of(rng, loss, L1Ball(1.5), weight="none")
    A, counts = one.design.select_columns(np.arange(5)), np.arange(12) % 3
    twice = np.repeat(np.arange(12), counts)
    solver, rule = MirrorProx(), NEVER | MaxPasses(200)
    weighted = Problem(A, one.b, loss, L1Ball(1.5), sample_weight=counts)
    repeated = Problem(A[twice], one.b[twice], loss, L1Ball(1.5))
    first, second = (solve(problem, solver, stopping=rule) for problem in (weighted, repeated))
    assert first.certificate.primal == pytest.approx(second.certificate.primal, rel=1e-9)
    np.testing.assert_allclose(first.state.x, second.state.x, rtol=1e-7)
    np.testing.assert_allclose(first.state.y[twice], second.state.y, atol=1e-7)


@each_loss
def test_the_group_ball_with_one_class_pair_is_symmetric(rng, loss):
    """Two classes: w_1 = -w_2 is optimal, so that the group norm is the l1 norm over sqrt 2."""
    A, label = rng.normal(size=(20, 4)), rng.integers(2, size=20)
    b = np.eye(2)[label]
    rule = RelativeGap(1e-4) | MaxPasses(20_000)
    one = solve(Problem(A, b, loss, L1Ball(1.0)), MirrorProx(), stopping=rule)
    two = solve(Problem(A, b, loss, GroupL2Ball(np.sqrt(0.5))), MirrorProx(), stopping=rule)
    slack = one.certificate.gap + two.certificate.gap
    assert abs(one.certificate.primal - two.certificate.primal) <= slack


# The theory


@each_loss
@pytest.mark.parametrize("g", [L1Ball(0.7), L1Ball(3.0, l1=0.02)], ids=repr)
@pytest.mark.parametrize("weight", ["none", "positive", "zeros"])
@pytest.mark.parametrize("horizon", [10, 100, 1000])
def test_the_bound_of_mirror_descent(rng, loss, g, weight, horizon):
    problem = problem_of(rng, loss, g, weight=weight)
    lipschitz = game_of(problem, EntropyDual(), g.radius).lipschitz  # 2 L sqrt(Omega_U Omega_V)
    gap = gap_on_ball(problem, *_descent_average(problem, horizon))
    assert -1e-12 <= gap <= np.sqrt(5.0) * lipschitz / np.sqrt(horizon) * (1 + 1e-9)


@each_loss
def test_mirror_descent_begins_again_with_twice_the_horizon(rng, loss):
    problem = problem_of(rng, loss, L1Ball(0.7))
    solver = MirrorDescent(horizon=25)
    state = solver.init(problem, Start(), rng)
    first = state.x
    while state.horizon == 25:
        solver.run_epoch(problem, state)
    assert (state.steps, state.since, state.horizon) == (25, 0, 50)
    np.testing.assert_array_equal(state.x, first)
    w, u = _descent_average(problem, 25)
    np.testing.assert_allclose(state.u, u, atol=1e-12)
    assert problem.primal_value(state.w) <= problem.primal_value(w) + 0.06 * gap_on_ball(problem, w, u)


def _descent_average(problem: Problem, horizon: int):
    game = game_of(problem, EntropyDual(), problem.regularizer.radius)
    at, gamma = game.start(None, None), 2.0 / (game.lipschitz * np.sqrt(5.0 * horizon))
    w, u = np.zeros(problem.primal_shape), np.zeros_like(problem.b)
    for _ in range(horizon):
        play = game.play(at)
        w, u = w + play.w / horizon, u + play.u / horizon
        at = game.prox(at, play, gamma, game.scales)
    return w, u


@each_loss
@pytest.mark.parametrize("g", [L1Ball(0.7), L1Ball(3.0, l1=0.02)], ids=repr)
@pytest.mark.parametrize("weight", ["none", "positive", "zeros"])
@each_dual
def test_the_bound_of_mirror_prox(rng, loss, g, weight, dual):
    """``gap <= 2 L sqrt(Omega_U Omega_V) / T = 1 / sum(gamma)`` for the fixed step."""
    problem = problem_of(rng, loss, g, weight=weight)
    solver = MirrorProx(step_multiple=1.0, dual_geometry=dual)
    state = solver.init(problem, Start(), rng)
    lipschitz = game_of(problem, dual, g.radius).lipschitz
    for _ in range(20):
        solver.run_epoch(problem, state)
        average = state.average
        assert state.weight == pytest.approx(state.steps / lipschitz, rel=1e-9)
        gap = gap_on_ball(problem, average.w, average.u)
        assert -1e-12 <= gap <= lipschitz / state.steps * (1 + 1e-9)


@each_loss
@pytest.mark.parametrize("g", [L1Ball(0.7), L1Ball(3.0, l1=0.02)], ids=repr)
@each_dual
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_bound_of_the_adaptive_step(rng, loss, g, dual, scale):
    """``gap <= 1 / sum(gamma)`` without restarts, whatever steps were accepted."""
    drawn = problem_of(rng, loss, g)
    A = scale * drawn.design.select_columns(np.arange(5))
    problem = Problem(A, drawn.b, loss, L1Ball(g.radius / scale, g.l1 * scale), drawn.sample_weight)
    solver = MirrorProx(dual_geometry=dual)
    state = solver.init(problem, Start(), rng)
    state.mark = -1.0  # no gap is as small
    for _ in range(12):
        solver.run_epoch(problem, state)
        average = state.average
        assert -1e-12 <= gap_on_ball(problem, average.w, average.u) <= 1.0 / state.weight * (1 + 1e-9) + 1e-12
        assert state.gamma >= 1.0 / game_of(problem, dual, problem.regularizer.radius).lipschitz
    assert state.since == state.steps >= 60


@each_loss
@each_dual
@pytest.mark.parametrize("g", SETS, ids=repr)
def test_points_stay_inside(rng, loss, g, dual):
    problem = problem_of(rng, loss, g, kind="correlated")
    solver = MirrorProx(dual_geometry=dual)
    state = solver.init(problem, Start(), rng)
    for _ in range(15):
        solver.run_epoch(problem, state)
        game = game_of(problem, dual, state.radius)
        play = game.play(state.at)
        w, u = solver.extract(problem, state)
        for point in (play.w, w):
            limit = state.radius * (1 + 1e-12)
            norm = np.linalg.norm(point, axis=1) if isinstance(g, GroupL2Ball) else np.abs(point)
            assert norm.sum() <= limit
            assert np.isfinite(problem.primal_value(point))
        assert np.all(problem.loss.dual_domain(problem.b).contains(play.u))
        assert np.all(problem.loss.dual_domain(problem.b).contains(u))


def test_huge_steps_neither_overflow_nor_lose_an_entry(rng):
    """Logarithms: a step of 1e4 times the theory's sends entries below exp(-745), and back."""
    problem = problem_of(rng, MulticlassHinge(), L1Ball(50.0))
    solver = MirrorProx(step_multiple=1e4)
    state = solver.init(problem, Start(), rng)
    for _ in range(10):
        solver.run_epoch(problem, state)
    assert np.isfinite(state.x).all()
    assert state.x.min() < -745.0
    assert np.isfinite(problem.certify(*solver.extract(problem, state)).gap)


# Twins


@each_loss
@pytest.mark.parametrize("g", [L1Ball(0.7), L1Ball(3.0, l1=0.02)], ids=repr)
@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
@pytest.mark.parametrize("multiple", [1.0, 8.0, None])
def test_mirror_prox_is_its_twin(rng, loss, g, storage, multiple):
    drawn = problem_of(rng, loss, g)
    A = storage(drawn.design.select_columns(np.arange(5)))
    problem = Problem(A, drawn.b, loss, g, drawn.sample_weight)
    solver, game = MirrorProx(step_multiple=multiple), twin_of(problem)
    state = solver.init(problem, Start(), rng)
    state.mark = -1.0  # no restart
    for _ in range(3):
        solver.run_epoch(problem, state)
    assert state.since == state.steps == 15
    gamma, growth = (multiple or 1.0) / game.lipschitz, 1.3 if multiple is None else None
    last, average, weight = mirror_prox(game, gamma, 15, growth=growth)
    assert state.weight == pytest.approx(weight, rel=1e-12)
    np.testing.assert_allclose(np.exp(state.x).reshape(last.primal.shape), last.primal, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(np.exp(state.y), last.dual, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(state.average.w, average.primal[:5] - average.primal[5:], atol=1e-12)
    np.testing.assert_allclose(state.average.u, average.dual - problem.b, atol=1e-12)
    np.testing.assert_allclose(state.average.z, problem.scores(state.average.w), atol=1e-12)
    np.testing.assert_allclose(state.average.v, problem.correlation(state.average.u), atol=1e-12)


@each_loss
@pytest.mark.parametrize("weight", ["none", "positive", "zeros"])
def test_mirror_descent_is_its_twin(rng, loss, weight):
    problem = problem_of(rng, loss, L1Ball(3.0, l1=0.02), weight=weight)
    solver, game = MirrorDescent(horizon=40), twin_of(problem)
    state = solver.init(problem, Start(), rng)
    for _ in range(3):
        solver.run_epoch(problem, state)
    last, average = mirror_descent(game, 2.0 / (game.lipschitz * np.sqrt(200.0)), 30)
    np.testing.assert_allclose(np.exp(state.x).reshape(last.primal.shape), last.primal, rtol=1e-10)
    np.testing.assert_allclose(np.exp(state.y), last.dual, rtol=1e-10)
    np.testing.assert_allclose(state.average.w, average.primal[:5] - average.primal[5:], atol=1e-12)
    np.testing.assert_allclose(state.average.u, average.dual - problem.b, atol=1e-12)


# What is counted, and arguments


@each_loss
def test_a_step_reads_two_passes_an_operator(rng, loss):
    problem = problem_of(rng, loss, L1Ball(1.0))
    for solver, passes in ((MirrorProx(step_multiple=1.0), 4), (MirrorDescent(), 2)):
        state = solver.init(problem, Start(), rng)
        solver.run_epoch(problem, state)
        read, n_entries = state.entries_read, problem.design.n_entries
        assert read >= passes * state.steps * n_entries
        assert (read - passes * state.steps * n_entries) % n_entries == 0


def test_zeros_are_exact_where_the_optimum_has_them(rng):
    problem = problem_of(rng, Softmax(), L1(0.05), n=40, d=20)
    result = solve(problem, MirrorProx(), stopping=RelativeGap(1e-7) | MaxPasses(40_000))
    best = solve(problem, "proximal_gradient", stopping=RelativeGap(1e-10) | MaxPasses(40_000))
    assert result.status.solved
    assert np.count_nonzero(best.w) < best.w.size
    assert np.count_nonzero(result.w) <= np.count_nonzero(best.w) + 2


def test_a_starting_point_sets_the_radius_of_the_search(rng):
    problem = problem_of(rng, Softmax(), L1(0.05), n=30)
    bound = np.log(3) / 0.05
    for norm, radius in ((0.5 * bound, 0.5 * bound), (1e-3 * bound, 0.1 * bound), (9 * bound, bound)):
        w = np.zeros(problem.primal_shape)
        w[0] = norm / 3
        state = MirrorProx().init(problem, Start(w), rng)
        assert state.radius == pytest.approx(radius)
        assert np.exp(state.x).sum() <= radius * (1 + 1e-12)


def test_a_warm_start_begins_near(rng):
    problem = problem_of(rng, Softmax(), L1Ball(2.0), n=30)
    cold = solve(problem, MirrorProx(), stopping=RelativeGap(1e-5) | MaxPasses(20_000))
    state = MirrorProx().init(problem, Start(cold.w, cold.u), rng)
    begun = game_of(problem, EntropyDual(), 2.0).play(state.at)
    assert np.abs(begun.w - cold.w).sum() < np.abs(cold.w).sum()
    assert problem.primal_value(begun.w) < problem.primal_value(np.zeros(problem.primal_shape))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MirrorProx(step_multiple=0.0), r"^MirrorProx cannot use step_multiple=0\.0: it is not "),
        (lambda: MirrorProx(radius=np.inf), r"^MirrorProx cannot use radius=inf: "),
        (lambda: MirrorDescent(radius=True), r"^MirrorDescent cannot use radius=True: "),
        (lambda: MirrorDescent(horizon=0), r"^MirrorDescent cannot use horizon=0: a horizon is "),
        (lambda: MirrorDescent(horizon=2.5), r"^MirrorDescent cannot use horizon=2\.5: "),
    ],
)  # fmt: skip
def test_arguments_out_of_range(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make()


@pytest.mark.parametrize(("loss", "g"), list(product([MulticlassHinge(), Softmax()], SETS)), ids=repr)
def test_one_class_costs_nothing(loss, g):
    problem = Problem(np.eye(3), np.ones((3, 1)), loss, g)
    result = solve(problem, MirrorProx(), stopping=RelativeGap(1e-6) | MaxPasses(50))
    assert result.certificate.primal <= 1e-12
