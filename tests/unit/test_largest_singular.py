"""The bounds on the largest singular value are never below it, and near it."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.numerics import largest_singular
from fenchel.numerics.largest_singular import FAILURE, is_proven, leading_pair, singular_bound
from fenchel.numerics.low_rank import LowRank
from fenchel.regularizers import NuclearBall


def drawn(rng, kind: str, shape: tuple[int, int]) -> sp.csr_array:
    if kind == "dense":
        return sp.csr_array(rng.normal(size=shape))
    matrix = sp.random_array(shape, density=0.05, rng=rng, format="csr")
    matrix.data[:] = 1.0 if kind == "ones" else rng.normal(size=matrix.nnz)
    if kind == "equal":
        # Many largest values of one size, and one a little above them.
        matrix = sp.csr_array(sp.diags_array(np.r_[1.0 + 1e-9, np.ones(min(shape) - 1)], shape=shape))
    return matrix


SHAPES = [(1, 1), (1, 40), (60, 30), (30, 60), (300, 700), (700, 650)]


@pytest.mark.parametrize("kind", ["dense", "sparse", "ones", "equal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_proven_bound(rng, kind, shape):
    matrix = drawn(rng, kind, shape)
    exact = float(np.linalg.norm(matrix.toarray(), 2))
    assert is_proven(matrix)
    assert exact * (1 - 1e-13) <= singular_bound(matrix) <= exact * (1 + 2e-8)


@pytest.mark.parametrize("kind", ["dense", "sparse", "ones", "equal"])
@pytest.mark.parametrize("shape", SHAPES)
def test_probable_bound(rng, kind, shape, monkeypatch):
    monkeypatch.setattr(largest_singular, "_LONGEST_PROVEN", 0)
    matrix = drawn(rng, kind, shape)
    exact = float(np.linalg.norm(matrix.toarray(), 2))
    assert not is_proven(matrix)
    assert exact * (1 - 1e-13) <= singular_bound(matrix) <= exact * (1 + 2.01e-4)
    ball = NuclearBall(2.0)
    assert ball.conjugate_failure(matrix) == FAILURE
    assert ball.conjugate(matrix) == 2.0 * singular_bound(matrix)


def test_a_start_far_from_the_leading_vector_is_no_excuse():
    """A start orthogonal to the leading vector would miss it: no random one is, and none is chosen."""
    size = 2500
    matrix = sp.csr_array(sp.diags_array(np.r_[np.linspace(0.5, 0.999, size - 1), 1.0]))
    assert not is_proven(matrix)
    assert 1.0 <= singular_bound(matrix) <= 1.0 + 2.01e-4


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_no_overflow(rng, scale):
    matrix = sp.csr_array(scale * rng.normal(size=(5, 4)))
    exact = scale * np.linalg.norm(matrix.toarray() / scale, 2)
    assert singular_bound(matrix) == pytest.approx(exact, rel=1e-12)
    assert leading_pair(matrix)[1] == pytest.approx(exact, rel=1e-12)


def test_entries_that_stand_twice_are_added():
    matrix = sp.csr_array((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert singular_bound(matrix) == pytest.approx(3.0, rel=1e-12)
    np.testing.assert_array_equal(matrix.data, [1.0, 2.0, 1.0])


@pytest.mark.parametrize("shape", [(2600, 2100), (2100, 2600)])
def test_a_probable_bound_shares_the_positions(rng, shape):
    """Its copies are one of the values, 8 bytes an entry, and one of the transpose, 12."""
    matrix = sp.random_array(shape, density=0.05, rng=rng, format="csr")
    tracemalloc.start()
    singular_bound(matrix)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 22 * matrix.nnz


def test_zero():
    zero = sp.csr_array((3, 4))
    assert singular_bound(zero) == 0.0
    assert NuclearBall(1.0).lmo(zero).nuclear_norm() == 0.0


@pytest.mark.parametrize("shape", [(12, 8), (900, 700)])
def test_leading_pair_and_oracle(rng, shape):
    matrix = drawn(rng, "sparse", shape)
    left, size, right = leading_pair(matrix)
    np.testing.assert_allclose(matrix @ right, size * left, atol=1e-10)
    assert size == pytest.approx(np.linalg.norm(matrix.toarray(), 2), rel=1e-10)
    vertex = NuclearBall(2.0).lmo(matrix)
    assert isinstance(vertex, LowRank)
    np.testing.assert_allclose(vertex.toarray(), -2.0 * np.outer(left, right), atol=1e-12)
