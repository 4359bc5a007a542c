"""PSGD and SPD1: stored traces, rates, the box that they stay in, and what they read."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_solvers import draw
from fenchel import PSGD, SPD1, InvalidInputError, MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    Loss,
    Quantile,
    SmoothedHinge,
    Squared,
    SquaredHinge,
)
from fenchel.losses.registry import get_loss
from fenchel.reference.spd1 import spd1_steps
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, NoPenalty, Regularizer, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.stochastic.averages import lazy_average
from fenchel.solvers.stochastic.radius import Reach
from stored import stored

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
PENALTIES = [
    L1(0.02),
    Ridge(0.1),
    ElasticNet(0.02, 0.05, weights=(1.0, 0.0, 2.0, 0.5, 1.0, 1.0, 3.0, 0.2)),
    NonNegative(l1=0.01, l2=0.1),
    Box(-0.3, 0.4),
    NoPenalty(),
]
NEVER = RelativeGap(0.0)

each_solver = pytest.mark.parametrize("solver", [PSGD(), SPD1()], ids=lambda s: s.name)
each_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
each_penalty = pytest.mark.parametrize("g", PENALTIES, ids=repr)


def medium(rng, loss: Loss, g: Regularizer, **options) -> Problem:
    defaults = {"n": 30, "d": 8, "kind": "gaussian", "weight": "zeros", "intercept": True}
    return draw(rng, loss, g, **defaults | options)


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


@pytest.mark.parametrize("index", range(4))
def test_the_stored_traces_of_spd1(index):
    trace, data = stored("spd-traces.json")["traces"][index], stored("spd-optima.json")
    loss = get_loss(trace["loss"])
    A, b = np.array(data["A_dense"]), data["b_class" if loss.task == "classification" else "b_reg"]
    problem = Problem(A, b, loss, ElasticNet(trace["l1"], trace["l2"]))
    state = SPD1().init(problem, Start(), np.random.default_rng(0))
    np.testing.assert_allclose(state.u, trace["y0"], atol=1e-13)
    w, u, w_total, u_total = state.w, state.u, np.zeros(5), np.zeros(8)
    spd1_steps(
        A, trace["i"], trace["j"], loss, problem.b, problem.sample_weight, problem.coordinate_form,
        np.ones(5), np.full(8, 1 / 5), state.primal, state.dual, 0, w, u, w_total, u_total,
    )  # fmt: skip
    np.testing.assert_allclose(w, trace["x_T"], atol=1e-12)
    np.testing.assert_allclose(u, trace["y_T"], atol=1e-12)
    np.testing.assert_allclose(w_total / 12, trace["x_avg"], atol=1e-12)
    np.testing.assert_allclose(u_total / 12, trace["y_avg"], atol=1e-12)
    assert problem.primal_value(w_total / 12) == pytest.approx(trace["P_avg"], abs=1e-12)
    assert problem.dual_value(u_total / 12) == pytest.approx(trace["D_avg"], abs=1e-12)


def test_the_steps_of_spd1_on_dense_data_are_those_of_the_corrected_theorems(rng):
    n, d = 30, 8
    both = medium(rng, SmoothedHinge(0.5), Ridge(0.1), weight="none", intercept=False)
    state = SPD1().init(both, Start(), rng)
    for t in (0, 1, 1000):
        eta, tau = (1.0 / (c[0] + c[1] * t + c[2] * np.sqrt(t + 1)) for c in (state.primal[3], state.dual[4]))
        assert eta == pytest.approx(2 * d / (0.1 * (t + 4 * d)), rel=1e-13)
        assert tau == pytest.approx(2 * n * d / (0.5 * (t + 4 * n)), rel=1e-13)
    neither = medium(rng, Hinge(), Box(-0.3, 0.4), weight="none", intercept=False)
    A, state = dense(neither), SPD1().init(neither, Start(), rng)
    length, row = 0.4 * np.sqrt(d), np.linalg.norm(A) / np.sqrt(n)
    column = np.linalg.norm(A, axis=0).max()
    for t in (0, 1, 1000):
        eta, tau = (1.0 / (c[0] + c[1] * t + c[2] * np.sqrt(t + 1)) for c in (state.primal[3], state.dual[4]))
        assert eta == pytest.approx(np.sqrt(d) * length / (row * np.sqrt(t + 1)), rel=1e-12)
        assert tau == pytest.approx(np.sqrt(d) * n / (length * column * np.sqrt(t + 1)), rel=1e-12)


@each_solver
@each_loss
@each_penalty
@pytest.mark.parametrize("kind", ["sparse", "degenerate"])
def test_points_stay_in_their_sets(rng, solver, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, solver, stopping=NEVER | MaxPasses(30)).state
    form = problem.coordinate_form
    assert np.isfinite(state.w).all()
    w, u = solver.extract(problem, state)
    for point in (state.w, w):
        assert np.all((form.lower <= point) & (point <= form.upper))
    if u is not None:
        assert loss.dual_domain(problem.b).contains(u).all()
    if solver.name == "spd1":
        assert loss.dual_domain(problem.b).contains(state.u).all()
        assert np.all((state.lower <= state.w) & (state.w <= state.upper))


@each_solver
@each_loss
@pytest.mark.parametrize("g", PENALTIES[:-1], ids=repr)
def test_certificates_are_never_optimistic(rng, solver, loss, g):
    problem = medium(rng, loss, g, kind="correlated")
    name = "primal_cd" if loss.smooth else "sdca"
    best = solve(problem, name, stopping=RelativeGap(1e-9) | MaxPasses(5000)).certificate
    result = solve(problem, solver, stopping=NEVER | MaxPasses(100))
    for record in result.trace:
        assert record.certificate.dual <= best.primal + 1e-11
        assert record.certificate.primal >= best.dual - 1e-11


def generated(loss: Loss, g: Regularizer, density: float) -> Problem:
    rng = np.random.default_rng(4)
    A = rng.normal(size=(80, 30)) / np.sqrt(30 * density)
    A = A if density == 1.0 else sp.csr_array(A * (rng.random((80, 30)) < density))
    z = A @ rng.normal(size=30)
    return Problem(A, np.sign(z) if loss.task == "classification" else z, loss, g)


def slope(problem: Problem, solver, few: int, many: int) -> float:
    """The power of the passes by which the gap closes, from a few to many, on the mean of three runs."""
    gaps = np.zeros((3, 2))
    for seed in range(3):
        trace = solve(problem, solver, stopping=NEVER | MaxPasses(many), rng=seed).trace
        for column, passes in enumerate((few, many)):
            gaps[seed, column] = min(r.certificate.gap for r in trace if r.passes <= 1.11 * passes)
    first, last = np.log(gaps).mean(axis=0)
    return float((last - first) / np.log(many / few))


@each_solver
@pytest.mark.parametrize("density", [1.0, 0.3])
@pytest.mark.parametrize(
    "loss", [Logistic(), SmoothedHinge(), SquaredHinge(), Squared()], ids=lambda loss: loss.name
)
def test_with_curvature_on_both_sides_the_gap_closes_like_one_over_t(solver, density, loss):
    assert slope(generated(loss, Ridge(0.1), density), solver, 50, 1000) <= -0.8


@each_solver
@pytest.mark.parametrize("density", [1.0, 0.3])
@pytest.mark.parametrize(
    ("loss", "g"),
    [
        (Hinge(), Box(-0.2, 0.2)),
        (Absolute(), Box(-0.2, 0.2)),
        (Hinge(), L1(0.05)),
        (Quantile(0.3), Ridge(0.1)),
        (EpsilonInsensitive(), Box(-0.2, 0.2)),
        (Logistic(), Box(-0.2, 0.2)),
    ],
    ids=lambda item: type(item).__name__,
)
def test_otherwise_at_least_like_one_over_its_root(solver, density, loss, g):
    assert slope(generated(loss, g, density), solver, 20, 1000) <= -0.4


@each_loss
@pytest.mark.parametrize("g", PENALTIES[:-1], ids=repr)
@pytest.mark.parametrize("weight", ["none", "positive"])
def test_the_box_holds_the_optimum(rng, loss, g, weight):
    problem = medium(rng, loss, g, weight=weight, intercept=False)
    reach = Reach(problem)
    name = "primal_cd" if loss.smooth else "sdca"
    best = solve(problem, name, stopping=RelativeGap(1e-10) | MaxPasses(5000))
    held = problem.coordinate_form.l1 + problem.coordinate_form.l2 > 0
    bounded = np.isfinite(problem.coordinate_form.lower) & np.isfinite(problem.coordinate_form.upper)
    np.testing.assert_array_equal(np.isfinite(reach.radii), held | bounded)
    assert np.all(np.abs(best.w) <= reach.radii * (1 + 1e-6) + 1e-4)
    if np.all(held | bounded):
        assert np.linalg.norm(best.w) <= reach.distance * (1 + 1e-6) + 1e-4
    u = loss.dual_domain(problem.b).project(best.u)
    assert np.sqrt(np.mean(problem.sample_weight * u**2)) <= reach.slope * (1 + 1e-6) + 1e-4
    assert problem.primal_value(np.clip(best.w, reach.form.lower, reach.form.upper)) <= (
        best.certificate.primal + 1e-6
    )


def test_the_box_where_nothing_is_known(rng):
    problem = medium(rng, Logistic(), NoPenalty())
    reach = Reach(problem)
    assert np.isinf(reach.radii).all()
    np.testing.assert_allclose(reach.scales, 1.0 / problem.column_norms)
    away = Reach(medium(rng, Logistic(), Box(0.1, 0.4, l2=100.0), intercept=False))
    np.testing.assert_array_equal(away.radii, 0.1)  # the end nearest to zero, whatever the penalty says
    np.testing.assert_array_equal(away.form.upper, 0.1)


@each_solver
@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_entries_read(rng, solver, kind):
    problem = medium(rng, Squared(), Ridge(0.1), kind=kind)
    state = solver.init(problem, Start(), np.random.default_rng(2))
    begun = state.entries_read
    solver.run_epoch(problem, state)
    if solver.name == "spd1":
        assert begun == 0
        assert state.entries_read == problem.design.n_entries == state.time
    else:
        order = np.random.default_rng(2).integers(30, size=30)
        assert begun == 0
        assert state.entries_read - begun == problem.design.row_counts[order].sum()


@each_solver
def test_lines_without_entries_rest_at_their_optimum(rng, solver):
    A = rng.normal(size=(20, 6)) * (rng.random((20, 6)) < 0.5)
    A[4], A[:, 2] = 0.0, 0.0
    problem = Problem(sp.csr_array(A), np.sign(rng.normal(size=20)), Logistic(), Box(0.05, 1.0, l2=0.1))
    result = solve(
        problem, solver, stopping=NEVER | MaxPasses(20), start=Start(np.full(6, 0.5), np.zeros(20))
    )
    assert solver.extract(problem, result.state)[0][2] == 0.05
    if solver.name == "spd1":
        assert result.state.u[4] == -0.5 * problem.b[4]


@each_solver
def test_a_run_in_two_parts_is_the_run(rng, solver, tmp_path):
    problem = medium(rng, Hinge(), ElasticNet(0.02, 0.05), kind="sparse")
    whole = solve(problem, solver, stopping=NEVER | MaxPasses(60))
    solve(problem, solver, stopping=NEVER | MaxPasses(20), checkpoint=tmp_path / "half.npz")
    rest = solve(problem, solver, stopping=NEVER | MaxPasses(60), resume=tmp_path / "half.npz")
    np.testing.assert_array_equal(rest.w, whole.w)
    np.testing.assert_array_equal(rest.state.w_total, whole.state.w_total)


def test_the_lazy_average():
    point, total, since = np.array([2.0, 5.0]), np.array([3.0, 0.0]), np.array([3.0, 0.0])
    # The first was 1 three times and then 2; the second was 5 all along.
    np.testing.assert_allclose(lazy_average(point, total, since, 4.0), [1.25, 5.0])
    np.testing.assert_array_equal(lazy_average(point, 0 * total, 0 * since, 0.0), point)


def test_the_step_of_psgd(rng):
    problem = medium(rng, SquaredHinge(), Ridge(0.1))
    assert solve(problem, PSGD(step_size=1e-3), stopping=NEVER | MaxPasses(9)).state.step == 1e-3
    for bad in (0.0, -1.0, np.inf, "1", True):
        with pytest.raises(InvalidInputError, match=r"is not a finite number above 0"):
            PSGD(step_size=bad)
    for scale in (1e-4, 1e4):
        # The units of the columns do not matter: the same steps in the units of w.
        other = Problem(
            scale * dense(problem)[:, :-1], problem.b, problem.loss, Ridge(0.1 * scale**2),
            sample_weight=problem.sample_weight, fit_intercept=True,
        )  # fmt: skip
        one, two = (solve(p, PSGD(), stopping=NEVER | MaxPasses(20)) for p in (problem, other))
        np.testing.assert_allclose(two.w[:8] * scale, one.w[:8], rtol=1e-6)
