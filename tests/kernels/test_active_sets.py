"""The scans of the active-set solver equal their twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cases
from fenchel._kernels import active_sets as kernels
from fenchel._kernels.losses import KernelLoss
from fenchel.design import as_design
from fenchel.errors import InvalidInputError
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.reference import active_sets as twins

COMPILED = [case.loss for case in cases.LOSSES if case.loss.compiled]


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(0, 40), count=st.integers(0, 50))
def test_take_best_is_its_twin_with_many_equal_scores(seed, size, count):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-2, 5, size) / 4.0
    active, barred = rng.random(size) < 0.3, rng.random(size) < 0.3
    expected, before = active.copy(), active.copy()
    twins.take_best(scores, barred, count, expected)
    kernels.take_best(scores, barred, count, active)
    np.testing.assert_array_equal(active, expected)
    assert (active & ~before).sum() == min(count, int(((scores > 0.0) & ~before & ~barred).sum()))


@pytest.mark.parametrize("loss", COMPILED, ids=repr)
def test_settle_rows_is_its_twin(rng, loss):
    n = 200
    b = np.sign(rng.normal(size=n))
    z, spread = 3.0 * rng.normal(size=n), rng.random(n)
    u = loss.gradient(z, b)
    for reach in (0.0, 0.1, 1.0):
        settled = rng.random(n) < 0.1
        expected = settled.copy()
        twins.settle_rows(loss, z, u, b, spread, reach, 1e-9, expected)
        kernels.settle_rows(KernelLoss.of(loss), z, u, b, spread, reach, 1e-9, settled)
        # Where a slope is not constant, the two may round to different sides of its last place.
        assert np.mean(settled != expected) <= (0.01 if loss.sparse_dual else 0.1)


BOUNDS = {"lines": (-np.inf, np.inf), "half_lines": (0.0, np.inf), "away_from_zero": (0.1, 0.4)}
each_bound = pytest.mark.parametrize("ends", BOUNDS.values(), ids=BOUNDS)


@each_bound
def test_responses_are_their_twins(rng, ends):
    d = 50
    form = CoordinateForm.broadcast(d, 0.5, 0.1, *ends, weights=0.5 + rng.random(d))
    v, zero, counts = rng.normal(size=d), rng.random(d) < 0.3, rng.integers(0, 9, d)
    w, expected = np.empty(d), np.empty(d)
    assert kernels.respond(form, v, zero, counts, w) == twins.respond(form, v, zero, counts, expected)
    np.testing.assert_allclose(w, expected, rtol=1e-15, atol=0.0)
    sizes = kernels.response_sizes(form, 0.9, v)
    np.testing.assert_allclose(sizes, twins.response_sizes(form, 0.9, v), rtol=1e-15, atol=0.0)
    assert np.any((sizes > 0.0) & (form.lmo(v) == 0.0)) or ends[0] > 0.0


def test_responses_refuse_a_coordinate_without_curvature_and_arrays_of_another_kind(rng):
    flat, form = (CoordinateForm.broadcast(4, 0.1, l2) for l2 in (0.0, 0.1))
    v, zero, counts = np.zeros(4), np.zeros(4, dtype=bool), np.zeros(4, dtype=np.int64)
    for respond in (
        lambda form, v: kernels.respond(form, v, zero, counts, v),
        lambda form, v: kernels.response_sizes(form, 0.9, v),
    ):
        with pytest.raises(InvalidInputError, match=r"l2 is 0\.0 at coordinate 0"):
            respond(flat, v)
        with pytest.raises(InvalidInputError, match="v is"):
            respond(form, np.zeros(5))
    with pytest.raises(InvalidInputError, match="counts"):
        kernels.respond(form, v, zero, counts.astype(np.int32), v)


def test_masks_of_another_kind_are_refused():
    mask, scores = np.zeros(4, dtype=bool), np.ones(4)
    for bad in (np.zeros(4), np.zeros(3, dtype=bool), np.zeros(8, dtype=bool)[::2]):
        with pytest.raises(InvalidInputError, match="barred"):
            kernels.take_best(scores, bad, 1, mask)
    frozen = mask.copy()
    frozen.flags.writeable = False
    with pytest.raises(InvalidInputError, match="read-only"):
        kernels.take_best(scores, mask, 1, frozen)


@pytest.mark.parametrize("bounded", [False, True], ids=["lines", "bounded"])
@pytest.mark.parametrize("loss", COMPILED, ids=repr)
def test_active_ascent_is_its_twin(rng, loss, bounded):
    n, d, passes = 30, 12, 4
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    b = np.sign(rng.normal(size=n))
    weight = rng.random(n) * (rng.random(n) < 0.9)
    ends = (-0.3, 0.5) if bounded else (-np.inf, np.inf)
    form = CoordinateForm.broadcast(d, 0.05, 0.1, *ends, weights=0.5 + rng.random(d))
    norms = weight * (A**2 / form.l2).sum(axis=1)
    step = np.divide(n, norms, out=np.zeros(n), where=norms > 0.0)
    u = 0.5 * loss.gradient(np.zeros(n), b)
    v = A.T @ (weight * u) / n
    state = [v, form.lmo(v), u]
    expected = [array.copy() for array in state]
    twins.active_ascent(A, passes, loss, b, weight, step, form, *expected)
    rows = as_design(sp.csr_array(A)).rows
    entries = kernels.active_ascent(
        rows, passes, KernelLoss.of(loss), b, weight, step, form, 1.0 / form.l2, bounded, *state
    )
    for ours, theirs in zip(state, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert 0 < entries <= passes * np.count_nonzero(A)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("loss", COMPILED, ids=repr)
def test_active_gap_is_its_twin(rng, loss, storage):
    n, d = 30, 12
    S = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    b = np.sign(rng.normal(size=n))
    weight = rng.random(n) * (rng.random(n) < 0.9)
    w, u = rng.normal(size=d), loss.dual_domain(b).project(rng.normal(size=n))
    expected = twins.active_gap(S, loss, b, weight, 50, w, u)
    found = kernels.active_gap(as_design(storage(S)).rows, KernelLoss.of(loss), b, weight, 50, w, u)
    assert found == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InvalidInputError, match="u is"):
        kernels.active_gap(as_design(S).rows, KernelLoss.of(loss), b, weight, 50, w, u[1:])


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_ascent_steps_are_their_twin(rng, storage):
    n, d = 30, 12
    S = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.2)
    S[3] = 0.0
    weight, inverse_l2 = rng.random(n) * (rng.random(n) < 0.9), 0.5 + rng.random(d)
    step = kernels.ascent_steps(as_design(storage(S)).rows, weight, inverse_l2, 50)
    np.testing.assert_allclose(step, twins.ascent_steps(S, weight, inverse_l2, 50), rtol=1e-12)
    assert step[3] == 0.0
    assert np.all((step > 0.0) == (S.any(axis=1) & (weight > 0.0)))


@pytest.mark.parametrize("share_changed", [0.0, 0.1, 1.0])
def test_take_moves_is_its_twin_and_v_follows(rng, share_changed):
    n, d = 40, 12
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    counts = np.count_nonzero(A, axis=1)
    weight = rng.random(n) * (rng.random(n) < 0.9)
    u = rng.normal(size=n) * (rng.random(n) < 0.7)
    named = rng.permutation(n)[:30]
    fresh = np.where(rng.random(30) < share_changed, rng.normal(size=30) * (rng.random(30) < 0.5), u[named])
    v, moves = A.T @ (weight * u) / n, np.full(n, np.nan)
    expected, before = (u.copy(), v.copy(), np.empty(n)), u.copy()
    entries = kernels.take_moves(named, fresh, counts, weight, u, v, moves)
    assert entries == twins.take_moves(named, fresh, counts, weight, *expected)
    for found, wanted in zip((u, v, moves), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(v + A.T @ moves / n, A.T @ (weight * u) / n, rtol=1e-12, atol=1e-14)
    counted = counts * (weight > 0.0)
    assert entries == min(counted[u != before].sum(), counted[u != 0.0].sum())


def test_take_moves_refuses_names_out_of_range_and_arrays_of_another_kind():
    one, counts = np.ones(3), np.ones(3, dtype=np.int64)
    with pytest.raises(InvalidInputError, match="named"):
        kernels.take_moves(np.array([3]), np.ones(1), counts, one, one.copy(), one.copy(), one.copy())
    with pytest.raises(InvalidInputError, match="fresh"):
        kernels.take_moves(np.array([2]), one, counts, one, one.copy(), one.copy(), one.copy())
    with pytest.raises(InvalidInputError, match="counts"):
        kernels.take_moves(np.array([2]), np.ones(1), one, one, one.copy(), one.copy(), one.copy())
