"""What holds for Frank-Wolfe methods alone: their gap, feasibility, counts, batches and redundant radii."""

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_solvers import BEST_RESPONSE, construct_for, draw, served_keys
from fenchel import (
    GSFW,
    SCGM,
    SCGS,
    SFW,
    SVRF,
    AdaptiveGSFW,
    AwayFrankWolfe,
    FrankWolfe,
    InvalidInputError,
    MaxPasses,
    PairwiseFrankWolfe,
    Problem,
    RelativeGap,
    Start,
    UnsupportedProblemError,
    solve,
)
from fenchel.losses import Hinge, Huber, Logistic, MultiSquared, SmoothedHinge, Softmax, Squared
from fenchel.reference.gsfw import gsfw_pass
from fenchel.regularizers import (
    L1,
    Box,
    ElasticNet,
    GroupL2,
    GroupL2Ball,
    L1Ball,
    L1InfBall,
    L2Ball,
    NonNegative,
    NuclearBall,
    Ridge,
    Simplex,
)
from fenchel.regularizers.bounded import bounded_on_level
from fenchel.solvers.frank_wolfe.batches import draw_batches, growing_size
from fenchel.solvers.frank_wolfe.correction import minimise_on_simplex
from fenchel.solvers.frank_wolfe.oracle import best_response
from fenchel.solvers.registry import SOLVERS, choose_solver

NEVER = RelativeGap(0.0)
SMOOTH = [case.loss for case in cases.LOSSES if case.loss.smooth and case.loss.compiled]
POLYTOPES = [L1Ball(0.8), L1Ball(5.0, l1=0.05), Simplex(1.3), L1(0.05)]


@served_keys(BEST_RESPONSE, SMOOTH)
def test_the_gap_is_true_and_the_point_comes_near(rng, solver, loss, key):
    known = construct_for(solver, rng, loss, key)
    problem, value = known.problem, known.value
    result = solve(problem, solver, stopping=RelativeGap(1e-6) | MaxPasses(300))
    slack = 1e-11 * (1.0 + abs(value))
    for record in result.trace:
        assert record.certificate.primal - value <= record.certificate.gap + slack
        assert record.certificate.dual <= value + slack
        assert record.certificate.primal >= value - slack
    if solver in ("frank_wolfe", "adaptive_gsfw"):
        start = result.trace[0].certificate.primal - value
        assert result.certificate.primal - value <= 0.2 * start + slack


@pytest.mark.parametrize("loss", [Logistic(), Huber(), MultiSquared(), Softmax()], ids=repr)
@pytest.mark.parametrize(
    "g", [L1Ball(2.0), L2Ball(1.0), Box(-1.0, 0.5), GroupL2Ball(2.0, [0, 0, 1, 1]), ElasticNet(0.1, 0.2)],
    ids=repr,
)  # fmt: skip
def test_the_frank_wolfe_gap_is_the_certificate(rng, loss, g):
    problem = draw(rng, loss, g, n=12, kind="correlated", weight="zeros")
    w = problem.prox(rng.normal(size=problem.primal_shape), 0.0)
    v = problem.correlation(problem.dual_point(w))
    response = best_response(problem, g, v)
    gap = float(np.sum(v * (w - response))) + g.value(w) - g.value(response)
    dual = problem.dual_value(problem.dual_point(w))
    assert gap == pytest.approx(problem.primal_value(w) - dual, rel=1e-10, abs=1e-13)
    assert problem.certify(w).dual >= dual - 1e-12


@pytest.mark.parametrize("g", POLYTOPES, ids=repr)
@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("model", [0, 400])
def test_pairwise_steps_converge_linearly(rng, g, loss, intercept, model):
    """To a tiny gap, with weights that are not negative and sum to one, in the set."""
    A = rng.normal(size=(40, 8)) + 0.3
    b = (
        np.sign(A[:, 0] + rng.normal(size=40))
        if loss.task == "classification"
        else A[:, 0] + rng.normal(size=40)
    )
    problem = Problem(sp.csr_array(A), b, loss, g, fit_intercept=intercept)
    result = solve(
        problem, PairwiseFrankWolfe(largest_model=model), stopping=RelativeGap(1e-10) | MaxPasses(20_000)
    )
    assert result.status.solved
    weights = result.state.weights
    assert weights.min() >= 0.0
    assert weights.sum() == pytest.approx(1.0, abs=1e-14)
    assert g.value(result.w[:8]) < np.inf
    assert result.certificate.primal == pytest.approx(
        solve(problem, "proximal_gradient", stopping=RelativeGap(1e-9)).certificate.primal, abs=1e-8
    )


def test_the_model_saves_gradients(rng):
    A = rng.normal(size=(200, 30)) * (0.2 + rng.random(30))
    b = np.sign(A @ rng.normal(size=30) + rng.normal(size=200))
    problem = Problem(A, b, Logistic(), L1Ball(8.0))
    calls = [
        solve(problem, PairwiseFrankWolfe(largest_model=m), stopping=RelativeGap(1e-8)).state.gradient_calls
        for m in (400, 0)
    ]
    assert calls[0] <= 0.3 * calls[1]


def test_the_model_is_minimised_on_the_simplex(rng):
    """Against the optimality conditions: equal slopes on the support, none smaller outside."""
    for _ in range(20):
        root = rng.normal(size=(9, 7))
        hessian, slope, weights = root.T @ root, 3.0 * rng.normal(size=7), rng.dirichlet(np.ones(7))
        found = minimise_on_simplex(hessian, slope, weights)
        assert found.min() >= 0.0
        assert found.sum() == pytest.approx(1.0, abs=1e-14)
        now = slope + hessian @ (found - weights)
        gap = float(now @ found - now.min())
        assert gap <= 0.011 * float(slope @ weights - slope.min())


@pytest.mark.parametrize(
    "solver", [FrankWolfe(), FrankWolfe("open_loop"), AwayFrankWolfe(), PairwiseFrankWolfe()]
)
def test_full_methods_count_a_call_a_row_and_a_step(rng, solver):
    problem = draw(rng, Logistic(), L1Ball(0.7), n=11)
    state = solve(problem, solver, stopping=NEVER | MaxPasses(30)).state
    assert state.gradient_calls == 11 * state.iteration
    assert state.lmo_calls == state.iteration


@pytest.mark.parametrize("batch", [0.01, 0.3, 1.0])
def test_stochastic_methods_count_their_batches(rng, batch):
    problem = draw(rng, Logistic(), L1Ball(0.7), n=20)
    size = max(1, round(20 * batch))
    state = solve(problem, GSFW(batch), stopping=NEVER | MaxPasses(30)).state
    assert state.gradient_calls == 20 + size * state.iteration
    assert state.lmo_calls == state.iteration
    state = solve(problem, SCGM(batch), stopping=NEVER | MaxPasses(30)).state
    assert state.gradient_calls == size * state.iteration
    state = solve(problem, SFW(), stopping=NEVER | MaxPasses(30)).state
    assert state.gradient_calls == sum(growing_size(20, k, 2) for k in range(1, state.iteration + 1))
    state = solve(problem, SVRF(), stopping=NEVER | MaxPasses(30)).state
    inner = [k for t in range(state.round) for k in range(1, 2 ** (t + 3) - 1)] + list(
        range(1, state.inner + 1)
    )
    assert state.gradient_calls == 20 * (state.round + 1) + 2 * sum(growing_size(20, k, 1) for k in inner)
    assert len(inner) == state.iteration
    state = solve(problem, SCGS(), stopping=NEVER | MaxPasses(30)).state
    assert state.gradient_calls == sum(growing_size(20, k, 3) for k in range(1, state.iteration + 1))


def test_batches_are_drawn_without_replacement(rng):
    batches = draw_batches(rng, 20, 6, 300)
    assert all(np.unique(batch).size == 6 for batch in batches)
    counts = np.bincount(batches.ravel(), minlength=20)
    # 300 * 6 / 20 = 90 each, with a standard deviation below 9.5.
    assert np.abs(counts - 90).max() <= 45
    np.testing.assert_array_equal(draw_batches(rng, 4, 4, 2), [[0, 1, 2, 3], [0, 1, 2, 3]])


@pytest.mark.parametrize(
    "g", [L1Ball(0.8), L2Ball(1.0), Ridge(0.3), Box(-0.4, 0.5), GroupL2Ball(1.0, [0, 0, 1, 1])]
)
def test_a_batch_of_all_rows_is_the_deterministic_method(rng, g):
    problem = draw(rng, Logistic(), g, n=9, weight="positive")
    state = solve(problem, GSFW(batch=1.0), stopping=NEVER | MaxPasses(3), rng=1).state
    count = state.iteration
    times = np.arange(count, dtype=float)
    step, weight = 2.0 / (times + 3.0), 2.0 + times
    if isinstance(g, Ridge):
        A = problem.design.select_columns(np.arange(4))
        # The bound on |S A|^2 is the sum of all rows.
        sigma = 1.0 + 0.25 * float(problem.sample_weight @ np.sum(A**2, axis=1)) / (9 * 0.3)
        step, weight = np.full(count, 1.0 / sigma), (sigma / (sigma - 1.0)) ** times
    u = problem.loss.gradient(np.zeros(9), problem.b)
    numerator = np.zeros(4)
    gsfw_pass(
        problem.design.select_columns(np.arange(4)), np.tile(np.arange(9), (count, 1)), problem.loss,
        problem.b, problem.sample_weight, g, step, weight, np.zeros(9), u, problem.correlation(u),
        numerator, np.zeros(9),
    )  # fmt: skip
    np.testing.assert_allclose(state.u, u, rtol=1e-11)
    np.testing.assert_allclose(
        state.numerator / state.total, numerator / weight.sum(), rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize("batch", [0.02, 0.2, 1.0])
def test_the_dual_never_falls_under_strong_convexity(rng, batch):
    """With equal rows, where the sigma of a single row diverges for large batches."""
    A, b = np.ones((50, 1)), np.full(50, 3.0)
    problem = Problem(A, b, Squared(), Ridge(0.1))
    for solver in (GSFW(batch), AdaptiveGSFW(batch)):
        state = solver.init(problem, Start(), rng)
        values = []
        for _ in range(20):
            solver.run_epoch(problem, state)
            values.append(problem.dual_value(state.u))
        assert np.all(np.diff(values) >= -1e-12)
        assert values[-1] == pytest.approx(problem.certify(np.array([3.0 / 1.1])).primal, rel=0.2)


def test_a_sigma_of_one_row_diverges_with_large_batches(rng):
    """Remark 3.4 of the paper keeps the sigma of one row: here with n equal rows in a batch."""
    problem = Problem(np.ones((30, 1)), np.full(30, 3.0), Squared(), Ridge(0.01))
    single = 1.0 + 1.0 / (30 * 0.01)
    wrong, right = (
        solve(problem, GSFW(1.0, sigma=sigma), stopping=NEVER | MaxPasses(100)).state.u
        for sigma in (single, None)
    )
    assert np.abs(wrong).max() > 1e6
    assert problem.dual_value(right) > 0.0


def test_best_dual_is_a_lower_bound_as_good_as_the_certificate(rng):
    problem = draw(rng, Logistic(), L1Ball(2.0), n=60, kind="correlated")
    value = solve(problem, PairwiseFrankWolfe(), stopping=RelativeGap(1e-12)).certificate.primal
    result = solve(problem, GSFW(0.05), stopping=NEVER | MaxPasses(200))
    assert result.certificate.dual - 1e-12 <= result.state.best_dual <= value + 1e-12
    assert result.state.kept_dual <= result.state.best_dual


def test_adaptive_steps_save_gradients(rng):
    A = rng.normal(size=(200, 20))
    problem = Problem(A, np.sign(A[:, 0] + rng.normal(size=200)), Logistic(), Ridge(0.01))
    calls = [
        solve(problem, solver, stopping=RelativeGap(1e-5)).state.gradient_calls
        for solver in (AdaptiveGSFW(0.2), GSFW(0.2))
    ]
    assert calls[0] <= 0.5 * calls[1]


@pytest.mark.parametrize("solver", ["frank_wolfe", "gsfw", "sfw", "svrf", "scgm", "scgs"])
@pytest.mark.parametrize(
    ("loss", "g"),
    [(MultiSquared(), NuclearBall(1.0)), (Softmax(), L1InfBall(1.0))],
    ids=repr,
)
def test_matrices_of_coefficients(rng, solver, loss, g):
    """Sets of matrices; the gap falls and stays true."""
    problem = draw(rng, loss, g, n=15)
    result = solve(problem, solver, stopping=RelativeGap(1e-3) | MaxPasses(30))
    assert problem.regularizer.value(result.w) < np.inf
    assert result.certificate.gap < result.trace[0].certificate.gap
    best = solve(problem, "frank_wolfe", stopping=RelativeGap(1e-4) | MaxPasses(100)).certificate
    assert result.certificate.dual <= best.primal + 1e-12


def test_an_intercept_is_minimised_over(rng):
    """Sparse logistic regression on an l1 ball with a free intercept, by four methods."""
    A = rng.normal(size=(60, 10)) + 1.0
    b = np.where(A[:, 0] + rng.normal(size=60) > 0.0, 1.0, -1.0)
    problem = Problem(A, b, Logistic(), L1Ball(1.0), fit_intercept=True)
    best = solve(problem, "proximal_gradient", stopping=RelativeGap(1e-10)).certificate.primal
    for solver, digits in (
        ("pairwise_frank_wolfe", 1e-10),
        ("away_frank_wolfe", 1e-8),
        ("frank_wolfe", 1e-3),
    ):
        result = solve(problem, solver, stopping=RelativeGap(digits) | MaxPasses(3000))
        assert result.status.solved
        assert result.certificate.primal == pytest.approx(best, rel=digits)
        u = problem.dual_point(result.w)
        assert abs(np.mean(u)) <= 1e-12


@pytest.mark.parametrize(
    ("penalty", "level"),
    [
        (L1(0.2), 0.7), (GroupL2(0.3, [0, 0, 1, 1]), 0.5), (Ridge(0.4), 0.7),
        (Ridge(0.4, weights=[1, 2, 3, 4]), 0.7), (ElasticNet(0.1, 0.3), 0.6),
        (NonNegative(l1=0.1, l2=0.3), 0.6),
    ],
    ids=repr,
)  # fmt: skip
def test_redundant_radii(rng, penalty, level):
    """Equal on the level set, whose every point is inside; a best response to every direction."""
    ball = bounded_on_level(penalty, level)
    for w in rng.normal(size=(200, 4)):
        w = np.abs(w) if isinstance(penalty, NonNegative) else w
        value = penalty.value(w)
        if value <= level:
            assert ball.value(w) == pytest.approx(value, rel=1e-14)
        assert ball.value(w) >= value * (1 - 1e-14)
    for v in rng.normal(size=(20, 4)):
        assert np.isfinite(ball.lmo(v)).all()
        assert np.isfinite(ball.conjugate(v))


@pytest.mark.parametrize(
    "g", [L1(0.1, weights=[1.0, 2.0]), L1(0.0), Box(-1.0, 1.0), Ridge(0.5, weights=[0.0, 1.0])]
)
def test_what_has_no_ball_comes_back(g):
    assert bounded_on_level(g, 1.0) is g


@pytest.mark.parametrize(
    "solver", [name for name in SOLVERS if SOLVERS[name].__module__.startswith("fenchel.solvers.frank")]
)
def test_losses_with_kinks_are_refused(solver):
    problem = Problem(np.eye(2), [1.0, -1.0], Hinge(), L1Ball(1.0))
    with pytest.raises(UnsupportedProblemError, match=r"it needs a loss with a Lipschitz gradient"):
        solve(problem, solver)


@pytest.mark.parametrize(
    ("solver", "g", "intercept", "message"),
    [
        ("frank_wolfe", L1(0.1, weights=[1.0, 2.0]), False, "a best response to every direction"),
        ("pairwise_frank_wolfe", L2Ball(1.0), False, r"one vertex a coordinate.*solver='frank_wolfe'"),
        ("gsfw", L1Ball(1.0), True, r"the intercept is free.*solver='pairwise_frank_wolfe'"),
        ("adaptive_gsfw", L1Ball(1.0), False, "a strongly convex regularizer"),
    ],
)
def test_refusals_with_a_way_out(solver, g, intercept, message):
    problem = Problem(np.eye(2), [1.0, -1.0], Logistic(), g, fit_intercept=intercept)
    with pytest.raises(UnsupportedProblemError, match=message):
        solve(problem, solver)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FrankWolfe(step="short"), lambda: GSFW(batch=0.0), lambda: GSFW(batch=1.5),
        lambda: GSFW(sigma=1.0), lambda: SCGM(batch="all"), lambda: AdaptiveGSFW(batch=-1),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(make):
    with pytest.raises(InvalidInputError):
        make()


def test_a_warm_start_goes_on(rng):
    problem = draw(rng, Logistic(), L1Ball(2.0), n=40, kind="correlated")
    first = solve(problem, PairwiseFrankWolfe(), stopping=RelativeGap(1e-9))
    for solver in ("pairwise_frank_wolfe", "away_frank_wolfe", "frank_wolfe", "gsfw"):
        again = solve(problem, solver, stopping=RelativeGap(1e-8) | MaxPasses(10), start=first)
        assert again.passes == 0.0
        far = solve(problem, solver, stopping=MaxPasses(5), start=Start(w=100.0 * rng.normal(size=4)))
        assert problem.regularizer.value(far.w) < np.inf or solver == "gsfw"


def test_auto_takes_pairwise_steps_on_tall_polytopes(rng):
    tall = draw(rng, SmoothedHinge(), L1Ball(1.0), n=12)
    wide = Problem(rng.normal(size=(5, 9)), rng.normal(size=5), Squared(), Simplex())
    assert choose_solver(tall)[0].name == "pairwise_frank_wolfe"
    assert choose_solver(wide)[0].name == "proximal_gradient"
