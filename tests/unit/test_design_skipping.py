"""Products that skip what has no factor change nothing that anyone can see."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from fenchel import Problem, as_design
from fenchel.losses import SmoothedHinge
from fenchel.regularizers import ElasticNet

STORAGES = {
    "dense C": np.ascontiguousarray,
    "dense F": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}


def drawn(seed, share):
    """A sparse matrix with labels and weights, and points of which about ``share`` is not zero."""
    rng = np.random.default_rng(seed)
    n, d = 30, 20
    A = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)
    b, weight = np.where(rng.random(n) < 0.5, 1.0, -1.0), rng.random(n) * (rng.random(n) < 0.8)
    w = rng.normal(size=d) * (rng.random(d) < share)
    u = -b * rng.random(n) * (rng.random(n) < share)
    return A, b, weight + 0.01, w, u


@pytest.mark.parametrize("storage", STORAGES)
@given(seed=st.integers(0, 2**32 - 1), share=st.sampled_from([0.0, 0.1, 0.5, 1.0]), intercept=st.booleans())
@settings(max_examples=25)
def test_certificates_do_not_depend_on_views(storage, seed, share, intercept):
    A, b, weight, w, u = drawn(seed, share)
    penalty = ElasticNet(0.05, 0.1)
    w = np.append(w, 0.3) if intercept else w
    plain = Problem(A.copy(), b, SmoothedHinge(), penalty, weight, intercept).certify(w, u)
    design = as_design(STORAGES[storage](A))
    first = Problem(design, b, SmoothedHinge(), penalty, weight, intercept).certify(w, u)
    assert (design.rows.n_lines, design.columns.n_lines) == A.shape  # both views are there from now on
    second = Problem(design, b, SmoothedHinge(), penalty, weight, intercept).certify(w, u)
    for found in (first, second):
        assert found.primal == pytest.approx(plain.primal, rel=1e-13)
        assert found.dual == pytest.approx(plain.dual, rel=1e-12, abs=1e-14)
        np.testing.assert_allclose(found.dual_point, plain.dual_point, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("storage", ["csr", "csc"])
def test_a_view_that_was_built_meanwhile_changes_no_bit(rng, storage):
    A, *_ = drawn(3, 0.5)
    w, u = rng.normal(size=20), rng.normal(size=30) * (rng.random(30) < 0.5)
    design = as_design(STORAGES[storage](A))
    before = design.matvec(w), design.rmatvec(u)
    assert (design.rows.n_lines, design.columns.n_lines) == A.shape
    for old, new in zip(before, (design.matvec(w), design.rmatvec(u)), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("storage", ["csr", "csc"])
def test_products_build_no_view(rng, storage):
    design = as_design(STORAGES[storage](drawn(4, 0.5)[0]))
    stored = set(vars(design))
    design.matvec(np.eye(20)[0]), design.rmatvec(np.eye(30)[0])
    assert set(vars(design)) == stored


def test_scores_are_not_shared_with_the_caller(rng):
    A, b, weight, w, _ = drawn(5, 0.5)
    problem = Problem(A, b, SmoothedHinge(), ElasticNet(0.05, 0.1), weight)
    z = problem.scores(w)
    expected = z.copy()
    z[:] = 0.0
    np.testing.assert_array_equal(problem.scores(w), expected)
    w[:] = 0.0
    np.testing.assert_array_equal(problem.scores(w), np.zeros(30))
