"""Products of a data matrix with several vectors at once: checks, then the kernel."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from fenchel._kernels import _core
from fenchel._kernels.views import DenseLines, Lines, SparseLines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["products_across", "products_along"]

_DENSE = 0.25
"""From this share of non-zero entries on, vectors are read as they are."""


def products_along(lines: Lines, vectors: FloatArray) -> FloatArray:
    """The inner product of every line with every vector: ``vectors @ L'`` for lines L.

    Parameters
    ----------
    lines : n lines of length d.
    vectors : (k, d) float64.

    Returns
    -------
    ndarray of shape (k, n)
        A row does not depend on the other vectors, to the last bit.
    """
    _check(vectors, lines.length)
    out = np.zeros((lines.n_lines, len(vectors)))
    if vectors.any():  # not so at the start of most runs
        coefficients = DenseLines(np.ascontiguousarray(vectors.T), lines.length, len(vectors))
        _core.products_along(lines.compiled, coefficients.compiled, out)
    return np.ascontiguousarray(out.T)


def products_across(lines: Lines, vectors: FloatArray) -> tuple[FloatArray, int]:
    """The sums of the lines, each times its entry of a vector: ``vectors @ L``; and the entries read.

    Parameters
    ----------
    lines : n lines of length d.
    vectors : (k, n) float64. A line for which all have a zero is not read, where most entries are zero.

    Returns
    -------
    ndarray of shape (k, d), and the entries of the lines that were read, once for all vectors
        A row does not depend on the other vectors, to the last bit.
    """
    out, entries = products_by_position(lines, vectors)
    return np.ascontiguousarray(out.T), entries


def products_by_position(lines: Lines, vectors: FloatArray) -> tuple[FloatArray, int]:
    """:func:`products_across`, transposed: shape (d, k), as the kernel fills it."""
    _check(vectors, lines.n_lines)
    coefficients = _rows_of_transpose(vectors)
    out = np.zeros((lines.length, len(vectors)))
    entries = _core.products_across(lines.compiled, coefficients.compiled, out)
    return out, entries


def _check(vectors: FloatArray, length: int) -> None:
    if vectors.ndim != 2 or vectors.shape[1] != length or vectors.dtype != np.float64:
        raise InvalidInputError(
            f"vectors are {vectors.dtype} of shape {vectors.shape}; expected float64 of shape (k, {length})."
        )


def _rows_of_transpose(vectors: FloatArray) -> Lines:
    """The rows of ``vectors.T`` as lines: what the kernel adds for an entry of the data matrix."""
    count, length = vectors.shape
    if np.count_nonzero(vectors) > _DENSE * vectors.size:
        return DenseLines(np.ascontiguousarray(vectors.T), length, count)
    turned = sp.csr_array(vectors).tocsc()
    indices, indptr = turned.indices.astype(np.int32, copy=False), turned.indptr.astype(np.int64)
    return SparseLines(turned.data, indices, indptr, n_lines=length, length=count)
