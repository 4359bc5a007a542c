"""The products of all pairs of few rows: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array, check_vector
from fenchel.typing import DataArray, FloatArray

__all__ = ["row_products"]

_TYPES = (np.dtype(np.float64), np.dtype(np.float32))


def row_products(A: DataArray, lengths: FloatArray) -> FloatArray:
    """``A A'`` from products in single precision of the rows divided by their lengths.

    The twin is :func:`fenchel.reference.row_products.row_products`.

    Parameters
    ----------
    A : (n, d) float64 or float32, C-contiguous.
    lengths : (n,) of the rows.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric; an entry is off by some 1e-8 of the product of the lengths. Cost n^2 d / 2.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size.
    """
    check_array("A", A, _TYPES, 2)
    n = len(A)
    check_vector("lengths", lengths, n)
    out = np.zeros((n, n))
    _core.row_products(A, lengths, np.zeros(_core.row_products_work(n), dtype=np.float32), out)
    return out
