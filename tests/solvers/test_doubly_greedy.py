"""DGPD, its active-set form and SPDC: the stored traces, and what they keep true while they run."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_solvers import draw
from fenchel import (
    DGPD,
    SPDC,
    DGPDActiveSet,
    InvalidInputError,
    MaxPasses,
    PrimalCD,
    Problem,
    RelativeGap,
    solve,
)
from fenchel.losses import EpsilonInsensitive, Hinge, Logistic, Loss, SmoothedHinge, Squared
from fenchel.reference import doubly_greedy as twins
from fenchel.regularizers import Box, ElasticNet, NonNegative, Regularizer, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.coordinate.dual_start import dual_start
from fenchel.solvers.coordinate.moving_centre import move_centre
from stored import stored

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
SMOOTH = [loss for loss in COMPILED if loss.smooth]
CURVED = [
    ElasticNet(0.02, 0.05),
    Ridge(0.1),
    NonNegative(l1=0.01, l2=0.1),
    Box(-0.3, 0.4, l1=0.01, l2=0.05, weights=(1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0, 0.2)),
]
NEVER = RelativeGap(0.0)

each_solver = pytest.mark.parametrize("solver", [DGPD(), DGPDActiveSet(), SPDC()], ids=lambda s: s.name)
each_loss = pytest.mark.parametrize("loss", SMOOTH, ids=repr)
every_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
each_penalty = pytest.mark.parametrize("g", CURVED, ids=repr)


def medium(rng, loss: Loss, g: Regularizer, **options) -> Problem:
    return draw(rng, loss, g, **{"n": 30, "d": 8, "kind": "correlated", "weight": "zeros"} | options)


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


@pytest.fixture
def oracle() -> dict:
    return stored("dgpd-oracle.json")


def traced(oracle: dict, trace: dict) -> Problem:
    g = ElasticNet(trace["lam"], trace["mu"])
    return Problem(np.array(oracle["A"]), oracle["b_class"], SmoothedHinge(), g)


def check_end(problem: Problem, trace: dict, w: np.ndarray, u: np.ndarray) -> None:
    np.testing.assert_allclose(w, trace["x"], atol=1e-12)
    np.testing.assert_allclose(u, trace["y"], atol=1e-12)
    assert problem.primal_value(w) == pytest.approx(trace["P"], abs=1e-12)
    assert problem.dual_value(u) == pytest.approx(trace["D"], abs=1e-12)


def test_the_stored_trace_of_algorithm_1(oracle):
    trace = oracle["traces"][0]
    problem = traced(oracle, trace)
    n, d = problem.n_samples, problem.n_coordinates
    w, z, u, v = np.zeros(d), np.zeros(n), np.zeros(n), np.zeros(d)
    chosen = twins.dgpd_steps(
        dense(problem), len(trace["selected_i"]), problem.loss, problem.b, problem.sample_weight,
        np.full(n, trace["eta"] / n), 0.0, np.zeros(n), problem.coordinate_form, w, z, u, v,
    )  # fmt: skip
    assert [i for _, i in chosen] == trace["selected_i"]
    # The trace writes 0 where no column moves.
    assert [max(j, 0) for j, _ in chosen] == trace["selected_j"]
    check_end(problem, trace, w, u)


def test_the_stored_trace_of_algorithm_2(oracle):
    trace = oracle["traces"][1]
    problem = traced(oracle, trace)
    n, d = problem.n_samples, problem.n_coordinates
    u, rows, columns, sets = np.zeros(n), np.zeros(n, bool), np.zeros(d, bool), []
    for _ in trace["active_sets"]:
        w = twins.active_set_iteration(
            dense(problem), 2, problem.loss, problem.b, problem.sample_weight, trace["eta"] / n,
            problem.coordinate_form, u, rows, columns,
        )  # fmt: skip
        sets.append([np.flatnonzero(columns).tolist(), np.flatnonzero(rows).tolist()])
    assert sets == trace["active_sets"]
    check_end(problem, trace, w, u)


@pytest.mark.parametrize("storage", [np.array, sp.csr_array])
def test_the_active_set_solver_follows_the_stored_trace(oracle, storage):
    trace = oracle["traces"][1]
    dense_problem = traced(oracle, trace)
    problem = Problem(
        storage(np.array(oracle["A"])), dense_problem.b, dense_problem.loss, dense_problem.regularizer
    )
    solver = DGPDActiveSet(inner=2)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    for columns, rows in trace["active_sets"]:
        solver.iterate(problem, state, step=trace["eta"] / problem.n_samples)
        assert np.flatnonzero(state.columns).tolist() == columns
        assert np.flatnonzero(state.rows).tolist() == rows
    check_end(problem, trace, state.w, state.u)


@pytest.mark.parametrize("g", CURVED[:3], ids=repr)
@pytest.mark.parametrize("kind", ["correlated", "sparse"])
def test_an_iteration_of_the_active_set_solver_is_its_twin(rng, g, kind):
    problem = medium(rng, SmoothedHinge(), g, kind=kind)
    solver = DGPDActiveSet(inner=3)
    state = solver.init(problem, Start(), rng)
    u, rows, columns = state.u.copy(), state.rows.copy(), state.columns.copy()
    for _ in range(15):
        solver.iterate(problem, state, step=2.0)
        w = twins.active_set_iteration(
            dense(problem), 3, problem.loss, problem.b, problem.sample_weight, 2.0,
            problem.coordinate_form, u, rows, columns,
        )  # fmt: skip
        np.testing.assert_allclose(state.w, w, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(state.u, u, rtol=1e-12, atol=1e-12)


@every_loss
@each_penalty
@pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])
def test_dgpd_state_is_consistent_after_a_run(rng, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, "dgpd", stopping=NEVER | MaxPasses(100)).state
    np.testing.assert_allclose(state.z, problem.scores(state.w), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-10)
    assert loss.dual_domain(problem.b).contains(state.u).all()
    form = problem.coordinate_form
    assert np.all((form.lower <= state.w) & (state.w <= form.upper))


@every_loss
@each_penalty
@pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])
def test_spdc_state_is_consistent_after_a_run(rng, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, "spdc", stopping=NEVER | MaxPasses(100)).state
    np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-10)
    assert loss.dual_domain(problem.b).contains(state.u).all()
    form = problem.coordinate_form
    assert np.all((form.lower <= state.w) & (state.w <= form.upper))


@pytest.mark.parametrize("known", ["neither", "w", "u", "both"])
def test_spdc_counts_the_products_of_its_start_in_the_first_epoch(rng, known):
    problem = medium(rng, Logistic(), ElasticNet(0.02, 0.05), kind="sparse")
    w = np.where(rng.random(problem.n_coordinates) < 0.5, 1.0, 0.0)
    u = np.where(rng.random(problem.n_samples) < 0.5, -0.5 * problem.b, 0.0)
    start = Start(w if known in ("w", "both") else None, u if known in ("u", "both") else None)
    solver = SPDC()
    state = solver.init(problem, start, np.random.default_rng(0))
    assert state.entries_read == 0
    there = problem.design.select_columns(np.arange(problem.n_coordinates)) != 0.0
    weighted = problem.sample_weight > 0.0
    products = there[weighted & (state.u != 0.0)].sum() + (there[:, w != 0.0].sum() if known == "w" else 0)
    visits = np.random.default_rng(0).integers(problem.n_samples, size=problem.n_samples)
    solver.run_epoch(problem, state)
    assert state.entries_read == products + there[visits[weighted[visits]]].sum()


def lagrangian(problem: Problem, w: np.ndarray, u: np.ndarray) -> float:
    v = problem.correlation(u)
    return problem.regularizer.value(w) + float(v @ w) - problem.mean_conjugate(u)


@each_penalty
def test_the_column_rule_lowers_the_lagrangian_by_its_score(rng, g):
    problem = medium(rng, SmoothedHinge(), g)
    form = problem.coordinate_form
    for _ in range(20):
        w = np.clip(rng.normal(size=8), form.lower, form.upper)
        u = problem.loss.dual_domain(problem.b).project(rng.normal(size=30))
        v = problem.correlation(u)
        scores = twins.primal_scores(form, w, v)
        for k in range(8):
            moved = np.where(np.arange(8) == k, form.lmo(v), w)
            fall = lagrangian(problem, w, u) - lagrangian(problem, moved, u)
            assert fall == pytest.approx(scores[k], abs=1e-13)
        # Together they are what separates L(w, u) from D(u).
        assert scores.sum() == pytest.approx(lagrangian(problem, w, u) - problem.dual_value(u), abs=1e-12)


@each_solver
@each_loss
@each_penalty
def test_sparse_and_dense_end_alike(rng, solver, loss, g):
    problem = medium(rng, loss, g, kind="gaussian")
    other = Problem(sp.csr_array(dense(problem)), problem.b, loss, g, sample_weight=problem.sample_weight)
    one, two = (solve(p, solver, stopping=NEVER | MaxPasses(30)) for p in (problem, other))
    np.testing.assert_allclose(one.w, two.w, rtol=1e-6, atol=1e-6)


@each_solver
@each_loss
@each_penalty
def test_they_converge(rng, solver, loss, g):
    problem = medium(rng, loss, g)
    result = solve(problem, solver, stopping=RelativeGap(1e-9) | MaxPasses(20_000))
    assert result.status.solved, result.message


@pytest.mark.parametrize("solver", ["dgpd", "spdc"])
@pytest.mark.parametrize("loss", [loss for loss in COMPILED if not loss.smooth], ids=repr)
@each_penalty
@pytest.mark.parametrize("kind", ["gaussian", "correlated", "sparse", "degenerate"])
def test_both_converge_where_the_loss_has_kinks(rng, solver, loss, g, kind):
    """Nearly dependent rows take thousands of passes; no linear rate is known."""
    problem = medium(rng, loss, g, kind=kind)
    result = solve(problem, solver, stopping=RelativeGap(1e-8) | MaxPasses(20_000))
    assert result.status.solved, result.message


@pytest.mark.parametrize("loss", [Hinge(), EpsilonInsensitive()], ids=repr)
@each_penalty
@pytest.mark.parametrize("kind", ["gaussian", "correlated", "sparse", "degenerate"])
def test_the_active_sets_come_near_where_the_loss_has_kinks(rng, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    result = solve(problem, "dgpd_active_set", stopping=RelativeGap(1e-3) | MaxPasses(20_000))
    assert result.status.solved, result.message


@each_solver
def test_a_warm_start_needs_fewer_passes(rng, solver):
    problem = medium(rng, SmoothedHinge(), ElasticNet(0.02, 0.05), weight="none")
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    cold = solve(problem, solver, stopping=rule)
    near = Problem(dense(problem), problem.b, problem.loss, ElasticNet(0.0201, 0.0501))
    warm = solve(near, solver, stopping=rule, start=cold)
    assert warm.status.solved
    assert warm.passes < solve(near, solver, stopping=rule).passes


def test_the_step_is_halved_where_the_first_is_too_long(rng):
    problem = medium(rng, SmoothedHinge(), ElasticNet(0.001, 0.01), weight="none")
    result = solve(problem, DGPD(step_factor=1e4), stopping=RelativeGap(1e-6) | MaxPasses(20_000))
    assert result.status.solved
    assert result.state.factor < 1e4


def test_rows_of_different_length_want_their_own_steps(rng):
    A = rng.normal(size=(60, 20)) * np.exp(rng.normal(size=(60, 1)))
    problem = Problem(A, np.sign(A[:, 0] + 0.3), SmoothedHinge(), ElasticNet(0.03, 0.1))
    rule = RelativeGap(1e-6) | MaxPasses(100_000)
    own, common = (solve(problem, DGPD(common_step=flag), stopping=rule) for flag in (False, True))
    assert own.status.solved
    assert common.status.solved
    assert own.passes < common.passes


def test_dual_starts(rng):
    problem = medium(rng, SmoothedHinge(), Ridge(0.1), kind="degenerate")
    u = dual_start(problem, Start())
    np.testing.assert_array_equal(np.flatnonzero(u), [15])  # the row of zeros
    assert u[15] == -problem.b[15]
    w = rng.normal(size=8)
    np.testing.assert_array_equal(dual_start(problem, Start(w=w)), problem.dual_point(w))
    assert (
        problem.loss.dual_domain(problem.b).contains(dual_start(problem, Start(u=rng.normal(size=30)))).all()
    )
    logistic = medium(rng, Logistic(), Ridge(0.1))
    np.testing.assert_array_equal(dual_start(logistic, Start()), -0.5 * logistic.b)


def test_random_order_is_the_random_baseline(rng):
    problem = medium(rng, Squared(), ElasticNet(0.01, 0.01))
    solver = PrimalCD(support_passes=0, newton_passes=0.0, order="random")
    rule = RelativeGap(1e-9) | MaxPasses(5000)
    one, two = (solve(problem, solver, stopping=rule, rng=seed) for seed in (1, 2))
    assert one.status.solved
    assert two.status.solved
    assert np.any(one.w != two.w)
    with pytest.raises(InvalidInputError, match=r"^order='greedy' is unknown. Use 'cyclic' or 'random'\.$"):
        PrimalCD(order="greedy")


def test_the_momentum_of_the_centre_begins_anew_when_the_dual_value_falls(rng):
    problem = medium(rng, Hinge(), Ridge(0.1))
    state = DGPD().init(problem, Start(), rng)
    domain, momenta = problem.loss.dual_domain(problem.b), [1.0]
    best = solve(problem, "sdca", stopping=RelativeGap(1e-9)).u
    for share in (0.2, 0.5, 0.9):  # the dual value is concave: it rises on the way to its maximum
        state.u[:] = domain.project(share * best)
        state.v[:] = problem.correlation(state.u)
        momentum, last = state.momentum, state.previous.copy()
        move_centre(problem, state)
        beyond = (momentum - 1.0) / state.momentum
        np.testing.assert_allclose(state.centre, state.u + beyond * (state.u - last), rtol=1e-14, atol=1e-14)
        momenta.append(state.momentum)
    assert np.all(np.diff(momenta) > 0.0)
    state.u[:], state.v[:] = 0.0, 0.0
    move_centre(problem, state)
    np.testing.assert_array_equal(state.centre, state.u)
