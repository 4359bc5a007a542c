"""The active-set solver: its twin, its invariants, screening, shares of the gap, and what it reads."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from cases_solvers import draw
from fenchel import DGPDPlus, MaxPasses, PrimalCD, Problem, RelativeGap, solve
from fenchel.losses import (
    EpsilonInsensitive,
    Huber,
    Logistic,
    SmoothedHinge,
    Squared,
    SquaredHinge,
)
from fenchel.losses.registry import get_loss
from fenchel.reference import active_sets as twins
from fenchel.regularizers import Box, ElasticNet, NonNegative, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.coordinate.active_part import ActivePart
from fenchel.solvers.coordinate.gap_shares import row_shares
from fenchel.solvers.coordinate.screening import safe_gap, settle_rows, zero_columns
from fenchel.solvers.selection import choose_side
from stored import stored

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
SERVED = [SmoothedHinge(), SquaredHinge(), Logistic(), Squared(), Huber(), EpsilonInsensitive()]
CURVED = [
    Ridge(0.1),
    ElasticNet(0.02, 0.05),
    Box(-0.3, 0.4, l1=0.01, l2=0.05),
    NonNegative(l1=0.01, l2=0.1),
    Box(0.1, 0.4, l1=0.01, l2=0.05),
]
NEVER = RelativeGap(0.0)
each_loss = pytest.mark.parametrize("loss", SERVED, ids=repr)


def medium(rng, loss, g, **options) -> Problem:
    return draw(rng, loss, g, **{"n": 60, "d": 30, "kind": "sparse", "weight": "zeros"} | options)


def weighted(rng, loss, **options) -> Problem:
    """An elastic net whose strengths differ from feature to feature."""
    return medium(rng, loss, ElasticNet(0.02, 0.05, weights=rng.random(30) + 0.5), **options)


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


@each_loss
@pytest.mark.parametrize("kind", ["gaussian", "correlated", "sparse", "degenerate"])
def test_the_solver_is_its_twin(rng, loss, kind):
    problem = weighted(rng, loss, kind=kind)
    solver, generator = DGPDPlus(newton_steps=0, screening=False), np.random.default_rng(3)
    state = solver.init(problem, Start(), np.random.default_rng(3))
    u, rows, columns, last = state.u.copy(), state.rows.copy(), state.columns.copy(), np.inf
    for _ in range(8):
        solver._rounds([(problem, state)])
        gap = twins.dgpd_plus_epoch(
            dense(problem), generator.permutation, loss, problem.b, problem.sample_weight,
            problem.coordinate_form, u, rows, columns, solver.most_passes,
        )  # fmt: skip
        if gap < 1e-9:
            break  # from here on rounding decides how many passes there are
        if gap <= 0.5 * last:
            last = gap
            columns &= problem.coordinate_form.lmo(problem.correlation(u)) != 0.0
            rows &= (u != 0.0) | (not loss.sparse_dual)
        np.testing.assert_allclose(state.u, u, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(state.columns, columns)
        np.testing.assert_array_equal(state.rows & ~state.settled, rows & (problem.sample_weight > 0))


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize("g", CURVED, ids=repr)
@pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])
def test_the_state_is_consistent_after_a_run(rng, loss, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, "dgpd_plus", stopping=NEVER | MaxPasses(150)).state
    assert loss.dual_domain(problem.b).contains(state.u).all()
    np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-10)
    best = problem.coordinate_form.lmo(state.v)
    np.testing.assert_allclose(state.w, np.where(state.zero, 0.0, best), rtol=1e-10, atol=1e-12)


@each_loss
@pytest.mark.parametrize("kind", ["gaussian", "sparse", "degenerate"])
def test_it_solves_with_weights_of_rows_and_features(rng, loss, kind):
    problem = weighted(rng, loss, kind=kind)
    result = solve(problem, "dgpd_plus", stopping=RelativeGap(1e-10) | MaxPasses(3000))
    assert result.status.solved, result.message
    other = solve(problem, "sdca", stopping=RelativeGap(1e-11) | MaxPasses(3000))
    np.testing.assert_allclose(result.w, other.w, atol=1e-4)
    assert result.certificate.primal == pytest.approx(other.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize("g", CURVED, ids=repr)
def test_passes_never_lower_the_dual_of_the_active_sets(rng, loss, g):
    problem = medium(rng, loss, g, kind="correlated")
    rows = np.flatnonzero(problem.sample_weight > 0)[::2]
    columns = np.arange(0, problem.n_coordinates, 3)
    part = ActivePart(problem, rows, columns)
    u = loss.dual_domain(part.b).project(np.zeros(rows.size))
    v = part.design.rmatvec(part.weight * u) / problem.n_samples
    w = part.form.lmo(v)

    def value() -> float:
        fit = float(np.sum(part.weight * loss.conjugate(u, part.b))) / problem.n_samples
        return -fit - part.form.conjugate(-v)

    old = value()
    for _ in range(15):
        part.ascend(int(rng.integers(1, 9)), u, v, w)
        new = value()
        assert new >= old - 1e-14 * (1.0 + abs(old))
        old = new
    np.testing.assert_allclose(v, part.design.rmatvec(part.weight * u) / problem.n_samples, atol=1e-13)
    primal = float(np.sum(part.weight * loss.value(part.design.matvec(w), part.b))) / problem.n_samples
    assert part.gap(u, w) == pytest.approx(primal + part.form.value(w) - old, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize("g", CURVED[:-1], ids=repr)
def test_the_shares_sum_to_the_certificate(rng, loss, g):
    problem = medium(rng, loss, g)

    def of_columns(w, v):
        return problem.coordinate_form.value(w) + problem.conjugate(-v) + float(w @ v)

    for scale in (0.0, 0.1, 1.0):
        form = problem.coordinate_form
        w = np.clip(scale * rng.normal(size=problem.n_coordinates), form.lower, form.upper)
        u = loss.dual_domain(problem.b).project(scale * rng.normal(size=problem.n_samples))
        v, z = problem.correlation(u), problem.scores(w)
        rows = np.empty_like(u)
        assert row_shares(problem, z, u, rows) == rows.sum()
        gap = problem.primal_value(w) - problem.dual_value(u)
        assert rows.sum() + of_columns(w, v) == pytest.approx(gap, rel=1e-11, abs=1e-13)
        # One side is at its best response: the other has all of the gap.
        best = form.lmo(v)
        assert abs(of_columns(best, v)) <= 1e-12
        gap = problem.primal_value(best) - problem.dual_value(u)
        assert row_shares(problem, problem.scores(best), u, rows) == pytest.approx(gap, rel=1e-11, abs=1e-13)


# Screening


def assert_screening_is_safe(problem: Problem, w: np.ndarray, u: np.ndarray, point: np.ndarray) -> int:
    """No coordinate of the support of w, and no row whose u is another, may be taken out at ``point``."""
    form = problem.coordinate_form
    spread = np.sqrt(problem.design.row_square_sums(1.0 / form.l2))
    v = problem.correlation(point)
    best = form.lmo(v)
    z = problem.scores(best)
    gap = row_shares(problem, z, point, np.empty_like(point))
    gap = safe_gap(problem, gap, point)
    zero, settled = zero_columns(problem, v, gap), np.zeros(problem.n_samples, dtype=bool)
    settle_rows(problem, point, z, gap, spread, settled)
    assert not np.any(w[zero])
    counts = problem.sample_weight > 0
    np.testing.assert_allclose(point[settled & counts], u[settled & counts], atol=1e-5)
    return int(zero.sum() + settled.sum())


@each_loss
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 1.0), l1=st.sampled_from([0.02, 0.1, 0.3]))
def test_screening_is_safe_between_a_random_point_and_the_optimum(loss, seed, share, l1):
    rng = np.random.default_rng(seed)
    g = ElasticNet(l1, 0.1, weights=rng.random(12) + 0.5)
    problem = draw(rng, loss, g, n=20, d=12, weight="positive")
    known = solve(problem, "sdca", stopping=RelativeGap(1e-13) | MaxPasses(3000))
    domain = loss.dual_domain(problem.b)
    other = domain.project(rng.normal(size=20))
    for closeness in (share, 1.0 - 1e-3 * share, 1.0 - 1e-6 * share):
        point = domain.project(closeness * known.u + (1.0 - closeness) * other)
        assert_screening_is_safe(problem, np.where(np.abs(known.w) > 1e-6, known.w, 0.0), known.u, point)


def optimum(index: int) -> tuple[Problem, dict]:
    data = stored("dgpd-oracle.json")
    record = data["optima"][index]
    options = {"width": record["par"]} if record["loss"] == "smoothed_hinge" else {}
    loss = get_loss(record["loss"], **options)
    b = data["b_class" if loss.task == "classification" else "b_reg"]
    return Problem(data["A"], b, loss, ElasticNet(record["lam"], record["mu"])), record


@pytest.mark.parametrize("index", range(12))
def test_stored_optima(index):
    problem, record = optimum(index)
    result = solve(problem, "dgpd_plus", stopping=RelativeGap(1e-12) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert problem.primal_value(result.w) == pytest.approx(record["P_star"], abs=1e-9)
    np.testing.assert_allclose(result.w, record["x"], atol=1e-5)
    np.testing.assert_allclose(result.u, record["y"], atol=1e-4)


@pytest.mark.parametrize("index", range(12))
def test_screening_is_safe_on_the_stored_optima(rng, index):
    problem, record = optimum(index)
    w, u = np.array(record["x"]), np.array(record["y"])
    domain = problem.loss.dual_domain(problem.b)
    for share in (0.0, 0.5, 0.9, 0.99, 1 - 1e-4, 1 - 1e-6):
        for _ in range(20):
            point = domain.project(share * u + (1.0 - share) * rng.normal(size=u.size))
            assert_screening_is_safe(problem, w, u, point)


@pytest.mark.parametrize("loss", [SmoothedHinge(), SquaredHinge(), Huber()], ids=repr)
def test_screening_takes_out_what_it_can(rng, loss):
    """Near the optimum almost every passive coordinate is proven, and the result does not change."""
    problem = medium(rng, loss, ElasticNet(0.03, 0.1), kind="gaussian", n=200, weight="none")
    runs = [
        solve(problem, DGPDPlus(screening=flag), stopping=RelativeGap(1e-12) | MaxPasses(3000))
        for flag in (True, False)
    ]
    np.testing.assert_allclose(runs[0].w, runs[1].w, atol=1e-6)
    passive = np.sum(runs[0].w == 0.0)
    assert passive > 0
    assert runs[0].state.zero.sum() >= 0.7 * passive
    assert not runs[1].state.zero.any()


# What it reads, storages, starts


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_entries_read_are_those_of_the_search_the_copy_and_the_passes(rng, kind, monkeypatch):
    passes, ascend = [], ActivePart.ascend

    def counted(*arguments):
        passes.append(ascend(*arguments))
        return passes[-1]

    monkeypatch.setattr(ActivePart, "ascend", counted)
    problem = medium(rng, SmoothedHinge(), ElasticNet(0.01, 0.05), kind=kind, weight="none")
    solver = DGPDPlus(most_passes=4, newton_steps=0, screening=False)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    assert state.entries_read == 0
    A = dense(problem)
    stored_entries = A != 0 if kind == "sparse" else np.ones_like(A, dtype=bool)
    for _ in range(4):
        before, u = state.entries_read, state.u.copy()
        last = state.last_drop
        state.last_drop = 0.0  # keep what the epoch works on
        passes.clear()
        solver._rounds([(problem, state)])
        part = stored_entries[np.ix_(state.rows, state.columns)]
        # At least one of the four passes is over all rows of S, those that are empty aside.
        assert part.sum() <= sum(passes) <= 4 * part.sum()
        # The search, the copy and the passes.
        expected = stored_entries[:, state.w != 0].sum() + part.sum() + sum(passes)
        changed, used = state.u != u, state.u != 0
        expected += min(stored_entries[changed].sum(), stored_entries[used].sum())
        assert state.entries_read - before == expected
        state.last_drop = last


@each_loss
def test_sparse_iterates_are_dense_iterates(rng, loss):
    problem = medium(rng, loss, ElasticNet(0.01, 0.01))
    A = dense(problem)
    states = []
    for storage in (A, np.asfortranarray(A), sp.csc_array(A), sp.coo_array(A), sp.csr_array(A)):
        other = Problem(storage, problem.b, loss, problem.regularizer, problem.sample_weight)
        solver = DGPDPlus(newton_steps=0)
        state = solver.init(other, Start(), np.random.default_rng(3))
        # Rounds, for an epoch ends by its share of the entries, which a dense storage has more of.
        for _ in range(8):
            solver._rounds([(other, state)])
        states.append(state)
    for state in states[1:]:
        np.testing.assert_allclose(state.w, states[0].w, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(state.u, states[0].u, rtol=1e-12, atol=1e-12)


@each_loss
def test_a_warm_start_goes_on_where_it_begins(rng, loss):
    problem = weighted(rng, loss, n=200)
    cold = solve(problem, "dgpd_plus", stopping=RelativeGap(1e-8) | MaxPasses(3000))
    for start in (cold, Start(u=cold.u), Start(w=cold.w)):
        warm = solve(problem, "dgpd_plus", start=start, stopping=RelativeGap(1e-6) | MaxPasses(3000))
        assert warm.status.solved
        assert warm.entries_read < cold.entries_read


def test_strong_penalties_choose_the_columns(rng):
    A = rng.normal(size=(640, 50))
    b = np.sign(A[:, :3].sum(axis=1))
    for l1, expected in ((0.2, PrimalCD), (0.01, DGPDPlus)):
        choice = choose_side(Problem(A, b, SmoothedHinge(), ElasticNet(l1, 0.01)))
        assert isinstance(choice.solver, expected)
        assert choice.entries == A.size // 16
    assert choose_side(Problem(A, b, Logistic(), ElasticNet(0.01, 0.01))).entries == 0
