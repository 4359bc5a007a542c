"""SPD1-VR: the stored traces, its estimates, and what it keeps true while it runs."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import cases
from cases_solvers import construct, draw
from fenchel import SPD1VR, InvalidInputError, MaxPasses, Problem, RelativeGap, Status, solve
from fenchel._kernels.entries import EvenEntries
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.spd1_vr import spd1_vr_steps
from fenchel.losses import Absolute, Hinge, Logistic, Loss, SmoothedHinge, Squared, SquaredHinge
from fenchel.losses.registry import get_loss
from fenchel.reference import spd1_vr as twins
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, Regularizer, Ridge
from fenchel.solvers.base import Start
from fenchel.solvers.centred_game import CentredGame
from fenchel.solvers.stochastic.entry_sampling import EntrySampling, magnitude_sampling, uniform_sampling
from fenchel.solvers.stochastic.entry_steps import EntrySteps, balanced_steps, contraction, theory_rho
from fenchel.solvers.stochastic.spd1_vr import SPD1VRState
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

each_loss = pytest.mark.parametrize("loss", COMPILED, ids=repr)
each_sampling = pytest.mark.parametrize("sampling", ["uniform", "magnitude"])
each_kind = pytest.mark.parametrize("kind", ["correlated", "sparse", "degenerate"])


def medium(rng, loss: Loss, g: Regularizer, **options) -> Problem:
    return draw(rng, loss, g, **{"n": 30, "d": 8, "kind": "correlated", "weight": "zeros"} | options)


def dense(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_coordinates))


def sampled(problem: Problem, kind: str) -> EntrySampling:
    if kind == "uniform":
        return uniform_sampling(problem)
    return magnitude_sampling(problem, np.ones(problem.n_coordinates))


def plain_game(problem: Problem) -> CentredGame:
    d, n = problem.n_coordinates, problem.n_samples
    return CentredGame(np.zeros(d), 0.0, np.zeros(d), np.zeros(n))


def curved_game(problem: Problem) -> CentredGame:
    """A game with curvature on both sides, from which steps can be computed for every problem."""
    return replace(plain_game(problem), alpha=np.full(problem.n_coordinates, 0.3), beta=0.2)


def stepping(problem: Problem, steps: EntrySteps, w: np.ndarray, u: np.ndarray) -> dict[str, object]:
    """What the kernel and its twin take beside the entries, with (w, u) as snapshot."""
    game = plain_game(problem)
    return {
        "b": problem.b, "form": problem.coordinate_form,
        "step_w": steps.step_w, "rate_w": steps.rate_w, "alpha": game.alpha, "centre_w": game.centre_w,
        "step_u": steps.step_u, "rate_u": steps.rate_u, "weight": steps.weight, "beta": 0.0,
        "centre_u": game.centre_u, "snapshot_w": w.copy(), "snapshot_u": u.copy(),
        "v": problem.correlation(u), "z": problem.scores(w),
    }  # fmt: skip


def kernel_loss(problem: Problem) -> KernelLoss:
    return KernelLoss(problem.loss.name, problem.loss.parameters)


def word(position: int, count: int) -> int:
    """The smallest word that stands for a position."""
    return -(-position * 2**32 // count)


# The stored traces


@pytest.fixture
def traced() -> tuple[dict, list[dict]]:
    data, traces = stored("spd-optima.json"), stored("spd-traces.json")
    return data, [trace for trace in traces["traces"] if trace["alg"].startswith("SPD1-VR")]


def traced_steps(problem: Problem, sampling: EntrySampling, eta: float, tau: float) -> EntrySteps:
    """Steps eta and tau in the sense of the paper, and of the note on draws of non-zeros."""
    steps = balanced_steps(problem, sampling, plain_game(problem), 1.0)
    per_column = problem.n_samples / problem.design.column_counts.clip(1)
    return replace(steps, step_w=eta * per_column, step_u=tau / problem.design.row_counts.clip(1))


def check_trace(problem: Problem, trace: dict, w: np.ndarray, u: np.ndarray) -> None:
    np.testing.assert_allclose(w, trace["x"], atol=1e-12)
    np.testing.assert_allclose(u, trace["y"], atol=1e-12)
    assert problem.primal_value(w) == pytest.approx(trace["P"], abs=1e-12)
    assert problem.dual_value(u) == pytest.approx(trace["D"], abs=1e-12)


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_the_stored_traces(traced, index, storage):
    """Two snapshots; given (i, j), i', j', as the paper's indices or as entries in the order of the rows.

    A full matrix stored as sparse draws the same entries by the same words, and ends at the same point.
    """
    data, traces = traced
    trace = traces[index]
    A = np.array(data["A_dense" if trace["data"] == "dense" else "A_sparse"])
    if storage == "dense" and trace["data"] == "sparse":
        return
    loss = get_loss(trace["loss"])
    problem = Problem(
        sp.csr_array(A) if storage == "sparse" else A, data["b_class"], loss,
        ElasticNet(trace["l1"], trace["l2"]),
    )  # fmt: skip
    sampling = uniform_sampling(problem)
    steps = traced_steps(problem, sampling, trace["eta"], trace["tau"])
    entries = sampling.entries(problem)
    w, u = np.zeros(problem.n_coordinates), loss.gradient(np.zeros(problem.n_samples), problem.b)
    twin_w, twin_u = w.copy(), u.copy()
    rows, columns = np.nonzero(A)
    for epoch in range(len(trace["i1"])):
        if "entry" in trace:
            i, j = rows[trace["entry"][epoch]], columns[trace["entry"][epoch]]
        else:
            i, j = np.array(trace["i"][epoch]), np.array(trace["j"][epoch])
        other_i, other_j = np.array(trace["i1"][epoch]), np.array(trace["j1"][epoch])
        words = words_of(A, entries, i, j, other_i, other_j)
        assert [x.tolist() for x in twins.drawn_entries(entries, words)] == [
            x.tolist() for x in (i, j, other_i, other_j)
        ]
        spd1_vr_steps(entries, words, kernel_loss(problem), **stepping(problem, steps, w, u), w=w, u=u)
        twins.spd1_vr_steps(
            A, i, j, other_i, other_j, loss, **stepping(problem, steps, twin_w, twin_u), w=twin_w, u=twin_u
        )
    check_trace(problem, trace, w, u)
    check_trace(problem, trace, twin_w, twin_u)


def words_of(A: np.ndarray, entries: EvenEntries, i, j, other_i, other_j) -> np.ndarray:
    """Words for given indices; the rows are drawn by their numbers of entries, through alias tables."""
    full = isinstance(entries, EvenEntries) and not hasattr(entries.rows, "indptr")
    filled = np.ones_like(A, dtype=bool) if full else A != 0
    words = np.empty((len(i), 4), dtype=np.uint32)
    n = len(A)
    for t in range(len(i)):
        row, column = np.flatnonzero(filled[i[t]]), np.flatnonzero(filled[:, j[t]])
        words[t] = (
            row_word(entries, int(i[t]), n),
            word(int(np.searchsorted(row, j[t])), row.size),
            word(int(np.searchsorted(column, other_i[t])), column.size),
            word(int(np.searchsorted(row, other_j[t])), row.size),
        )
    return words


def row_word(entries: EvenEntries, i: int, n: int) -> int:
    """A word for which the tables choose row i: the first of a position with that label, or the last."""
    for k, (keep, own, other) in enumerate(entries.choice.tolist()):
        if own == i and keep > n:
            return word(k, n)
        if other == i and keep < 2**32 - n:
            return word(k + 1, n) - 1
    raise AssertionError(f"row {i} is never drawn")


# The estimates


def conditional(tables: np.ndarray, starts: np.ndarray, line: int, size: int) -> np.ndarray:
    """The probabilities of the indices of one line, from its cells."""
    share = np.zeros(size)
    cells = tables[starts[line] : starts[line + 1]].astype(np.int64)
    for keep, own, other in cells:
        for label, part in ((own, keep / 2**32), (other, 1 - keep / 2**32)):
            label = label - 2**32 if label >= 2**31 else label
            share[label if label >= 0 else -1 - label] += part / len(cells)
    return share


@each_sampling
@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
@pytest.mark.parametrize("intercept", [False, True])
def test_estimates_are_unbiased_by_enumeration(rng, sampling, kind, intercept):
    """Over i' | j and over i | j alike, and so for the rows: the mean estimate is the partial derivative."""
    problem = draw(rng, Squared(), Ridge(0.1), n=7, d=5, kind=kind, weight="zeros", intercept=intercept)
    A, s = dense(problem), problem.sample_weight
    chosen = sampled(problem, sampling)
    steps = balanced_steps(problem, chosen, curved_game(problem), 0.1)
    w, u, ws, us = (rng.normal(size=size) for size in (len(A.T), 7, len(A.T), 7))
    F = A if chosen.even else np.sign(A)
    filled = np.ones_like(A) if kind == "gaussian" else (A != 0).astype(float)
    joint = filled if chosen.even else np.sqrt(s)[:, None] * np.abs(A)
    joint = joint / joint.sum()
    np.testing.assert_allclose(joint.sum(axis=1), chosen.row, atol=1e-15)
    np.testing.assert_allclose(joint.sum(axis=0), chosen.column, atol=1e-15)
    for j in np.flatnonzero(chosen.column):
        in_column = joint[:, j] / joint[:, j].sum()
        estimate = steps.rate_w[j] * F[:, j] * steps.weight * (u - us) + problem.correlation(us)[j]
        assert in_column @ estimate == pytest.approx(problem.correlation(u)[j], abs=1e-13)
    for i in np.flatnonzero(chosen.row):
        in_row = joint[i] / joint[i].sum()
        estimate = steps.rate_u[i] * F[i] * (w - ws) + A[i] @ ws
        assert in_row @ estimate == pytest.approx(A[i] @ w, abs=1e-12)
    if not chosen.even:
        entries = chosen.entries(problem)
        for i in np.flatnonzero(chosen.row):
            share = conditional(entries.in_row, entries.row_starts, i, len(A.T))
            np.testing.assert_allclose(share, joint[i] / joint[i].sum(), atol=1e-9)
        for j in np.flatnonzero(chosen.column):
            share = conditional(entries.in_column, entries.column_starts, j, 7)
            np.testing.assert_allclose(share, joint[:, j] / joint[:, j].sum(), atol=1e-9)


@each_loss
@each_sampling
@pytest.mark.parametrize("key", ["ridge", "elastic_net", "box-elastic", "l1"])
def test_a_saddle_point_is_fixed(rng, loss, sampling, key):
    """At (w*, u*), with it as the snapshot, no draw moves anything."""
    known = construct(rng, loss, key, weight=True)
    problem, w, u = known.problem, known.w.copy(), known.u.copy()
    chosen = sampled(problem, sampling)
    steps = balanced_steps(problem, chosen, curved_game(problem), 0.01)
    arguments = stepping(problem, steps, w, u)
    words = rng.integers(2**32, size=(200, 4), dtype=np.uint32)
    spd1_vr_steps(chosen.entries(problem), words, kernel_loss(problem), **arguments, w=w, u=u)
    np.testing.assert_allclose(w, known.w, atol=1e-9)
    np.testing.assert_allclose(u, known.u, atol=1e-9)


@each_loss
def test_with_one_entry_it_is_the_extragradient_method(rng, loss):
    problem = draw(rng, loss, ElasticNet(0.02, 0.3), n=1, d=1)
    a, b = float(dense(problem)[0, 0]), problem.b
    chosen = uniform_sampling(problem)
    steps = balanced_steps(problem, chosen, curved_game(problem), 0.2)
    h, k = float(steps.step_w[0]), float(steps.step_u[0])
    w, u = np.zeros(1), np.array(loss.dual_domain(b).project(rng.normal(size=1)))
    x, y = w.copy(), u.copy()
    words = rng.integers(2**32, size=(10, 4), dtype=np.uint32)
    spd1_vr_steps(
        chosen.entries(problem), words, kernel_loss(problem), **stepping(problem, steps, w, u), w=w, u=u
    )
    form = problem.coordinate_form
    for _ in range(10):
        ahead_x = form.prox(x - h * a * y, h)
        ahead_y = loss.prox_conjugate(y + k * a * x, b, k)
        x, y = form.prox(x - h * a * ahead_y, h), loss.prox_conjugate(y + k * a * ahead_x, b, k)
    np.testing.assert_allclose(w, x, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(u, y, rtol=1e-12, atol=1e-13)


def test_permuted_rows_and_columns_permute_the_points(rng):
    A, b = rng.normal(size=(6, 5)), np.sign(rng.normal(size=6))
    rows, columns = rng.permutation(6), rng.permutation(5)
    problems = [Problem(M, c, Logistic(), Ridge(0.1)) for M, c in ((A, b), (A[rows][:, columns], b[rows]))]
    i, j, other_i, other_j = (rng.integers(size, size=200) for size in (6, 5, 6, 5))
    permuted = [
        np.argsort(rows)[i],
        np.argsort(columns)[j],
        np.argsort(rows)[other_i],
        np.argsort(columns)[other_j],
    ]
    ends = []
    for problem, drawn in zip(problems, ([i, j, other_i, other_j], permuted), strict=True):
        chosen = uniform_sampling(problem)
        steps = balanced_steps(problem, chosen, plain_game(problem), 0.1)
        words = np.array(
            [[word(k, c) for k, c in zip(t, (6, 5, 6, 5), strict=True)] for t in zip(*drawn, strict=True)]
        )
        w, u = np.zeros(5), problem.loss.gradient(np.zeros(6), problem.b)
        spd1_vr_steps(
            chosen.entries(problem), words.astype(np.uint32), kernel_loss(problem),
            **stepping(problem, steps, w, u), w=w, u=u,
        )  # fmt: skip
        ends.append((w, u))
    np.testing.assert_allclose(ends[1][0], ends[0][0][columns], rtol=1e-12)
    np.testing.assert_allclose(ends[1][1], ends[0][1][rows], rtol=1e-12)


# Steps


@each_sampling
def test_steps_are_balanced_and_have_their_product(rng, sampling):
    """In the variables sqrt(l2_j) w_j and sqrt(s_i) u_i, from the formulas alone."""
    problem = medium(rng, Logistic(), CURVED[3], weight="none")
    chosen, rho = sampled(problem, sampling), 0.01
    steps = balanced_steps(problem, chosen, plain_game(problem), rho)
    n, d, l2, A = 30, 8, problem.coordinate_form.l2, dense(problem)
    sizes = np.ones_like(A) if sampling == "uniform" else np.abs(A)
    p = sizes / sizes.sum()
    eta, tau = steps.step_w * d * chosen.column * l2, steps.step_u * d * n * chosen.row
    np.testing.assert_allclose(eta, eta[0], rtol=1e-12)
    np.testing.assert_allclose(tau, n * eta[0] / 4.0, rtol=1e-12)
    assert eta[0] * tau[0] * np.sum(A**2 / l2 / p) / (n * d) ** 2 == pytest.approx(rho, rel=1e-12)
    assert contraction(problem, chosen, plain_game(problem), rho) == pytest.approx(n * eta[0], rel=1e-12)


def test_theory_steps_are_formula_9(rng):
    """eta = gamma / (128 M) and tau = n mu / (128 M) for a dense matrix and one strength."""
    problem = medium(rng, Logistic(), Ridge(0.1), weight="none")
    game, chosen = plain_game(problem), uniform_sampling(problem)
    steps = balanced_steps(problem, chosen, game, theory_rho(problem, game))
    A = dense(problem)
    largest = max((A**2).sum(axis=1).max(), (A**2).sum(axis=0).max())
    np.testing.assert_allclose(steps.step_w, 4.0 / (128 * largest), rtol=1e-12)
    np.testing.assert_allclose(steps.step_u, 30 * 0.1 / (128 * largest) / 8, rtol=1e-12)


def test_theory_steps_lower_the_gap(rng):
    problem = medium(rng, SmoothedHinge(), Ridge(1.0))
    result = solve(problem, SPD1VR(steps="theory"), stopping=NEVER | MaxPasses(5000))
    gaps = [record.certificate.gap for record in result.trace]
    assert gaps[-1] <= 0.2 * gaps[0]
    assert result.state.rho == 1 / 256


# The solver


@each_loss
@each_kind
@each_sampling
@pytest.mark.parametrize("g", [*CURVED, L1(0.01), Box(-0.2, 0.3)], ids=repr)
def test_state_is_consistent_after_a_run(rng, loss, kind, sampling, g):
    problem = medium(rng, loss, g, kind=kind, intercept=True)
    state = solve(problem, SPD1VR(sampling=sampling), stopping=NEVER | MaxPasses(60)).state
    np.testing.assert_allclose(state.z, problem.scores(state.w), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-12, atol=1e-12)
    assert loss.dual_domain(problem.b).contains(state.u).all()
    form = problem.coordinate_form
    assert np.all((form.lower <= state.w) & (state.w <= form.upper))
    assert state.entries_read == 5 * problem.design.n_entries * state.snapshots


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@each_sampling
@pytest.mark.parametrize("g", CURVED, ids=repr)
@each_kind
def test_it_converges_with_curvature(rng, loss, sampling, g, kind):
    problem = medium(rng, loss, g, kind=kind)
    result = solve(problem, SPD1VR(sampling=sampling), stopping=RelativeGap(1e-9) | MaxPasses(20_000))
    assert result.status.solved, result.message


@each_loss
@pytest.mark.parametrize("g", [CURVED[0], L1(0.02), Box(-0.2, 0.3)], ids=repr)
def test_the_free_gap_is_that_of_the_certificate(rng, loss, g):
    """Without proximal terms; with them it is a gap of the inner game, at least 0 and 0 at no other pair."""
    problem = medium(rng, loss, g)
    state = SPD1VR().init(problem, Start(), np.random.default_rng(0))
    SPD1VR().run_snapshot(problem, state)
    if state.game.plain:
        certificate = problem.certify(state.w, state.u)
        gap = state.game.gap(problem, state.w, state.u, state.z, state.v)
        assert gap == pytest.approx(certificate.gap, rel=1e-9)
    for _ in range(20):
        w = np.clip(rng.normal(size=8), problem.coordinate_form.lower, problem.coordinate_form.upper)
        u = problem.loss.dual_domain(problem.b).project(rng.normal(size=30))
        gap = state.game.gap(problem, w, u, problem.scores(w), problem.correlation(u))
        assert gap >= -1e-12


@pytest.mark.parametrize("loss", [Hinge(), Absolute(), Logistic(), SquaredHinge()], ids=repr)
@pytest.mark.parametrize("g", [L1(0.05), Ridge(0.1), Box(-0.2, 0.3), NonNegative(l1=0.05)], ids=repr)
def test_proximal_point_mode_gets_near(rng, loss, g):
    problem = medium(rng, loss, g, kind="gaussian", intercept=True, weight="none")
    result = solve(problem, "spd1_vr", stopping=RelativeGap(1e-2) | MaxPasses(4_000))
    assert result.status.solved, result.message
    again = problem.certify(result.w, result.u)
    assert again.gap == pytest.approx(result.certificate.gap, rel=1e-6, abs=1e-14)


def test_an_honest_end_at_the_limit(rng):
    problem = medium(rng, Hinge(), L1(0.001), kind="gaussian")
    result = solve(problem, "spd1_vr", stopping=RelativeGap(1e-12) | MaxPasses(50))
    assert result.status is Status.MAX_PASSES
    assert not result.status.solved
    assert result.certificate.relative_gap > 1e-12


def test_steps_that_are_too_long_are_given_up(rng):
    problem = medium(rng, SmoothedHinge(), Ridge(0.001), kind="gaussian")
    result = solve(problem, SPD1VR(rho=1.0), stopping=RelativeGap(1e-6) | MaxPasses(20_000))
    assert result.status.solved, result.message
    assert result.state.rho < 1.0


def test_coordinates_that_no_entry_touches_have_their_best_values(rng):
    problem = medium(rng, Logistic(), Box(0.1, 0.5, l2=0.1), kind="degenerate", weight="none")
    problem = Problem(sp.csr_array(dense(problem)), problem.b, problem.loss, problem.regularizer)
    state = solve(problem, "spd1_vr", stopping=NEVER | MaxPasses(30)).state
    assert state.w[0] == 0.1
    assert state.u[15] == -0.5 * problem.b[15]


def test_a_matrix_of_zeros_is_solved_by_the_start(rng):
    problem = Problem(np.zeros((4, 3)), [1.0, -1.0, 1.0, 1.0], Logistic(), Ridge(0.1))
    result = solve(problem, "spd1_vr", stopping=RelativeGap(0.0) | MaxPasses(200))
    assert result.certificate.gap <= 1e-15
    np.testing.assert_array_equal(result.w, np.zeros(3))


def test_a_warm_start_needs_fewer_passes(rng):
    problem = medium(rng, SmoothedHinge(), ElasticNet(0.02, 0.05), weight="none")
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    cold = solve(problem, "spd1_vr", stopping=rule)
    near = Problem(dense(problem), problem.b, problem.loss, ElasticNet(0.0201, 0.0501))
    warm = solve(near, "spd1_vr", stopping=rule, start=cold)
    assert warm.status.solved
    assert warm.passes < solve(near, "spd1_vr", stopping=rule).passes


def test_uneven_entries_are_drawn_by_size(rng):
    A = rng.normal(size=(40, 10)) * np.exp(2 * rng.normal(size=10))
    b = np.sign(rng.normal(size=40))
    drawn = {}
    for kind, M in (("uneven", A), ("even", rng.normal(size=(40, 10)))):
        state: SPD1VRState = SPD1VR().init(Problem(M, b, Logistic(), Ridge(0.1)), Start(), rng)
        drawn[kind] = state.sampling.even
    assert drawn == {"uneven": False, "even": True}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"sampling": "rows"},
            r"^sampling='rows' is unknown\. Use one of \('auto', 'uniform', 'magnitude'\)\.$",
        ),
        ({"steps": "long"}, r"^steps='long' is unknown\."),
        ({"steps": "theory", "sampling": "magnitude"}, r"^steps='theory' is for entries that are drawn"),
        ({"rho": 0.0}, r"^rho is 0\.0; it must be positive"),
        ({"rho": 2.0}, r"^rho is 2\.0; it must be positive"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(InvalidInputError, match=message):
        SPD1VR(**options)
