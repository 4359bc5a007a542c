"""What the coordinate solvers keep true while they run, and their twins run to the end."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_solvers import draw
from fenchel import SDCA, MaxPasses, PrimalCD, Problem, RelativeGap, as_design, solve
from fenchel.losses import Absolute, Hinge, Logistic, Loss, Quantile, SmoothedHinge, Squared, SquaredHinge
from fenchel.numerics.generators import random_words
from fenchel.reference import coordinate as twins
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, Regularizer, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.coordinate import newton
from fenchel.solvers.coordinate.newton import newton_move
from fenchel.solvers.coordinate.newton_rows import solve_by_rows

SMOOTH = [case.loss for case in cases.LOSSES if case.loss.compiled and case.loss.smooth]
COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]
CURVED = [Ridge(0.1), ElasticNet(0.02, 0.05), Box(-0.3, 0.4, l1=0.01, l2=0.05), NonNegative(l1=0.01, l2=0.1)]
NEVER = RelativeGap(0.0)


def medium(rng, loss: Loss, g: Regularizer, **options) -> Problem:
    return draw(
        rng,
        loss,
        g,
        **{"n": 30, "d": 8, "kind": "correlated", "weight": "zeros", "intercept": True} | options,
    )


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])
@pytest.mark.parametrize("g", [L1(0.01), ElasticNet(0.01, 0.001), Box(-0.2, 0.3)], ids=repr)
def test_primal_state_is_consistent_after_a_run(rng, loss, kind, g):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, "primal_cd", stopping=NEVER | MaxPasses(100)).state
    scale = 1.0 + np.abs(dense(problem)) @ np.abs(state.w)
    assert np.max(np.abs(state.z - problem.scores(state.w)) / scale) <= 1e-10
    np.testing.assert_allclose(state.u, loss.gradient(state.z, problem.b), rtol=1e-13, atol=1e-14)
    form = problem.coordinate_form
    assert np.all((form.lower <= state.w) & (state.w <= form.upper))


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])
@pytest.mark.parametrize("g", [L1(0.01), ElasticNet(0.01, 0.1), Box(-0.2, 0.3)], ids=repr)
def test_dual_state_is_consistent_after_a_run(rng, loss, kind, g):
    problem = medium(rng, loss, g, kind=kind)
    state = solve(problem, "sdca", stopping=NEVER | MaxPasses(60)).state
    assert loss.dual_domain(problem.b).contains(state.u).all()
    np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-10)
    # w is the best response: no coordinate of <v, w> + g(w) + alpha/2 |w - anchor|^2 can be improved.
    form = problem.coordinate_form
    curvature = form.l2 + state.alpha
    linear = state.alpha * state.anchor - state.v
    shrunk = np.sign(linear) * np.maximum(np.abs(linear) - form.l1, 0.0) / curvature
    np.testing.assert_allclose(state.w, np.clip(shrunk, form.lower, form.upper), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize("g", CURVED, ids=repr)
def test_sdca_without_a_proximal_term_never_lowers_the_dual(rng, loss, g):
    problem = medium(rng, loss, g, intercept=False)
    solver = SDCA()
    state = solver.init(problem, Start(), np.random.default_rng(0))
    assert not state.alpha.any()
    value = problem.dual_value(state.u)
    for _ in range(12):
        solver.run_epoch(problem, state)
        new = problem.dual_value(state.u)
        assert new >= value - 1e-14 * (1.0 + abs(value))
        value = new


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("g", [L1(0.01), *CURVED], ids=repr)
def test_primal_cd_never_raises_the_primal(rng, loss, g):
    problem = medium(rng, loss, g)
    solver = PrimalCD()
    state = solver.init(problem, Start(), np.random.default_rng(0))
    value = problem.primal_value(state.w)
    for _ in range(12):
        solver.run_epoch(problem, state)
        new = problem.primal_value(state.w)
        assert new <= value + 1e-14 * (1.0 + abs(value))
        value = new


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
@pytest.mark.parametrize("kind", ["correlated", "sparse"])
@pytest.mark.parametrize(
    ("g", "epochs", "repeats"), [*((g, 8, 0) for g in CURVED), *((g, 1, 1) for g in CURVED[1:])], ids=repr
)
def test_sdca_is_its_twin_to_the_end(rng, loss, g, kind, epochs, repeats):
    """The same permutations through the NumPy pass give the same pair.

    After the first repeat rounding decides which rows have moved: the last row of a pass can be the first of
    the next. So a first epoch of three rounds, that of a ridge, is compared without repeats.
    """
    problem = medium(rng, loss, g, intercept=False, kind=kind)
    solver = SDCA(newton_passes=0.0, moving_passes=repeats)
    state = solver.init(problem, Start(), np.random.default_rng(7))
    A, form, generator = dense(problem), problem.coordinate_form, np.random.default_rng(7)
    w, u, v = state.w.copy(), state.u.copy(), state.v.copy()
    zero = np.zeros(problem.n_coordinates)
    norms = problem.sample_weight * (A**2 / form.l2).sum(axis=1)
    step = np.divide(problem.n_samples, norms, out=np.zeros_like(norms), where=norms > 0)
    short = 2 if form.ridge > 0 else 0
    for epoch in range(epochs):
        solver.run_epoch(problem, state)
        more = min(6 * (1 + epoch), repeats) if loss.sparse_dual else 0
        first = form.ridge > 0 and epoch == 0
        for _ in range(3 if first else min(10, 1 + max(epoch - short, 0) // 3)):
            order = generator.permutation(problem.n_samples)
            draws = random_words(generator, problem.n_samples)
            twins.sdca_round(
                A, problem.design.row_counts, order, loss, problem.b, problem.sample_weight, step, form, zero,
                zero, more, 2 * problem.design.n_entries, draws, v, w, u, zero.copy(),
            )  # fmt: skip
    np.testing.assert_allclose(state.u, u, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(state.w, w, rtol=1e-9, atol=1e-11)


def test_the_first_epoch_of_sdca_under_a_ridge_ends_with_a_round_that_moves_many_rows(rng):
    """Under a strong ridge a pass moves every row to its bound, and one more finds that none moves."""
    problem = draw(rng, Hinge(), Ridge(100.0), n=30, d=8, intercept=False)
    solver = SDCA(newton_passes=0.0)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    solver.run_epoch(problem, state)
    assert state.entries_read == 2 * problem.design.n_entries


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("g", [L1(0.01), *CURVED], ids=repr)
@pytest.mark.parametrize(
    ("kind", "intercept"), [("correlated", True), ("sparse", True), ("correlated", False)]
)
def test_plain_primal_cd_is_its_twin_to_the_end(rng, loss, g, kind, intercept):
    """Without passes over the support and Newton steps, an epoch is one cyclic pass."""
    problem = medium(rng, loss, g, kind=kind, intercept=intercept)
    solver = PrimalCD(support_passes=0, newton_passes=0.0)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    w, z, u = state.w.copy(), state.z.copy(), state.u.copy()
    order = np.arange(problem.n_coordinates)
    for _ in range(10):
        solver.run_epoch(problem, state)
        twins.primal_cd_pass(
            dense(problem), order, loss, problem.b, problem.sample_weight, problem.coordinate_form,
            state.curvature, state.centre, w, z, u,
        )  # fmt: skip
    np.testing.assert_allclose(state.w, w, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(state.z, z, rtol=1e-9, atol=1e-11)
    assert state.entries_read == 10 * problem.design.n_entries


@pytest.mark.parametrize("loss", [Logistic(), Squared(), SquaredHinge()], ids=repr)
def test_curvature_of_primal_cd_is_that_of_the_centred_columns(rng, loss):
    problem = medium(rng, loss, L1(0.01))
    state = PrimalCD().init(problem, Start(), np.random.default_rng(0))
    A, s = dense(problem), problem.sample_weight[:, None]
    means = (s * A).mean(axis=0)
    means[-1] = 0.0
    np.testing.assert_allclose(state.centre, means, rtol=1e-12)
    expected = loss.smoothness * (s * (A - means) ** 2).mean(axis=0)
    np.testing.assert_allclose(state.curvature, expected, rtol=1e-10)


@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
@pytest.mark.parametrize(("g", "others"), [(Ridge(0.1), 2), (ElasticNet(0.01, 0.1), 1)], ids=repr)
def test_entries_read_by_sdca_are_those_of_its_start_and_of_the_rows_it_visits(rng, kind, g, others):
    """Under a ridge alone it starts from zero, without a product, and its first epoch has two more passes."""
    problem = medium(rng, Hinge(), g, kind=kind, intercept=False)
    solver = SDCA(newton_passes=0.0, moving_passes=0)
    state = solver.init(problem, Start(), np.random.default_rng(0))
    assert state.entries_read == 0
    A = dense(problem)
    stored = (A != 0).sum(axis=1) if kind == "sparse" else np.full(30, 8)
    # The start of the second is the derivatives at w = 0, which no row has 0 of, and their correlation.
    read = stored[problem.sample_weight > 0].sum()
    for epoch in range(1, 3):
        solver.run_epoch(problem, state)
        assert state.entries_read == (others + epoch) * read


@pytest.mark.parametrize(
    "solver",
    [PrimalCD(support_passes=1, newton_passes=0.0), SDCA(newton_passes=0.0, moving_passes=0)],
    ids=repr,
)
@pytest.mark.parametrize(
    "loss", [Logistic(), Squared(), SmoothedHinge(), Absolute(), Quantile(0.3)], ids=repr
)
def test_sparse_iterates_are_dense_iterates(rng, solver, loss):
    problem = medium(rng, loss, ElasticNet(0.01, 0.01), kind="sparse", intercept=False)
    if type(solver).unmet(problem) is not None:
        return
    A = dense(problem)
    others = [
        Problem(storage, problem.b, loss, problem.regularizer, sample_weight=problem.sample_weight)
        for storage in (A, np.asfortranarray(A), sp.csc_array(A), sp.coo_array(A))
    ]
    states = []
    for other in (problem, *others):
        state = solver.init(other, Start(), np.random.default_rng(3))
        for _ in range(3):
            solver.run_epoch(other, state)
        states.append(state)
    for state in states[1:]:
        np.testing.assert_allclose(state.w, states[0].w, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(state.u, states[0].u, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("free", [0, 1])
def test_newton_system_by_rows(rng, free):
    A = np.hstack([rng.normal(size=(6, 15)) * (rng.random((6, 15)) < 0.5), np.ones((6, free))])
    h, right = rng.random(6) + 0.1, rng.normal(size=15 + free)
    l2 = np.append(rng.random(15) + 0.1, np.zeros(free))
    expected = np.linalg.solve(A.T @ (h[:, None] * A) + np.diag(l2), right)
    for storage in (A, sp.csc_array(A)):
        found = solve_by_rows(as_design(storage), h, l2, right)
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_a_newton_step_brings_many_coordinates_to_zero(rng):
    """Without the steps beyond the first kink each would take a Newton step of its own."""
    A, b = rng.normal(size=(200, 60)), rng.choice([-1.0, 1.0], size=200)
    problem = Problem(A, b, SquaredHinge(), ElasticNet(0.1, 0.01))
    w = 0.02 * rng.normal(size=60)
    z = problem.scores(w)
    move = newton_move(problem, np.zeros(60), w, z, problem.loss.gradient(z, b), 100)
    assert move.w is not None
    assert np.count_nonzero(move.w) < 50
    assert problem.primal_value(move.w) == pytest.approx(problem.primal_value(w) - move.fall, rel=1e-12)


def test_newton_by_rows_takes_the_same_step(rng, monkeypatch):
    """A squared hinge with few rows short of the margin, against the step from the columns."""
    A, b = rng.normal(size=(40, 30)), rng.choice([-1.0, 1.0], size=40)
    problem = Problem(A, b, SquaredHinge(), ElasticNet(1e-3, 0.1), fit_intercept=True)
    w = np.linalg.lstsq(np.column_stack([A, np.ones(40)]), 1.5 * b, rcond=None)[0]
    z = problem.scores(w)
    u = problem.loss.gradient(z, b)
    assert 0 < np.count_nonzero(u) < 20
    by_rows = newton_move(problem, np.zeros(31), w, z, u, 100)
    monkeypatch.setattr(newton, "_FEW_ROWS", 0.0)
    by_columns = newton_move(problem, np.zeros(31), w, z, u, 100)
    np.testing.assert_allclose(by_rows.w, by_columns.w, rtol=1e-6, atol=1e-9)
    assert by_rows.fall == pytest.approx(by_columns.fall)
