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
