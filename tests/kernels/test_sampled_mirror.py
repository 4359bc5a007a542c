"""Sampled entropic steps: the compiled ones are the naive ones, lazy sums, flushes and tables included."""

import numpy as np
import pytest

from fenchel.reference.stochastic_mirror import smd
from sampled_runs import WIDTH, Run, data, each_served, weights


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
