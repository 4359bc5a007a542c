"""Products of a data matrix with several vectors at once: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.products import across
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["products_across", "products_along", "products_by_line", "products_by_position", "sums_of_lines"]


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
    return np.ascontiguousarray(products_by_line(lines, vectors).T)


def products_by_line(lines: Lines, vectors: FloatArray) -> FloatArray:
    """:func:`products_along`, transposed: shape (n, k), as the kernel fills it."""
    _check(vectors, lines.length)
    out = np.zeros((lines.n_lines, len(vectors)))
    if vectors.any():  # not so at the start of most runs
        _core.products_along(lines.compiled, np.ascontiguousarray(vectors.T), out)
    return out


def products_across(lines: Lines, vectors: FloatArray) -> tuple[FloatArray, int]:
    """The sums of the lines, each times its entry of a vector: ``vectors @ L``; and the entries read.

    Parameters
    ----------
    lines : n lines of length d.
    vectors : (k, n) float64. A line for which all have a zero is not read.

    Returns
    -------
    ndarray of shape (k, d), and the entries of the lines that were read, once for all vectors
        A row does not depend on the other vectors, to the last bit.
    """
    out, entries = products_by_position(lines, vectors)
    return np.ascontiguousarray(out.T), entries


def sums_of_lines(lines: Lines, vectors: FloatArray) -> FloatArray:
    """:func:`products_across`; a single vector needs no block, and its sums are the same to the last bit."""
    if len(vectors) == 1:
        return across(lines, np.ascontiguousarray(vectors[0]))[None]
    return products_across(lines, vectors)[0]


def products_by_position(lines: Lines, vectors: FloatArray) -> tuple[FloatArray, int]:
    """:func:`products_across`, transposed: shape (d, k), as the kernel fills it."""
    _check(vectors, lines.n_lines)
    k = len(vectors)
    out = np.zeros((lines.length, k))
    entries = _core.products_across(
        lines.compiled, np.ascontiguousarray(vectors.T), out, np.empty(k), np.empty(k, dtype=np.int32)
    )
    return out, entries


def _check(vectors: FloatArray, length: int) -> None:
    if vectors.ndim != 2 or vectors.shape[1] != length or vectors.dtype != np.float64:
        raise InvalidInputError(
            f"vectors are {vectors.dtype} of shape {vectors.shape}; expected float64 of shape (k, {length})."
        )
