"""Products with a tall thin matrix, the columns of a few coordinates.

BLAS wakes all its threads for a vector of ten thousand entries; where other processes hold the cores
that costs a thousand times the product itself. Few columns are therefore handled without BLAS.
"""

from __future__ import annotations

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["gram", "transposed_product"]

_FEW = 4


def transposed_product(columns: FloatArray, x: FloatArray) -> FloatArray:
    """``C' x`` for C of shape (n, m) and x of shape (n,) or (n, k)."""
    if columns.shape[1] > _FEW:
        result: FloatArray = columns.T @ x
        return result
    short: FloatArray = np.einsum("ij,i...->j...", columns, x)
    return short


def gram(columns: FloatArray, weight: FloatArray) -> FloatArray:
    """``C' diag(weight) C``."""
    if columns.shape[1] > _FEW:
        result: FloatArray = columns.T @ (weight[:, None] * columns)
        return result
    short: FloatArray = np.einsum("ij,i,ik->jk", columns, weight, columns)
    return short
