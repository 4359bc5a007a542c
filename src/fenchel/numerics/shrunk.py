r"""The projection of a large matrix onto a nuclear ball, from products with thin blocks alone.

One step of subspace iteration from a basis V of the last projection:
:math:`Q = \operatorname{qr}(M V)`, :math:`B = M^\top Q`; the singular values of B stand for those of M. The
basis for the next projection is a few columns wider than the rank, and half as wide again while all of the
values stay above a positive threshold.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from fenchel.numerics.low_rank import LowRank
from fenchel.numerics.projections import project_l1_ball
from fenchel.typing import FloatArray

__all__ = ["Products", "Shrunk", "shrink"]

_SPARE = 8
"""Vectors of the basis beyond the rank: they see a value that rises above the threshold."""
_TRIALS = 2
"""How often the basis may grow in one call: far from the optimum the projection can have a huge rank."""


class Products(Protocol):
    """A matrix as its products with blocks, and those of its transpose."""

    def matmat(self, block: FloatArray) -> FloatArray:
        """``M @ block``."""

    def rmatmat(self, block: FloatArray) -> FloatArray:
        """``M' @ block``."""


class Shrunk(NamedTuple):
    """The projected matrix, the basis to begin the next projection with, and the cost.

    ``narrow`` tells that the basis was too narrow to see all values above a positive threshold; ``products``
    counts the products with a block.
    """

    matrix: LowRank
    basis: FloatArray
    narrow: bool
    products: int


def shrink(M: Products, radius: float, basis: FloatArray, rng: np.random.Generator) -> Shrunk:
    """Project M onto the nuclear ball, as far as one step of subspace iteration from ``basis`` sees it.

    The result lies in the ball whatever the basis. Cost: two products with a block of a few more columns
    than the rank, and O((m + p) k^2); twice that where the basis is too narrow.
    """
    products = 0
    for _ in range(_TRIALS):
        left = np.linalg.qr(M.matmat(basis))[0]
        # M is about left @ image.T, and image = right diag(sizes) small'.
        right, sizes, small = np.linalg.svd(M.rmatmat(left), full_matrices=False)
        products += 2
        shrunk = project_l1_ball(sizes, radius)
        rank, widest = int(np.count_nonzero(shrunk)), min(len(left), len(right))
        # Inside of the ball nothing is shrunk, and a wider basis would be filled, whatever its width.
        narrow = rank == len(sizes) < widest and float(sizes.sum()) > radius
        basis = _widened(right, rng, min(rank + max(_SPARE, narrow * rank // 2), widest))
        if not narrow:
            break
    return Shrunk(LowRank(left @ small[:rank].T, shrunk[:rank], right[:, :rank]), basis, narrow, products)


def _widened(basis: FloatArray, rng: np.random.Generator, width: int) -> FloatArray:
    """The first ``width`` columns of an orthonormal basis, and random directions where there are fewer."""
    if width <= basis.shape[1]:
        return basis[:, :width]
    fresh = rng.normal(size=(len(basis), width - basis.shape[1]))
    return np.linalg.qr(np.hstack([basis, fresh]))[0]
