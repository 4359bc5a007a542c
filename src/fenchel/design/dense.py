"""A dense data matrix."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from fenchel._kernels.row_products import row_products
from fenchel._kernels.views import DenseLines
from fenchel.design.base import Design
from fenchel.design.blocks import row_slices
from fenchel.design.values import LARGEST_VALUE, all_equal, contiguous
from fenchel.typing import DataArray, FloatArray, IndexArray

__all__ = ["DenseDesign"]

_LONG_LINE = 256
"""Entries from which on the squared lengths of all lines cost no more than that of the whole array."""


class DenseDesign(Design):
    """A data matrix kept as the caller's own two-dimensional array.

    Parameters
    ----------
    array : ndarray of float32 or float64, shape (n, d)
        Native byte order, any strides, already checked (see :func:`fenchel.design.as_design`). It is
        neither copied nor modified.

    Notes
    -----
    ``rows`` is the array itself when it is C-contiguous, ``columns`` when it is Fortran-contiguous.
    The other view is one copy of n d entries, made on first use and kept.

    A product with a vector that is zero in three quarters of its entries, or more, reads the lines of the
    others alone. Every other product reads the n d entries once. At most 4 MB (or one row or column) are
    copied or converted to float64 at a time, and nothing when the array is contiguous float64 and all of it
    is read.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.design import DenseDesign
    >>> design = DenseDesign(np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> design.matvec(np.array([1.0, -1.0]))
    array([-1., -1.])
    """

    def __init__(self, array: DataArray) -> None:
        self._array = array

    def squares_are_small(self) -> bool:
        """Whether the squared lengths of its lines, which are kept, prove that all values are fit.

        Not where the lines are short, and BLAS reads the array more quickly as one vector.
        """
        by_rows = self._array.flags.c_contiguous
        n, d = self.shape
        if not self._is_plain or (d if by_rows else n) < _LONG_LINE:
            return False
        with np.errstate(over="ignore", invalid="ignore"):
            return bool((self._row_squares if by_rows else self._column_squares).sum() <= LARGEST_VALUE)

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self._array.shape
        return n, d

    @property
    def n_entries(self) -> int:
        return self._array.size

    def matvec(self, w: FloatArray) -> FloatArray:
        n, d = self.shape
        if not _mostly_zero(w, d):
            return self._matvec(w, squared=False)
        product = np.zeros(n)
        for support in _cut(np.flatnonzero(w), n):
            product += self.select_columns(support) @ w[support]
        return product

    def rmatvec(self, u: FloatArray) -> FloatArray:
        n, d = self.shape
        if not _mostly_zero(u, n):
            return self._rmatvec(u, squared=False)
        product = np.zeros(d)
        for support in _cut(np.flatnonzero(u), d):
            chosen = self._array[support].astype(np.float64, copy=False)
            product += u[support] @ chosen
        return product

    @cached_property
    def rows(self) -> DenseLines:
        n, d = self.shape
        return DenseLines(contiguous(self._array), n_lines=n, length=d)

    @cached_property
    def columns(self) -> DenseLines:
        n, d = self.shape
        return DenseLines(contiguous(self._array.T), n_lines=d, length=n)

    @property
    def copied_bytes(self) -> int:
        views = [self.__dict__[name].data for name in ("rows", "columns") if name in self.__dict__]
        return sum(view.nbytes for view in views if not np.may_share_memory(view, self._array))

    def column_sums(self, sample_weight: FloatArray) -> FloatArray:
        return self._rmatvec(sample_weight, squared=False)

    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        if self._is_plain and all_equal(sample_weight):
            _check_length(sample_weight, self.shape[0])
            return float(sample_weight[0]) * self._column_squares
        return self._rmatvec(sample_weight, squared=True)

    def row_square_sums(self, coordinate_weight: FloatArray) -> FloatArray:
        if self._is_plain and all_equal(coordinate_weight):
            _check_length(coordinate_weight, self.shape[1])
            return float(coordinate_weight[0]) * self._row_squares
        return self._matvec(coordinate_weight, squared=True)

    @property
    def row_squares(self) -> FloatArray:
        return self._row_squares if self._is_plain else super().row_squares

    @cached_property
    def _column_squares(self) -> FloatArray:
        """Kept for the problems that share the design."""
        return _square_lengths(self._array.T)

    @cached_property
    def _row_squares(self) -> FloatArray:
        return _square_lengths(self._array)

    @property
    def column_counts(self) -> IndexArray:
        n, d = self.shape
        return np.full(d, n, dtype=np.int64)

    @property
    def row_counts(self) -> IndexArray:
        n, d = self.shape
        return np.full(n, d, dtype=np.int64)

    def select_columns(self, coordinates: IndexArray) -> FloatArray:
        array = self._array
        # np.take goes along the rows, which is faster where they are contiguous.
        along_rows = array.flags.c_contiguous
        chosen = np.take(array, coordinates, axis=1) if along_rows else array[:, coordinates]
        return chosen.astype(np.float64, copy=False)

    def restrict(self, coordinates: IndexArray) -> "DenseDesign":
        return DenseDesign(self.select_columns(coordinates))

    def submatrix(self, samples: IndexArray, coordinates: IndexArray) -> "DenseDesign":
        everything = len(coordinates) == self.shape[1]
        chosen = self._array[samples] if everything else self._array[np.ix_(samples, coordinates)]
        return DenseDesign(np.ascontiguousarray(chosen, dtype=np.float64))

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        d = self.shape[1]
        product = np.zeros((d, d))
        for chosen in row_slices(*self.shape):
            block = self._array[chosen].astype(np.float64, copy=False)
            product += block.T @ (sample_weight[chosen, None] * block)
        return product

    def row_gram(self, samples: IndexArray, coordinate_weight: FloatArray) -> FloatArray:
        n = self.shape[0]
        everything = len(samples) == n and bool((samples == np.arange(n)).all())
        chosen = (self._array if everything else self._array[samples]).astype(np.float64, copy=False)
        # Of a matrix and its own transpose BLAS computes one triangle.
        if all_equal(coordinate_weight):
            product: FloatArray = chosen @ chosen.T
            product *= float(coordinate_weight[0])
            return product
        scaled = chosen * np.sqrt(coordinate_weight)
        product = scaled @ scaled.T
        return product

    @cached_property
    def rounded_row_products(self) -> FloatArray:
        if not self._array.flags.c_contiguous:
            return self.row_products
        return row_products(self._array, np.sqrt(self.row_squares))

    @cached_property
    def _is_plain(self) -> bool:
        """Whether BLAS reads the array as it is."""
        flags = self._array.flags
        return self._array.dtype == np.float64 and (flags.c_contiguous or flags.f_contiguous)

    def _matvec(self, w: FloatArray, *, squared: bool) -> FloatArray:
        if self._is_plain and not squared:
            return _times(self._array, w)
        n, d = self.shape
        _check_length(w, d)
        product = np.zeros((n, *w.shape[1:]))
        for rows, columns, block in self._blocks(squared):
            product[rows] += block @ w[columns]
        return product

    def _rmatvec(self, u: FloatArray, *, squared: bool) -> FloatArray:
        if self._is_plain and not squared:
            return _times(self._array.T, u)
        n, d = self.shape
        _check_length(u, n)
        product = np.zeros((d, *u.shape[1:]))
        for rows, columns, block in self._blocks(squared):
            product[columns] += block.T @ u[rows]
        return product

    def _blocks(self, squared: bool) -> Iterator[tuple[slice, slice, FloatArray]]:
        """Yield float64 blocks that cover the matrix, cut along the axis of the larger stride."""
        array, everything = self._array, slice(None)
        by_columns = abs(array.strides[1]) > abs(array.strides[0])
        lines = array.T if by_columns else array
        for chosen in row_slices(*lines.shape):
            block = lines[chosen].astype(np.float64)
            if squared:
                np.square(block, out=block)
            yield (everything, chosen, block.T) if by_columns else (chosen, everything, block)


def _mostly_zero(x: FloatArray, size: int) -> bool:
    """Whether three quarters of a vector, or more, are zero."""
    return bool(x.ndim == 1 and len(x) == size and 4 * np.count_nonzero(x) <= size)


def _square_lengths(lines: DataArray) -> FloatArray:
    """The squared length of every row of a float64 array, in one reading and without a copy."""
    squares: FloatArray
    if not lines.flags.c_contiguous:
        squares = np.einsum("ij,ij->i", lines, lines)
        return squares
    # Inner products by BLAS: twice as fast where they are long.
    squares = np.matmul(lines[:, None, :], lines[:, :, None])[:, 0, 0]
    return squares


def _times(matrix: DataArray, x: FloatArray) -> FloatArray:
    """A product by BLAS, which refuses an operand of another length itself."""
    product: FloatArray = matrix @ x
    return product


def _cut(support: IndexArray, line_length: int) -> Iterator[IndexArray]:
    """Cut a support into parts whose lines are one block of entries."""
    for part in row_slices(len(support), line_length):
        yield support[part]


def _check_length(operand: FloatArray, expected: int) -> None:
    """Refuse an operand of another length: slices of it would broadcast in silence."""
    if len(operand) != expected:
        raise ValueError(f"operand has length {len(operand)}, but the design needs {expected}")
