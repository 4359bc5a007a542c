"""Matrices in factors against the arrays that they stand for."""

import numpy as np
import pytest

from fenchel.numerics.low_rank import LowRank
from fenchel.numerics.shrunk import shrink
from fenchel.regularizers import NuclearBall


def drawn(rng, shape=(9, 6), rank=3) -> LowRank:
    return LowRank(
        rng.normal(size=(shape[0], rank)), rng.normal(size=rank), rng.normal(size=(shape[1], rank))
    )


def test_operations_are_those_of_the_array(rng):
    one, two = drawn(rng), drawn(rng, rank=2)
    a, b = one.toarray(), two.toarray()
    rows, columns = np.arange(9)[:, None] + np.zeros(6, int), np.zeros((9, 1), int) + np.arange(6)
    np.testing.assert_allclose(one.entries(rows.ravel(), columns.ravel()), a.ravel(), atol=1e-13)
    np.testing.assert_allclose((2.0 * one + -two).toarray(), 2 * a - b, atol=1e-13)
    np.testing.assert_allclose(one.T @ np.eye(9), a.T, atol=1e-13)
    assert one.inner(two) == pytest.approx(float(np.sum(a * b)), rel=1e-12)
    assert one.nuclear_norm() == pytest.approx(np.linalg.norm(a, "nuc"), rel=1e-12)
    assert (one.shape, one.ndim, one.rank) == ((9, 6), 2, 3)


def test_entries_in_blocks_are_the_same(rng, monkeypatch):
    w = drawn(rng)
    rows, columns = rng.integers(9, size=50), rng.integers(6, size=50)
    whole = w.entries(rows, columns)
    monkeypatch.setattr("fenchel.numerics.low_rank._BLOCK", 20)
    np.testing.assert_array_equal(w.entries(rows, columns), whole)


def test_a_sum_of_vertices_is_merged_by_its_singular_values(rng):
    """Rank-one updates, as Frank-Wolfe makes them: the merged matrix is the sum, with orthonormal factors."""
    W = LowRank.zeros((9, 6))
    for _ in range(12):
        W = 0.7 * W + 0.3 * drawn(rng, rank=1)
    merged = W.compressed()
    assert merged.rank == 6
    np.testing.assert_allclose(merged.toarray(), W.toarray(), atol=1e-13)
    np.testing.assert_allclose(merged.left.T @ merged.left, np.eye(6), atol=1e-13)
    np.testing.assert_allclose(merged.sizes, np.linalg.svd(W.toarray(), compute_uv=False), atol=1e-13)
    u, s, vt = np.linalg.svd(W.toarray(), full_matrices=False)
    np.testing.assert_allclose(W.compressed(2).toarray(), (u[:, :2] * s[:2]) @ vt[:2], atol=1e-13)


def test_the_zero_matrix(rng):
    zero = LowRank.zeros((4, 3))
    assert zero.nuclear_norm() == 0.0
    assert zero.compressed().rank == 0
    assert (zero + zero).rank == 0
    np.testing.assert_array_equal(zero.entries(np.array([1]), np.array([2])), [0.0])
    np.testing.assert_array_equal(zero @ np.ones((3, 2)), np.zeros((4, 2)))
    np.testing.assert_array_equal(LowRank.of(np.zeros((4, 3))).toarray(), np.zeros((4, 3)))


class Dense:
    """The products of an array."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def matmat(self, block: np.ndarray) -> np.ndarray:
        return self.array @ block

    def rmatmat(self, block: np.ndarray) -> np.ndarray:
        return self.array.T @ block


@pytest.mark.parametrize("radius", [1.0, 15.0, 1e3])
def test_shrinking_converges_to_the_projection_from_any_basis(rng, radius):
    array = rng.normal(size=(30, 20))
    basis = np.linalg.qr(rng.normal(size=(20, 2)))[0]
    for _ in range(200):
        found = shrink(Dense(array), radius, basis, rng)
        assert found.matrix.nuclear_norm() <= radius * (1 + 1e-12)
        basis = found.basis
    np.testing.assert_allclose(found.matrix.toarray(), NuclearBall(radius).prox(array, 1.0), atol=1e-8)


@pytest.mark.parametrize(("share", "products"), [(1.01, 2), (0.99, 4)])
def test_the_basis_grows_by_a_few_columns_inside_of_the_ball(rng, share, products):
    """There the projection has full rank, whatever the basis: one far wider only costs more."""
    array = rng.normal(size=(60, 50))
    basis = np.linalg.qr(rng.normal(size=(50, 20)))[0]
    seen = np.linalg.svd(np.linalg.qr(array @ basis)[0].T @ array, compute_uv=False)
    found = shrink(Dense(array), share * seen.sum(), basis, rng)
    assert found.products == products
    assert found.basis.shape[1] == 28 or share < 1.0
