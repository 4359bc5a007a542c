"""Draws of the sampled entropic steps: in proportion to the weights, and without bias."""

import numpy as np
import pytest

from fenchel._kernels.mirror_dense import DenseTables
from fenchel._kernels.mirror_sparse import SparseTables
from fenchel.reference import sampled_mirror as twins
from sampled_runs import FORMS, WIDTH, Run, each_served, weights
from stored import stored


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
