"""Sampled entropic steps: the compiled ones are the naive ones, and their draws are what they should be."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel._kernels.class_tables import ClassTable
from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.mirror_dense import DenseTables, mirror_dense_steps
from fenchel._kernels.mirror_sparse import SparseTables, mirror_sparse_flush, mirror_sparse_steps
from fenchel.design import as_design
from fenchel.errors import InvalidInputError
from fenchel.reference import sampled_mirror as twins
from fenchel.reference.stochastic_mirror import LiftedGame, smd
from stored import stored

FORMS = ("static", "optimal", "full", "hashed")
"""Dense data with static and optimal rows; sparse data with full and hashed tables."""
WIDTH = {"static": 4, "optimal": 4, "full": 11, "hashed": 11}

each_loss = pytest.mark.parametrize("hinge", [True, False], ids=["hinge", "softmax"])
each_served = pytest.mark.parametrize(
    ("form", "hinge"),
    [(form, hinge) for form in FORMS for hinge in (True, False) if hinge or form != "optimal"],
    ids=lambda value: value if isinstance(value, str) else ("softmax", "hinge")[value],
)


def wide(weight) -> np.ndarray:
    """Weights of which the smallest stand as minus 2^1000 times themselves."""
    return np.where(weight >= 0, weight, np.abs(weight) * 2.0**-1000)


class Run:
    """One game twice: compiled tables, and the twin's point."""

    def __init__(self, A, label, k, form, hinge, *, weight=None, radius=4.0, l1=0.03, dtype=np.float64):
        n = len(label)
        weight = np.ones(n) if weight is None else weight
        self.form, self.k, self.label, self.radius, self.l1 = form, k, label, radius, l1
        A = np.asarray(A, dtype=dtype)
        self.naive = LiftedGame(A.astype(np.float64), np.eye(k)[label], weight, hinge, l1, radius)
        design = as_design(A if self.dense else sp.csr_array(A))
        size = np.abs(self.naive.A).max(axis=1)
        of_column = np.sqrt(weight @ self.naive.A**2)
        self.game = SampledGame(design.rows, design.columns, hinge, k, label, size, weight * size, of_column)
        self.tables = (
            DenseTables.initial(self.game, radius)
            if self.dense
            else SparseTables.initial(self.game, radius, form == "hashed")
        )
        self.point = twins.MirrorPoint.uniform(self.naive)
        lists = twins.TouchedClasses if form == "hashed" else twins.AllClasses
        self.lists = lists(), lists()
        self.steps = 0

    @property
    def dense(self) -> bool:
        return self.form in ("static", "optimal")

    def step(self, gamma, draws=1, window=1024.0) -> EntropicStep:
        n, stride = len(self.label), 2.0 * gamma * self.radius * self.naive.primal_log
        dual = 2.0 * gamma * self.naive.dual_log
        return EntropicStep(stride / (n * draws), stride * self.l1, self.radius, dual, draws, window)

    def order(self, rng, draws):
        if self.form == "optimal":
            return None
        return rng.choice(len(self.label), p=self.game.row_weight / self.game.weight_sum, size=draws)

    def compiled(self, step, order, uniforms) -> np.ndarray:
        self.steps += len(uniforms) // step.draws
        if self.dense:
            return mirror_dense_steps(self.game, step, self.tables, order, uniforms)
        drawn = mirror_sparse_steps(self.game, step, self.tables, order, uniforms)
        mirror_sparse_flush(self.game, step, self.tables)
        return drawn

    def twin(self, gamma, draws, order, uniforms) -> np.ndarray:
        if self.dense:
            return twins.mirror_dense_steps(self.naive, self.point, gamma, draws, order, uniforms)
        return twins.mirror_sparse_steps(self.naive, self.point, gamma, draws, order, uniforms, *self.lists)

    @property
    def alpha(self) -> float:
        return float((self.tables.alpha if self.dense else self.tables.scalars)[0])

    @property
    def U(self) -> np.ndarray:
        alpha = self.alpha
        W = self.tables.primal[0].T if self.dense else self.tables.primal.dense(self.naive.A.shape[1], 0, 1.0)
        return np.vstack([alpha * W, alpha / W])

    @property
    def w_mean(self) -> np.ndarray:
        d = self.naive.A.shape[1]
        total = self.tables.primal[1].T if self.dense else self.tables.primal.dense(d, 2)
        return total / self.steps

    def _with_own(self, V, own):
        V = V.copy()
        V[np.arange(len(V)), self.label] = own
        return V

    @property
    def V(self) -> np.ndarray:
        n, tables = len(self.label), self.tables
        if not self.naive.hinge:
            logits = tables.dual[0] if self.dense else tables.dual.dense(n, 0)
            factor = 1.0 if self.dense else tables.scalars[5]
            powers = np.exp(factor * (logits - logits.max(axis=1, keepdims=True)))
            return powers / powers.sum(axis=1, keepdims=True)
        if self.dense:
            return self._with_own(wide(tables.dual[0]), wide(tables.own))
        own, rest, _, _, base, _, _ = tables.dual_rows.T
        total = (wide(own) + rest)[:, None]
        return self._with_own(wide(tables.dual.dense(n, 0, base)) / total, wide(own) / total[:, 0])

    @property
    def V_mean(self) -> np.ndarray:
        n, tables = len(self.label), self.tables
        total = tables.dual[1] if self.dense else tables.dual.dense(n, 2, tables.dual_rows[:, 5])
        mean = self._with_own(total / self.steps, 0.0)
        return self._with_own(mean, 1.0 - mean.sum(axis=1))

    def assert_twins(self, iterates=1e-12, averages=1e-11):
        np.testing.assert_allclose(self.U, np.exp(self.point.log_U), rtol=1e-9, atol=iterates)
        np.testing.assert_allclose(self.V, np.exp(self.point.log_V), rtol=1e-9, atol=iterates)
        np.testing.assert_allclose(self.w_mean, self.point.w_total / self.steps, atol=averages)
        if self.naive.hinge:
            np.testing.assert_allclose(self.V_mean, self.point.V_total / self.steps, atol=averages)


def data(rng, n=13, d=9, k=5):
    """Half of the entries are zero; so are a row and a column."""
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.5)
    A[3], A[:, 2] = 0.0, 0.0
    return A, rng.integers(k, size=n), k


def weights(rng, n):
    weight = rng.random(n) + 0.3
    weight[1] = 0.0
    return weight / weight.mean()


@each_served
@pytest.mark.parametrize("draws", [1, 3])
@pytest.mark.parametrize("schedule", ["short", "constant", "falling"])
def test_steps_are_those_of_the_naive_twin(rng, form, hinge, draws, schedule):
    """400 iterations; short steps leave much to the closed form of the lazy sums."""
    A, label, k = data(rng)
    run = Run(A, label, k, form, hinge, weight=weights(rng, len(label)))
    gammas = {"short": [0.002], "constant": [0.02], "falling": 0.06 / np.sqrt(1 + np.arange(40))}[schedule]
    count = 400 // len(gammas)
    for gamma in gammas:
        order, uniforms = run.order(rng, count * draws), rng.random((count * draws, WIDTH[form]))
        drawn = run.compiled(run.step(gamma, draws), order, uniforms)
        np.testing.assert_array_equal(drawn, run.twin(gamma, draws, order, uniforms))
    run.assert_twins()
    assert np.ptp(run.U) > 1e-3


@pytest.mark.parametrize("hinge", [True, False], ids=["hinge", "softmax"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_level_of_the_loops_takes_these_steps(rng, level, hinge, dtype):
    """More features and classes than the widest vector holds, and some beyond a multiple of it."""
    A, label, k = data(rng, 20, 27, 21)
    run = Run(A, label, k, "static", hinge, weight=weights(rng, len(label)), dtype=dtype)
    order, uniforms = run.order(rng, 200), rng.random((200, WIDTH["static"]))
    drawn = run.compiled(run.step(0.05), order, uniforms)
    np.testing.assert_array_equal(drawn, run.twin(0.05, 1, order, uniforms))
    run.assert_twins()
    # Far too long: no number may overflow.
    run.compiled(run.step(1e3), order, uniforms)
    assert np.isfinite(run.U).all()
    assert run.U.sum() <= run.radius * (1 + 1e-9)
    assert not hinge or np.all(run.V_mean >= -1e-12)


@each_served
def test_draws_of_the_kernel_replayed_by_the_naive_method(rng, form, hinge):
    """The naive method takes the draws as they are: no rule of drawing is shared."""
    A, label, k = data(rng)
    run = Run(A, label, k, form, hinge)
    drawn = run.compiled(run.step(0.03), run.order(rng, 400), rng.random((400, WIDTH[form])))
    naive = smd(run.naive, drawn, np.full(400, 0.03), static=form != "optimal")
    np.testing.assert_allclose(run.U, naive.U, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.V, naive.V, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(run.w_mean, naive.w_mean, atol=1e-11)
    if hinge:
        np.testing.assert_allclose(run.V_mean, naive.V_mean, atol=1e-11)


@each_served
def test_single_precision_data(rng, form, hinge):
    A, label, k = data(rng, 20, 30, 3)
    run = Run(A, label, k, form, hinge, dtype=np.float32)
    order, uniforms = run.order(rng, 200), rng.random((200, WIDTH[form]))
    run.compiled(run.step(0.02), order, uniforms)
    run.twin(0.02, 1, order, uniforms)
    run.assert_twins()


def between(weights, index) -> float:
    """A uniform number that draws this index."""
    running = np.cumsum(weights)
    return float((running[index] - 0.5 * weights[index]) / running[-1])


def class_uniforms(lists, line, weights, label) -> tuple[float, float]:
    """Numbers that draw this class: where it is listed, or beyond all listed ones and then by a try."""
    listed = lists.order.get(line, []) if isinstance(lists, twins.TouchedClasses) else range(weights.size)
    rest = weights.sum() - weights[list(listed)].sum()
    ordered = np.append(weights[list(listed)], rest)
    at = list(listed).index(label) if label in listed else len(listed)
    return between(ordered, at), (label + 0.5) / weights.size


def uniforms_of(run: Run, draw, U, V) -> np.ndarray:
    """The uniform numbers of a draw (j, h, i, m) at the point (U, V)."""
    j, h, i, m = draw
    d, own = run.naive.A.shape[1], run.label[j]
    of_row = run.game.row_weight * np.abs(V - run.naive.b).sum(axis=1)
    of_class, try_class = 0.25, 0.5
    if h != own:
        others = np.where(np.arange(run.k) == own, 0.0, V[j])
        number, try_class = class_uniforms(run.lists[0], j, others, h)
        of_class = 0.5 + 0.5 * number
    halves = (run.naive.column_size * U.sum(axis=1)).reshape(2, d).T.ravel()
    of_feature = between(halves, 2 * (i % d) + (i >= d))
    of_label, try_label = class_uniforms(run.lists[1], i % d, U[i], m)
    if run.dense:
        return np.array([[between(of_row, j), of_class, of_feature, of_label]])
    tries = [try_class, 0.5, 0.5, 0.5, try_label, 0.5, 0.5, 0.5]
    return np.array([[of_class, of_feature, of_label, *tries]])


@pytest.mark.parametrize("form", FORMS)
def test_the_stored_traces(form):
    """Eight traces with listed draws in 40 digits; the optimal rows are there for the hinge."""
    data = stored("mirror_descent.json")
    A, label, k = np.array(data["X"]), np.array(data["y"]), data["k"]
    method = "smd_full_optimal_q" if form == "optimal" else "smd_full_static_q"
    for trace in data["traces"]:
        hinge = trace["loss"] == "hinge"
        if trace["method"] != method or (form == "optimal" and not hinge):
            continue
        run = Run(A, label, k, form, hinge, radius=trace["R"], l1=trace["lam"])
        for draw in trace["draws"]:
            uniforms = uniforms_of(run, draw, run.U, run.V)
            order = None if form == "optimal" else np.array([draw[0]])
            drawn = run.compiled(run.step(trace["gamma"]), order, uniforms)
            np.testing.assert_array_equal(drawn[0], draw)
            run.twin(trace["gamma"], 1, order, uniforms)
        assert run.steps == trace["steps"]
        np.testing.assert_allclose(run.U, trace["U_last_2dk"], atol=1e-12)
        np.testing.assert_allclose(run.V, trace["V_last"], atol=1e-12)
        np.testing.assert_allclose(run.w_mean, trace["U_avg_dk"], atol=1e-12)
        if hinge:
            np.testing.assert_allclose(run.V_mean, trace["V_avg"], atol=1e-12)


def after_some_steps(rng, form, hinge) -> Run:
    """A game so small that all of its draws can be listed."""
    A, label = rng.normal(size=(5, 3)), np.array([0, 1, 2, 1, 0])
    A[0, 1] = A[3, 2] = 0.0
    run = Run(A, label, 3, form, hinge, weight=weights(rng, 5))
    order, uniforms = run.order(rng, 6), rng.random((6, WIDTH[form]))
    run.compiled(run.step(0.05), order, uniforms)
    run.twin(0.05, 1, order, uniforms)
    return run


def copied(run: Run):
    if run.dense:
        return DenseTables(*(part.copy() for part in vars(run.tables).values()))
    tables = run.tables
    rest = (part.copy() for part in (tables.sums, tables.dual_rows, tables.scalars))
    sums, dual_rows, scalars = rest
    return SparseTables(tables.primal.copy(), sums, tables.dual.copy(), dual_rows, scalars)


@each_served
def test_the_estimates_are_unbiased_by_listing_all_draws(rng, form, hinge):
    """The probability of every draw times what the kernel does with it: the two products with A."""
    run = after_some_steps(rng, form, hinge)
    game, (n, d), k = run.naive, run.naive.A.shape, run.k
    before, alpha, U, V = run.tables, run.alpha, run.U, run.V
    of_row = game.row_size * (1.0 if form != "optimal" else np.abs(V - game.b).sum(axis=1))
    of_feature = game.column_size * U.sum(axis=1)
    p_rows = (
        np.abs(V - game.b) / np.abs(V - game.b).sum(axis=1, keepdims=True) * (of_row / of_row.sum())[:, None]
    )
    p_features = U / U.sum(axis=1, keepdims=True) * (of_feature / of_feature.sum())[:, None]
    step, log_U, log_V = run.step(0.01), np.zeros_like(U), np.zeros_like(V)
    rows = [(j, h) for j in range(n) for h in range(k) if p_rows[j, h] > 0]
    features = [(i, m) for i in range(2 * d) for m in range(k)]
    # The two estimates are drawn apart: every half of a draw once, beside any other half.
    halves = [(*row, 0, 0) for row in rows], [(*rows[0], *feature) for feature in features]
    for which, draws in enumerate(halves):
        for draw in draws:
            run.tables = copied(run)
            order = None if form == "optimal" else np.array([draw[0]])
            drawn = run.compiled(step, order, uniforms_of(run, draw, U, V))
            np.testing.assert_array_equal(drawn[0], draw)
            if which == 0:
                change = np.log(run.U / run.U.sum() / (U / U.sum()))
                change -= np.log(run.alpha / alpha * U.sum() / run.U.sum())
                log_U += p_rows[draw[:2]] * change
            else:
                logits = np.log(run.V) - (1.0 if hinge else 1.0 / (1.0 + step.dual)) * np.log(V)
                log_V += p_features[draw[2:]] * (logits - logits[:, :1])
            run.tables = before
    gradient = game.lifted.T @ (game.sample_weight[:, None] * (V - game.b)) / n
    stride = 2.0 * 0.01 * run.radius * game.primal_log
    np.testing.assert_allclose(log_U, -stride * gradient, atol=1e-12)
    scores = game.lifted @ U
    moved = step.dual * (scores - game.b) if hinge else step.dual / (1.0 + step.dual) * scores
    np.testing.assert_allclose(log_V, moved - moved[:, :1], atol=1e-12)


@each_served
def test_an_even_grid_of_uniform_numbers_draws_in_proportion(rng, form, hinge):
    """4001 numbers in the middle of equal cells: every outcome as often as it is likely, to a cell or two."""
    run = after_some_steps(rng, form, hinge)
    game, U, V, k = run.naive, run.U, run.V, run.k
    before, count, fixed = run.tables, 4001, rng.random((1, WIDTH[form]))
    grid, j = (np.arange(count) + 0.5) / count, 2
    first = 1 if run.dense else 0
    outcomes = np.zeros((count, 4), dtype=np.int64)
    for column, at in ((first, 1), (first + 1, 2), (first + 2, 3)):
        for cell, number in enumerate(grid):
            uniforms = fixed.copy()
            uniforms[0, column] = number
            run.tables = copied(run)
            order = None if form == "optimal" else np.array([j])
            outcomes[cell] = run.compiled(run.step(1e-3), order, uniforms)[0]
            run.tables = before
        row, feature = outcomes[0, 0], outcomes[0, 2]
        expected = (
            np.abs(V[row] - game.b[row]),
            game.column_size * U.sum(axis=1),
            U[feature],
        )[at - 1]
        shares = np.bincount(outcomes[:, at], minlength=expected.size) / count
        target = expected / expected.sum()
        if form == "hashed" and at != 2:
            # The untouched classes share their part by other numbers.
            line, lists = (row, run.lists[0]) if at == 1 else (feature % game.A.shape[1], run.lists[1])
            listed = list(lists.order.get(int(line), []))
            if at == 1:
                listed.append(int(run.label[row]))
            np.testing.assert_allclose(shares[listed], target[listed], atol=2.0 / count)
        else:
            np.testing.assert_allclose(shares, target, atol=2.0 / count)
    assert k == 3


def test_untouched_classes_are_equally_likely(rng):
    """By the first try or by rank: an even grid of both numbers."""
    A = np.eye(2)
    run = Run(A, np.array([0, 1]), 7, "hashed", True)
    seen = np.zeros(7)
    for number in (np.arange(700) + 0.5) / 700:
        run.tables = SparseTables.initial(run.game, run.radius, True)
        uniforms = np.array([[0.8, 0.2, 0.3, number, *3 * [0.0], *4 * [0.5]]])
        seen[run.compiled(run.step(1e-3), np.array([0]), uniforms)[0, 1]] += 1
    # The number picks a class; its own class is refused, three times 0 too, and the first rank is class 1.
    np.testing.assert_array_equal(seen, [0, 200, 100, 100, 100, 100, 100])
    seen[:] = 0
    for number in (np.arange(600) + 0.5) / 600:
        run.tables = SparseTables.initial(run.game, run.radius, True)
        uniforms = np.array([[0.8, 0.2, 0.3, *3 * [0.0], number, *4 * [0.5]]])
        seen[run.compiled(run.step(1e-3), np.array([0]), uniforms)[0, 1]] += 1
    np.testing.assert_array_equal(seen, [0, 100, 100, 100, 100, 100, 100])


@pytest.mark.parametrize("gamma", [2e-5, 1e-3, 0.03, 0.3])
def test_what_rows_miss_has_a_closed_form(rng, gamma):
    """Rows that no column of the draws touches: 400 steps, and one row alone that all of them touch."""
    n, k = 6, 4
    A = np.zeros((n, 2))
    A[0, 0], A[1:, 1] = 1.0, 1e-9
    run = Run(A, rng.integers(k, size=n), k, "full", True)
    order, uniforms = np.zeros(400, dtype=np.int64), rng.random((400, 11))
    uniforms[:, 1] *= 0.4
    run.compiled(run.step(gamma), order, uniforms)
    run.twin(gamma, 1, order, uniforms)
    run.assert_twins()


@each_served
def test_flushes_keep_the_averages_and_without_them_they_are_lost(form, hinge):
    """Long steps: alpha falls by many orders, and an unflushed sum of alphas loses its last terms."""
    rng = np.random.default_rng(1)
    A, label, k = data(rng, 8, 6, 4)
    gamma, steps = 0.003, 6000
    flushed, printed = (Run(A, label, k, form, hinge, radius=16.0, l1=0.0) for _ in range(2))
    order, uniforms = flushed.order(rng, steps), rng.random((steps, WIDTH[form]))
    drawn = flushed.compiled(flushed.step(gamma), order, uniforms)
    printed.compiled(printed.step(gamma, window=np.inf), order, uniforms)
    naive = smd(flushed.naive, drawn, np.full(steps, gamma), static=form != "optimal")
    assert flushed.alpha < 1e-8 * flushed.radius
    kept, lost = (np.abs(run.w_mean - naive.w_mean).max() for run in (flushed, printed))
    assert kept < 1e-9
    assert lost > 0.1
    if hinge:
        np.testing.assert_allclose(flushed.V_mean, naive.V_mean, atol=1e-9)


@each_served
def test_steps_that_are_far_too_long_leave_finite_numbers(rng, form, hinge):
    A, label, k = data(rng)
    run = Run(1e3 * A, label, k, form, hinge)
    run.compiled(run.step(10.0, 2), run.order(rng, 600), rng.random((600, WIDTH[form])))
    for array in (run.U, run.V, run.w_mean):
        assert np.isfinite(array).all()
    assert run.U.sum() <= run.radius * (1 + 1e-9)
    assert np.abs(run.w_mean).sum() <= run.radius * (1 + 1e-9)
    if hinge:
        assert np.all(run.V_mean >= -1e-12)


def test_hash_tables_grow_and_hold_what_full_tables_hold(rng):
    A = rng.normal(size=(60, 50)) * (rng.random((60, 50)) < 0.2)
    run = Run(A, rng.integers(40, size=60), 40, "hashed", True)
    first = run.tables.nbytes
    order, uniforms = run.order(rng, 150), rng.random((150, 11))
    np.testing.assert_array_equal(
        run.compiled(run.step(0.01), order, uniforms), run.twin(0.01, 1, order, uniforms)
    )
    run.assert_twins()
    assert run.tables.nbytes > first
    for table, lists in ((run.tables.primal, run.lists[1]), (run.tables.dual, run.lists[0])):
        assert 5 * table.size[0] <= 4 * table.key.size
        assert table.size[0] == table.count.sum() == (table.key >= 0).sum()
        for line, labels in lists.order.items():
            slot, found = table.head[line], []
            while slot >= 0:
                found.append(table.key[slot] - 40 * line)
                slot = table.next[slot]
            assert found == labels


@pytest.fixture
def dense(rng):
    A, label, k = data(rng)
    return Run(A, label, k, "static", True)


@pytest.fixture
def sparse(rng):
    A, label, k = data(rng)
    return Run(A, label, k, "hashed", True)


def test_what_does_not_fit_is_refused(rng, dense, sparse):
    step, order, none = dense.step(0.1), np.zeros(4, dtype=np.int64), np.empty(0, dtype=np.int64)
    fits, fits_sparse = rng.random((4, 4)), rng.random((4, 11))
    softmax = Run(*data(rng), "static", False)
    for call, message in (
        (lambda: mirror_dense_steps(sparse.game, step, dense.tables, order, fits), "^These steps need dense"),
        (
            lambda: mirror_sparse_steps(dense.game, step, sparse.tables, order, fits),
            "^These steps need sparse",
        ),
        (lambda: mirror_dense_steps(softmax.game, step, softmax.tables, None, fits), "^The optimal row prob"),
        (
            lambda: mirror_dense_steps(dense.game, step, dense.tables, order, fits[:3]),
            "^order has 4 rows for 3",
        ),
        (
            lambda: mirror_dense_steps(dense.game, step, dense.tables, order, fits_sparse),
            "^uniforms has shape",
        ),
        (lambda: mirror_sparse_steps(sparse.game, step, sparse.tables, order, fits), "^uniforms has shape"),
        (
            lambda: mirror_sparse_steps(sparse.game, step, sparse.tables, none, fits_sparse),
            "^order has 0 rows",
        ),
        (
            lambda: mirror_dense_steps(dense.game, dense.step(0.1, 3), dense.tables, order, fits),
            "steps of 3 draws",
        ),
        (
            lambda: mirror_sparse_steps(sparse.game, step, sparse.tables, order + 13, fits_sparse),
            "^order spans 13..13",
        ),
        (lambda: mirror_dense_steps(softmax.game, step, dense.tables, order, fits), "^dual has shape"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            call()
    mixed = SparseTables.initial(sparse.game, 1.0, True)
    mixed.dual = ClassTable.full(13, 5, (1.0, 0.0, 0.0))
    with pytest.raises(InvalidInputError, match=r"^One of the tables is hashed"):
        mirror_sparse_flush(sparse.game, step, mixed)
    mixed.dual = ClassTable.hashed(12, 5, 3)
    with pytest.raises(InvalidInputError, match=r"^dual.head is"):
        mirror_sparse_flush(sparse.game, step, mixed)
    mixed.dual = ClassTable.hashed(13, 5, 3, 1000)
    with pytest.raises(InvalidInputError, match="power of two"):
        mirror_sparse_flush(sparse.game, step, mixed)
    mixed.dual = ClassTable.hashed(13, 5, 1)
    with pytest.raises(InvalidInputError, match=r"^dual.values has shape"):
        mirror_sparse_flush(sparse.game, step, mixed)


def test_a_game_of_views_that_do_not_belong_together_is_refused(dense, sparse):
    game, good = dense.game, vars(dense.game)
    for changed, message in (
        ({"columns": sparse.game.columns}, "^rows and columns are not two views of one matrix, stored"),
        ({"columns": game.rows}, "without intercept"),
        ({"label": game.label + 5}, "^label spans"),
        ({"label": game.label[1:]}, "^label has 12 values"),
        ({"row_size": game.row_size[1:]}, "^row_size is"),
        ({"column_size": game.row_size}, "^column_size is"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            SampledGame(**good | changed)


def test_no_steps_change_nothing(rng, dense, sparse):
    for run, width in ((dense, 4), (sparse, 11)):
        before, none = run.U, np.empty(0, dtype=np.int64)
        assert run.compiled(run.step(0.1), none, np.empty((0, width))).shape == (0, 4)
        np.testing.assert_array_equal(run.U, before)
