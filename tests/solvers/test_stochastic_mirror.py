"""SMD and SSM: equality with their dense twins, the bounds of their theorems, draws, steps and radii."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import draw
from fenchel import SMD, SSM, InvalidInputError, MaxPasses, Problem, RelativeGap, Start, solve
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.reference import stochastic_mirror as twin
from fenchel.reference.stochastic_subgradient import entropic_subgradient, euclidean_subgradient
from fenchel.regularizers import L1, L1Ball
from fenchel.solvers.mirror.entropic_sampling import row_maxima
from fenchel.solvers.mirror.euclidean_rows import shrinking_sum
from fenchel.solvers.mirror.sampled_products import drawn, line_entries

NEVER = RelativeGap(0.0)
LOSSES = (MulticlassHinge(), Softmax())
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
each_kind = pytest.mark.parametrize("kind", ["gaussian", "sparse", "degenerate"])
each_geometry = pytest.mark.parametrize("geometry", ["euclidean", "entropic"])


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


def game_of(problem: Problem) -> twin.LiftedGame:
    g = problem.regularizer
    return twin.LiftedGame(
        dense(problem), problem.b, problem.sample_weight, not problem.loss.smooth, g.l1, g.radius
    )


@each_loss
@each_kind
@pytest.mark.parametrize("sampling", ["partial", "full"])
@pytest.mark.parametrize("rows", ["optimal", "static"])
def test_smd_is_its_twin(rng, loss, kind, sampling, rows):
    """Some epochs of the solver against the twin, whose probabilities turn the same uniforms into draws."""
    problem = draw(rng, loss, L1Ball(1.5, l1=0.02), n=12, d=5, kind=kind, weight="zeros")
    solver = SMD(sampling=sampling, rows=rows, step_multiple=4.0)
    state = solver.init(problem, Start(), np.random.default_rng(5))
    times = [0]
    for _ in range(6):
        solver.run_epoch(problem, state)
        times.append(state.time)
    game, full, static = game_of(problem), sampling == "full", rows == "static"
    d, (n, k) = problem.n_features, problem.b.shape
    log_U, log_V = np.full((2 * d, k), np.log(1.5 / (2 * d * k))), np.full((n, k), -np.log(k))
    w_total, V_total, weight = np.zeros((d, k)), np.zeros((n, k)), 0.0
    same = np.random.default_rng(5)
    for begin, end in itertools.pairwise(times):
        gamma = 4.0 * theorem_step(problem, end)
        for uniforms in same.random((end - begin, 4)):
            U, V = np.exp(log_U), np.exp(log_V)
            w_total += gamma * (U[:d] - U[d:])
            V_total += gamma * V
            weight += gamma
            j = drawn(twin.row_probabilities(game, V, full, static), uniforms[0])
            i = drawn(twin.column_probabilities(game, U, full), uniforms[2])
            classes = drawn(np.abs(V - game.b)[j], uniforms[1]), drawn(U[i], uniforms[3])
            estimates = twin.full_estimates if full else twin.partial_estimates
            of_draw = (j, classes[0], i, classes[1]) if full else (j, i)
            scores, slope = estimates(game, U, V, of_draw, static)
            log_U, log_V = twin.mirror_step(game, log_U, log_V, slope, scores, gamma)
    np.testing.assert_allclose(state.x.reshape(2 * d, k), log_U, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(state.y, log_V, rtol=1e-12, atol=1e-12)
    w, u = solver.extract(problem, state)
    np.testing.assert_allclose(w, w_total / weight, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(u + problem.b, V_total / weight, rtol=1e-12, atol=1e-13)
    assert times[-1] >= 6
    assert np.abs(w).max() > 0


def theorem_constants(problem: Problem) -> float:
    """``10 a + 3 c`` of the theorem, from the matrix itself."""
    game, n = game_of(problem), problem.n_samples
    primal, dual = game.radius**2 * game.primal_log, n * game.dual_log
    column, row = game.column_size.max(), game.row_size.sum()
    noise_u, noise_v = 4 * game.radius**2 * column**2 / n**2, 8 * column**2 / n + 8 * row**2 / n**2
    return 10 * (column / n) ** 2 * primal * dual + 3 * (primal * noise_v + dual * noise_u)


def theorem_step(problem: Problem, steps: int) -> float:
    return math.sqrt(2.0 / (steps * theorem_constants(problem)))


def planted(rng: np.random.Generator, loss, g, n: int = 40, d: int = 4, k: int = 3) -> Problem:
    A = rng.normal(size=(n, d))
    labels = (A[:, :k] + 0.2 * rng.normal(size=(n, k))).argmax(axis=1)
    return Problem(A, np.eye(k)[labels], loss, g)


@each_loss
@pytest.mark.parametrize("sampling", ["partial", "full"])
def test_the_bound_of_smd(rng, loss, sampling):
    problem = planted(rng, loss, L1Ball(3.0, l1=0.01))
    steps = 4000
    bound = 2.0 * math.sqrt(2.0 * theorem_constants(problem) / steps)
    begun = problem.certify(np.zeros((4, 3)), np.full((40, 3), 1 / 3) - problem.b).gap
    gaps = []
    for seed in range(2):
        solver = SMD(sampling=sampling, steps=steps, step_multiple=1.0)
        state = solver.init(problem, Start(), np.random.default_rng(seed))
        while state.time < steps:
            solver.run_epoch(problem, state)
        assert state.time == steps
        w, u = solver.extract(problem, state)
        gaps.append(problem.primal_value(w) - problem.dual_value(u))
    assert np.mean(gaps) <= bound
    assert np.mean(gaps) < 0.7 * begun


def optimum(problem: Problem, l1: float) -> tuple[float, np.ndarray]:
    """The optimum without the ball, by another solver."""
    free = Problem(problem.design, problem.b, problem.loss, L1(l1))
    best = solve(free, "multiclass_sdca", stopping=RelativeGap(1e-7) | MaxPasses(20_000))
    assert best.status.solved
    return best.certificate.primal, best.w


@each_loss
def test_the_bounds_of_ssm(rng, loss):
    l1, steps = 0.02, 8_000
    problem = planted(rng, loss, L1(l1))
    value, w = optimum(problem, l1)
    A = dense(problem)
    norm, n_entries = np.abs(w).sum(), 2 * w.size
    at_zero = problem.primal_value(np.zeros_like(w))
    bounds = {
        "euclidean": norm * math.sqrt(2 * np.mean(np.sum(A**2, axis=1)) / steps),
        "entropic": norm * math.sqrt(2 * np.log(n_entries) * np.mean(np.abs(A).max(axis=1) ** 2) / steps),
    }
    for geometry, bound in bounds.items():
        ball = Problem(problem.design, problem.b, loss, L1Ball(norm * (1 + 1e-9), l1=l1))
        solver = SSM(geometry=geometry, steps=steps)
        points = []
        for seed in range(2):
            state = solver.init(ball, Start(), np.random.default_rng(seed))
            while state.time < steps:
                solver.run_epoch(ball, state)
            points.append(problem.primal_value(solver.extract(ball, state)[0]) - value)
        assert -1e-6 <= np.mean(points) <= bound
        assert bound < 0.8 * (at_zero - value)


@each_loss
@each_kind
@each_geometry
@pytest.mark.parametrize("radius", [0.3, 50.0])
def test_ssm_is_its_twin(rng, loss, kind, geometry, radius):
    """Lazy steps on the entries of the rows, and steps on all of w, are the same.

    Steps four times as long multiply a difference of rounding size by some 1e6 in one of these cases.
    """
    l1 = 0.01
    problem = draw(rng, loss, L1Ball(radius, l1=l1), n=12, d=6, kind=kind, weight="positive", scale=3.0)
    solver = SSM(geometry=geometry, step_multiple=0.5)
    state = solver.init(problem, Start(), np.random.default_rng(3))
    same = np.random.default_rng(3)
    A, s, b = dense(problem), problem.sample_weight, problem.b
    size = 2 * math.prod(problem.primal_shape)
    if geometry == "euclidean":
        run, point = euclidean_subgradient, np.zeros(problem.primal_shape)
        reach = min(radius, problem.primal_value(point) / l1)
        unit = reach / math.sqrt(2 * np.mean(s * np.sum(A**2, axis=1)))
    else:
        run, point = entropic_subgradient, np.full((2, *problem.primal_shape), np.log(radius / size))
        unit = radius * math.sqrt(2 * np.log(size) / np.mean(s * np.abs(A).max(axis=1) ** 2))
    total, weight, time = np.zeros(problem.primal_shape), 0.0, 0
    for _ in range(20):
        solver.run_epoch(problem, state)
        count = state.time - time
        order = same.choice(12, size=count, p=s / 12)
        gamma = np.full(count, 0.5 * unit / math.sqrt(state.time))
        point, part = run(A, order, loss, b, gamma, l1, radius, point)
        total, weight, time = total + part, weight + gamma.sum(), state.time
    now = 2 * np.exp(state.log_scale) * np.sinh(state.point) if geometry == "entropic" else state.point
    expected = np.exp(point[0]) - np.exp(point[1]) if geometry == "entropic" else point
    np.testing.assert_allclose(now, expected, rtol=1e-9, atol=1e-11)
    w = solver.extract(problem, state)[0]
    np.testing.assert_allclose(w, total / weight, rtol=1e-9, atol=1e-11)
    assert np.abs(now).sum() <= radius * (1 + 1e-12)


def test_ssm_with_steps_that_leave_the_range_of_exponentials(rng):
    """A single huge row moves the logarithms by hundreds: the offset follows, and nothing overflows."""
    A = rng.normal(size=(9, 4)) * np.where(np.arange(9) == 4, 1e4, 1.0)[:, None]
    problem = Problem(A, np.eye(3)[rng.integers(3, size=9)], Softmax(), L1Ball(2.0))
    solver = SSM(geometry="entropic", step_multiple=300.0)
    state = solver.init(problem, Start(), rng)
    for _ in range(10):
        solver.run_epoch(problem, state)
    assert np.abs(state.point).max() > 400
    w = solver.extract(problem, state)[0]
    assert np.isfinite(w).all()
    assert 0 < np.abs(w).sum() <= 2.0 * (1 + 1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.3])
def test_the_sum_of_shrinking_points(rng, threshold):
    w, count = rng.normal(size=(5, 3)), np.array([0, 1, 2, 7, 30])[:, None]
    expected = np.zeros_like(w)
    for m in range(30):
        shrunk = np.sign(w) * np.maximum(np.abs(w) - m * threshold, 0.0)
        expected += np.where(m < count, shrunk, 0.0)
    np.testing.assert_allclose(shrinking_sum(w, count, threshold), expected, atol=1e-13)


@pytest.mark.parametrize("solver", [SMD(), SSM(), SSM(geometry="entropic")], ids=repr)
def test_rounding_does_not_leave_the_ball(rng, solver):
    problem = planted(rng, Softmax(), L1Ball(3.0))
    state = solver.init(problem, Start(), rng)
    state.weight, state.w_total[0, 0] = 7.0, 21.0 * (1 + 1e-9)
    w = solver.extract(problem, state)[0]
    assert w[0, 0] == pytest.approx(3.0, rel=1e-15)
    assert np.isfinite(problem.primal_value(w))


def test_drawn_follows_the_weights():
    weights = np.array([0.0, 2.0, 0.0, 1.0, 1.0, 0.0])
    grid = (np.arange(400) + 0.5) / 400
    counts = np.bincount([drawn(weights, x) for x in grid], minlength=6)
    np.testing.assert_array_equal(counts, [0, 200, 0, 100, 100, 0])
    assert drawn(weights, 0.0) == 1
    assert drawn(weights, 1.0) == 4
    assert drawn(np.zeros(3), 0.5) == drawn(np.zeros(0), 0.5) == -1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lines(rng, dtype):
    A = (rng.normal(size=(6, 4)) * (rng.random((6, 4)) < 0.5)).astype(dtype)
    A[2] = 0.0
    b = np.eye(3)[rng.integers(3, size=6)]
    for stored in (A, sp.csr_array(A)):
        lines = Problem(stored, b, Softmax(), L1(0.1)).design.rows
        np.testing.assert_array_equal(row_maxima(lines), np.abs(A).max(axis=1))
        for j in range(6):
            row = np.zeros(4)
            where, entries = line_entries(lines, j)
            row[where] = entries
            assert entries.dtype == np.float64
            np.testing.assert_array_equal(row, A[j])


@each_loss
@pytest.mark.parametrize("solver", [SMD(), SMD(sampling="full"), SSM(), SSM(geometry="entropic")], ids=repr)
def test_certificates_are_never_optimistic(rng, loss, solver):
    problem = planted(rng, loss, L1(0.05))
    value, _ = optimum(problem, 0.05)
    result = solve(problem, solver, stopping=NEVER | MaxPasses(300))
    for record in result.trace:
        assert record.certificate.dual <= value + 1e-7
        assert record.certificate.primal >= value - 1e-6
    assert result.certificate.gap < 0.7 * result.trace[0].certificate.gap


@pytest.mark.parametrize("solver", [SMD, SSM])
def test_the_radius_grows_until_the_ball_holds_the_optimum(rng, solver):
    problem = planted(rng, Softmax(), L1(0.03))
    _, w = optimum(problem, 0.03)
    options = {"radius": 0.4, "step_multiple": 8.0}
    chosen = solver(**options, **({"geometry": "entropic"} if solver is SSM else {}))
    radius = solve(problem, chosen, stopping=NEVER | MaxPasses(600)).state.radius
    norm = np.abs(w).sum()
    assert norm > 2.0
    assert 0.8 * norm <= radius <= math.log(3) / 0.03 * (1 + 1e-12)


@pytest.mark.parametrize("solver", [SMD(), SSM(), SSM(geometry="entropic")], ids=repr)
@each_loss
def test_a_start_is_kept_for_the_most_part(rng, solver, loss):
    problem = planted(rng, loss, L1Ball(4.0))
    w = np.zeros((4, 3))
    w[0, 0], w[1, 2] = 2.0, -1.0
    state = solver.init(problem, Start(w), rng)
    solver.run_epoch(problem, state)
    cold = solver.init(problem, Start(), np.random.default_rng(0))
    solver.run_epoch(problem, cold)
    near = np.abs(solver.extract(problem, state)[0] - w).sum()
    assert near < 0.75 * np.abs(solver.extract(problem, cold)[0] - w).sum()


@pytest.mark.parametrize("solver", [SMD(), SMD(sampling="full"), SSM(), SSM(geometry="entropic")], ids=repr)
@pytest.mark.parametrize("k", [1, 2])
def test_nothing_to_learn(solver, k):
    """A matrix of zeros, or one class: the steps have nothing to go by, and go on."""
    b = np.eye(2)[[0, 1, 0, 1]][:, :k] if k == 2 else np.ones((4, 1))
    for A in (np.zeros((4, 3)), np.ones((4, 3))):
        problem = Problem(A, b, MulticlassHinge(), L1Ball(2.0, l1=0.1))
        result = solve(problem, solver, stopping=NEVER | MaxPasses(3))
        assert np.isfinite(result.w).all()
        assert result.certificate.gap >= 0.0


def test_entries_read(rng):
    A = sp.csr_array(rng.normal(size=(20, 8)) * (rng.random((20, 8)) < 0.4))
    b = np.eye(3)[rng.integers(3, size=20)]
    problem = Problem(A, b, MulticlassHinge(), L1Ball(2.0))
    state = SSM().init(problem, Start(), np.random.default_rng(2))
    SSM().run_epoch(problem, state)
    order = np.random.default_rng(2).choice(20, size=20, p=problem.sample_weight / 20)
    assert state.entries_read == problem.design.row_counts[order].sum()
    state = SMD().init(problem, Start(), rng)
    SMD().run_epoch(problem, state)
    longest = problem.design.row_counts.max() + problem.design.column_counts.max()
    assert 0 < state.entries_read <= state.time * longest


@pytest.mark.parametrize(
    ("solver", "arguments", "message"),
    [
        (SMD, {"sampling": "none"}, r"sampling='none' is unknown\. Use one of \('partial', 'full'\)\."),
        (SMD, {"rows": "all"}, r"rows='all' is unknown"),
        (SMD, {"steps": 0}, r"steps=0 is not a whole number above 0"),
        (SMD, {"step_multiple": 0.0}, r"step_multiple=0\.0"),
        (SMD, {"radius": math.inf}, r"radius=inf"),
        (SSM, {"geometry": "round"}, r"geometry='round' is unknown"),
        (SSM, {"steps": 2.5}, r"steps=2\.5 is not a whole number"),
        (SSM, {"step_multiple": -1}, r"step_multiple=-1"),
        (SSM, {"radius": True}, r"radius=True"),
    ],
)
def test_arguments(solver, arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        solver(**arguments)
