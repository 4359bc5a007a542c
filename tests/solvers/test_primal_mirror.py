"""Primal methods for interpolation: what each step is sure of, and what the accumulated moves prove."""

import numpy as np
import pytest

from fenchel import (
    DualAscent,
    InvalidInputError,
    MaxPasses,
    Perceptron,
    PrimalMirrorDescent,
    Problem,
    UnsupportedProblemError,
    solve,
)
from fenchel._kernels.dual_ascent import dual_ascent_pass
from fenchel._kernels.primal_mirror import primal_mirror_pass
from fenchel.losses import (
    BallConstraint,
    EqualityConstraint,
    IntervalConstraint,
    Logistic,
    LowerBoundConstraint,
    MarginConstraint,
    SimplexConstraint,
    SquaredDistance,
)
from fenchel.regularizers import RelativeEntropy, Ridge, SquaredLp
from fenchel.solvers.base import Start
from fenchel.solvers.interpolation.setting import constraint_arrays, curvatures, map_arrays
from stored import stored

N, D, K = 8, 20, 3
LOSSES = {
    "point": EqualityConstraint(),
    "margin": MarginConstraint(),
    "half-line": LowerBoundConstraint(),
    "interval": IntervalConstraint(0.05),
    "ball": BallConstraint(0.02),
    "simplex": SimplexConstraint(),
}
MIRRORS = [SquaredLp(2.0), SquaredLp(1.5, strength=2.0), SquaredLp(1.2), Ridge(0.5), RelativeEntropy()]

each_loss = pytest.mark.parametrize("name", LOSSES)
each_mirror = pytest.mark.parametrize("g", MIRRORS, ids=repr)


def feasible(rng: np.random.Generator, name: str, g) -> tuple[Problem, np.ndarray]:
    """A problem, and coefficients of its set that meet all constraints."""
    loss = LOSSES[name]
    k = K if loss.vector_output else 1
    w = rng.dirichlet(np.ones(D * k)).reshape(D, k)
    if not isinstance(g, RelativeEntropy):
        w = w * rng.choice([-1.0, 1.0], size=(D, k))
    A = rng.normal(size=(N, D))
    z = A @ w
    if name == "simplex":
        # Rows that some probabilities bring into the simplex: all sum to one over the outputs.
        A = np.abs(A) if isinstance(g, RelativeEntropy) else A
        wanted = rng.dirichlet(np.ones(k), size=N)
        A = np.column_stack([A, np.eye(N)])
        w = np.vstack([w, wanted - z]) if not isinstance(g, RelativeEntropy) else w
        z = A[:, : w.shape[0]] @ w
    if name == "margin":
        b = rng.choice([-1.0, 1.0], size=N)
        A += ((b * (1.0 + rng.random(N)) - z[:, 0]) / float(np.sum(w**2)))[:, None] * w[:, 0]
        return Problem(A, b, loss, g, sample_weight=rng.random(N) + 0.5), w[:, 0]
    if k == 1:
        offset = {"point": 0.0, "half-line": -0.05, "interval": 0.03}[name]
        return Problem(A, z[:, 0] + offset, loss, g, sample_weight=rng.random(N) + 0.5), w[:, 0]
    return Problem(A, z, loss, g, sample_weight=rng.random(N) + 0.5), w


def divergence(problem: Problem, w: np.ndarray, t: np.ndarray) -> float:
    """``D_g(w, grad g*(t))``, by Fenchel and Young."""
    g = problem.regularizer
    return g.value(w) + g.conjugate(t) - float(np.sum(t * w))


@each_loss
@each_mirror
@pytest.mark.parametrize("common", [False, True])
def test_every_step_comes_nearer_to_every_feasible_point(rng, name, g, common):
    """``D(w*, w_t) <= D(w*, w_{t-1}) - gamma (2 - gamma L_i) dist^2 / 2``, exactly."""
    if name == "simplex" and isinstance(g, RelativeEntropy):
        return  # no probabilities put the scores of all rows into simplices
    problem, w = feasible(rng, name, g)
    solver = PrimalMirrorDescent(common_step=common)
    state = solver.init(problem, Start(), rng)
    sets, mirror, curvature = constraint_arrays(problem), map_arrays(problem), curvatures(problem)
    distance, moved = divergence(problem, w, state.t), 0.0
    for i in rng.integers(N, size=60):
        z = problem.scores(g.lmo(-state.t))
        far, step = problem.loss.distance(z, problem.b)[i], state.step[i]
        primal_mirror_pass(problem.design.rows, np.array([i]), sets, state.step, mirror, state.a, state.t)
        new = divergence(problem, w, state.t)
        fall = 0.5 * step * (2.0 - step * curvature[i]) * far**2
        assert new <= distance - fall + 1e-12 * (1.0 + distance)
        distance, moved = new, moved + fall
    assert moved > 0.0


@pytest.mark.parametrize("g", MIRRORS, ids=repr)
def test_dual_ascent_is_mirror_descent_on_points(rng, g):
    """Lemma 2, with the steps 1 / L_i; half-lines coincide until an index comes again."""
    for name, order in (("point", rng.integers(N, size=100)), ("half-line", rng.permutation(N))):
        problem, _ = feasible(rng, name, g)
        sets, mirror, curvature = constraint_arrays(problem), map_arrays(problem), curvatures(problem)
        a, t, moves, image = np.zeros(N), np.zeros(D), np.zeros(N), np.zeros(D)
        for i in order:
            one = np.array([i])
            dual_ascent_pass(problem.design.rows, one, sets, curvature, mirror, 0, a, t, np.zeros(2))
            primal_mirror_pass(problem.design.rows, one, sets, 1.0 / curvature, mirror, moves, image)
            scale = 1.0 + np.abs(a).max()
            np.testing.assert_allclose(moves, a, rtol=1e-14, atol=1e-14 * scale)
            np.testing.assert_allclose(image, t, rtol=1e-13, atol=1e-13 * scale)


def test_half_lines_differ_once_an_index_comes_again():
    """A row of dual ascent takes back what it has moved too far; the primal method forgets it."""
    A, b = np.array([[1.0, 0.0], [1.0, 0.1]]), np.array([1.0, 5.0])
    problem = Problem(A, b, LowerBoundConstraint(), SquaredLp(2.0))
    sets, mirror, curvature = constraint_arrays(problem), map_arrays(problem), curvatures(problem)
    a, t, moves, image = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    order = np.tile([0, 1], 200)
    dual_ascent_pass(problem.design.rows, order, sets, curvature, mirror, 0, a, t, np.zeros(2))
    primal_mirror_pass(problem.design.rows, order, sets, 1.0 / curvature, mirror, moves, image)
    assert a[0] == 0.0
    assert moves[0] == 1.0


def test_the_mean_distance_falls_as_the_theorem_says(rng):
    """``E F(mean of w) <= max L g(w*) / t`` from zero, over 100 runs."""
    problem, w = feasible(rng, "margin", SquaredLp(1.5))
    best = solve(problem, DualAscent(), stopping=MaxPasses(100))
    smallest = problem.regularizer.conjugate(best.state.t)
    sets, mirror, curvature = constraint_arrays(problem), map_arrays(problem), curvatures(problem)
    step, steps, runs = np.full(N, 1.0 / curvature.max()), (10, 40, 160), 100
    found = np.zeros(len(steps))
    for run in range(runs):
        order = np.random.default_rng(run).integers(N, size=steps[-1])
        a, t, total = np.zeros(N), np.zeros(D), np.zeros(D)
        for index, i in enumerate(order, start=1):
            total += problem.regularizer.lmo(-t)
            primal_mirror_pass(problem.design.rows, np.array([i]), sets, step, mirror, a, t)
            if index in steps:
                distance = problem.loss.distance(problem.scores(total / index), problem.b)
                found[steps.index(index)] += 0.5 * np.mean(distance**2) / runs
    assert np.all(found <= curvature.max() * smallest / np.array(steps))
    assert smallest <= problem.regularizer.value(w)


def test_a_stored_run_of_mirror_descent():
    """Twelve steps on ``(1/2) (1 - z)_+^2`` with the step 1 / max L, to twelve digits."""
    data = stored("interpolation.json")
    record = next(trace for trace in data["traces"] if trace["method"].startswith("primal SMD"))
    y = np.array(data["problems"][0]["y"])
    problem = Problem(np.array(data["X"]), y, MarginConstraint(), SquaredLp(record["p"]))
    state = PrimalMirrorDescent().init(problem, Start(), np.random.default_rng(0))
    primal_mirror_pass(
        problem.design.rows, np.array(record["seq"]), constraint_arrays(problem), state.step,
        map_arrays(problem), state.a, state.t,
    )  # fmt: skip
    w, _ = PrimalMirrorDescent().extract(problem, state)
    np.testing.assert_allclose(w, record["theta"], rtol=1e-12, atol=1e-13)


@each_loss
@each_mirror
def test_the_moves_are_a_dual_point_whose_value_bounds_the_optimum(rng, name, g):
    if name == "simplex" and isinstance(g, RelativeEntropy):
        return
    problem, w = feasible(rng, name, g)
    solver = PrimalMirrorDescent()
    state = solver.init(problem, Start(), np.random.default_rng(0))
    values = []
    for _ in range(12):
        solver.run_epoch(problem, state)
        np.testing.assert_allclose(state.t, problem.design.rmatvec(state.a), rtol=1e-10, atol=1e-11)
        w_t, u = solver.extract(problem, state)
        assert problem.loss.dual_domain(problem.b).contains(u).all()
        values.append(problem.certify(w_t, u).dual)
    assert max(values) <= g.value(w) * (1.0 + 1e-12)
    assert values[-1] > 0.0


@pytest.mark.parametrize("g", MIRRORS, ids=repr)
def test_mirror_descent_reaches_the_constraints_and_the_smallest_g(rng, g):
    problem, w = feasible(rng, "point", g)
    solver = PrimalMirrorDescent(common_step=False)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    while state.epoch < 150:
        solver.run_epoch(problem, state)
    found, u = solver.extract(problem, state)
    np.testing.assert_allclose(problem.scores(found), problem.b, atol=1e-5)
    assert g.value(found) <= g.value(w) + 1e-5
    assert problem.certify(found, u).dual == pytest.approx(g.value(found), rel=1e-4)


@pytest.mark.parametrize("g", [SquaredLp(2.0), SquaredLp(1.5), SquaredLp(1.2)], ids=repr)
def test_the_perceptron_makes_no_more_moves_than_its_bound(rng, g):
    """At most ``R^2 |w*|_p^2 / (p - 1)``, with R the largest q-norm of a row and 1 / |w*|_p the margin."""
    problem, w = feasible(rng, "margin", g)
    solver = Perceptron(step_size=1.0)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    for _ in range(60):
        solver.run_epoch(problem, state)
    moves = np.abs(state.a).sum()
    # strength 1: L_i = |x_i|_q^2 / (p - 1), and g is half the squared norm
    assert 0 < moves <= curvatures(problem).max() * 2.0 * g.value(w)
    scores = problem.b * problem.scores(solver.extract(problem, state)[0])
    assert np.all(scores > 0.0)
    before = state.a.copy()
    solver.run_epoch(problem, state)
    np.testing.assert_array_equal(state.a, before)


@pytest.mark.parametrize("margin", [0.0, 1.0])
@pytest.mark.parametrize("g", MIRRORS, ids=repr)
def test_the_perceptron_bounds_the_best_margin(rng, margin, g):
    problem, w = feasible(rng, "margin", g)
    solver = Perceptron(margin=margin)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    for _ in range(15):
        solver.run_epoch(problem, state)
    found, u = solver.extract(problem, state)
    assert np.all(problem.b * u <= 0.0)
    dual = problem.certify(found, u).dual
    assert dual <= g.value(w) * (1.0 + 1e-12)
    assert dual > 0.0 or isinstance(g, RelativeEntropy)


@pytest.mark.parametrize("solver", [PrimalMirrorDescent(), Perceptron()], ids=lambda solver: solver.name)
def test_a_step_scale_and_weights_of_zero(rng, solver):
    """Rows of weight 0 are no constraints: nothing moves along them."""
    problem, _ = feasible(rng, "margin", SquaredLp(1.5))
    weight = np.ones(N)
    weight[:3] = 0.0
    one = Problem(problem.design, problem.b, problem.loss, problem.regularizer, sample_weight=weight)
    state = solver.init(one, Start(), np.random.default_rng(0))
    for _ in range(10):
        solver.run_epoch(one, state)
    assert not state.a[:3].any()
    assert state.a[3:].any()
    rows = one.design.n_entries / N
    passes = sum(1 + epoch // 3 for epoch in range(10))
    assert state.entries_read == passes * 5 * rows


def test_refusals(rng):
    A, b = np.eye(2), np.array([1.0, -1.0])
    for solver, problem, reason in (
        (
            "perceptron",
            Problem(A, b, EqualityConstraint(), SquaredLp(2.0)),
            "it learns from mistakes on labels",
        ),
        ("perceptron", Problem(A, b, Logistic(), SquaredLp(2.0)), "it learns from mistakes on labels"),
        (
            "primal_mirror_descent",
            Problem(A, b, SquaredDistance(MarginConstraint()), SquaredLp(2.0)),
            "its steps aim at the sets themselves, and there is slack",
        ),
    ):
        with pytest.raises(UnsupportedProblemError, match=reason):
            solve(problem, solver)
    with pytest.raises(InvalidInputError, match=r"^margin=-1\.0 is not a finite number of at least 0"):
        Perceptron(margin=-1.0)
    with pytest.raises(InvalidInputError, match=r"^step_size=0 is not"):
        Perceptron(step_size=0)
