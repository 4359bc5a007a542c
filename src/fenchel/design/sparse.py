"""A sparse data matrix, stored by rows or by columns."""

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel._kernels.block_products import (
    products_along,
    products_by_line,
    products_by_position,
    sums_of_lines,
)
from fenchel._kernels.products import across, along, dots, gram, part, squares
from fenchel._kernels.views import SparseLines
from fenchel.design.base import Design
from fenchel.design.blocks import line_blocks
from fenchel.design.compressed import INDEX_LIMIT
from fenchel.design.values import all_equal
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SparseDesign"]


class SparseDesign(Design):
    """A data matrix in compressed lines that are the rows (CSR) or the columns (CSC).

    Parameters
    ----------
    lines : SparseLines
        Already checked (see :func:`fenchel.design.as_design`): every position in range and at most
        once in a line, in any order. The arrays are neither copied nor modified.
    by_columns : bool, default=False
        Whether the lines are columns.

    Notes
    -----
    ``rows`` of CSR and ``columns`` of CSC are the stored lines. The other view is one copy of the
    stored entries and their indices, made on first use in O(nnz + n + d) and kept.

    A product with a vector skips the entries whose factor is 0 when the view that allows it is there:
    ``columns`` for ``matvec``, ``rows`` for ``rmatvec``. No product builds a view. A product with
    several vectors reads the entries once for all. The matrix is never made dense.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from fenchel.design import as_design
    >>> design = as_design(sp.csc_array([[1.0, 0.0], [0.0, 2.0]]))
    >>> design.rmatvec(np.array([1.0, 1.0]))
    array([1., 2.])
    """

    def __init__(self, lines: SparseLines, *, by_columns: bool = False) -> None:
        self._lines = lines
        self._by_columns = by_columns

    @property
    def shape(self) -> tuple[int, int]:
        lines = self._lines
        return (lines.length, lines.n_lines) if self._by_columns else (lines.n_lines, lines.length)

    @property
    def n_entries(self) -> int:
        return len(self._lines.data)

    def matvec(self, w: FloatArray) -> FloatArray:
        return self._product(w, self._by_columns)

    def rmatvec(self, u: FloatArray) -> FloatArray:
        return self._product(u, not self._by_columns)

    def matvecs(self, vectors: FloatArray) -> FloatArray:
        return self._products(vectors, self._by_columns)

    def rmatvecs(self, vectors: FloatArray) -> FloatArray:
        return self._products(vectors, not self._by_columns)

    def sparse_matvecs(self, vectors: FloatArray) -> FloatArray:
        return sums_of_lines(self.columns, vectors)

    @property
    def rows(self) -> SparseLines:
        return self._other_lines if self._by_columns else self._lines

    @property
    def columns(self) -> SparseLines:
        return self._lines if self._by_columns else self._other_lines

    def column_sums(self, sample_weight: FloatArray) -> FloatArray:
        return self.rmatvec(sample_weight)

    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        if all_equal(sample_weight):
            return float(sample_weight[0]) * self._column_squares
        return self._square_sums(sample_weight, self._by_columns)

    def row_square_sums(self, coordinate_weight: FloatArray) -> FloatArray:
        if all_equal(coordinate_weight):
            return float(coordinate_weight[0]) * self._row_squares
        return self._square_sums(coordinate_weight, not self._by_columns)

    @cached_property
    def _column_squares(self) -> FloatArray:
        """Kept for the problems that share the design: one pass for all of them."""
        return self._squares(self._by_columns)

    @cached_property
    def _row_squares(self) -> FloatArray:
        return self._squares(not self._by_columns)

    def _squares(self, of_lines: bool) -> FloatArray:
        if of_lines:
            return squares(self._lines)
        return across(self._lines, np.ones(self._lines.n_lines), squared=True)

    def _square_sums(self, weight: FloatArray, of_lines: bool) -> FloatArray:
        return (along if of_lines else across)(self._lines, weight, squared=True)

    @cached_property
    def column_counts(self) -> IndexArray:
        return self._counts(self._by_columns)

    @property
    def copied_bytes(self) -> int:
        made = self.__dict__.get("_other_lines")
        return 0 if made is None else made.data.nbytes + made.indices.nbytes + made.indptr.nbytes

    @cached_property
    def row_counts(self) -> IndexArray:
        return self._counts(not self._by_columns)

    def _counts(self, of_lines: bool) -> IndexArray:
        """The entries of the lines, or those at each position: of the other lines, if these are there."""
        lines = self._lines if of_lines else self.__dict__.get("_other_lines")
        return _entries_by_position(self._lines) if lines is None else np.diff(lines.indptr)

    def select_columns(self, coordinates: IndexArray) -> FloatArray:
        chosen = self._matrix[coordinates].T if self._by_columns else self._matrix[:, coordinates]
        dense: FloatArray = chosen.toarray().astype(np.float64, copy=False)
        return dense

    def restrict(self, coordinates: IndexArray) -> "SparseDesign":
        return SparseDesign(part(self.columns, coordinates, np.arange(self.shape[0])), by_columns=True)

    def submatrix(self, samples: IndexArray, coordinates: IndexArray) -> "SparseDesign":
        if self._rows_are_cheaper(samples, coordinates):
            return SparseDesign(part(self.rows, samples, coordinates))
        return SparseDesign(part(self.columns, coordinates, samples), by_columns=True)

    def _rows_are_cheaper(self, samples: IndexArray, coordinates: IndexArray) -> bool:
        """Whether the named rows have fewer entries than the columns; to build the rows takes all entries."""
        if self._by_columns and "_other_lines" not in self.__dict__:
            return False
        return bool(self.row_counts[samples].sum() <= self.column_counts[coordinates].sum())

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        return gram(self.rows, sample_weight)

    def row_gram(self, samples: IndexArray, coordinate_weight: FloatArray) -> FloatArray:
        coordinates = np.flatnonzero(coordinate_weight)
        return gram(self.submatrix(samples, coordinates).columns, coordinate_weight[coordinates])

    @cached_property
    def _matrix(self) -> Any:
        """The lines as the rows of a scipy matrix that shares their entries."""
        lines = self._lines
        return _csr(lines.data, lines.indices, lines.indptr, lines.length)

    @cached_property
    def _other_lines(self) -> SparseLines:
        turned, lines = self._matrix.tocsc(), self._lines
        return SparseLines(
            turned.data,
            turned.indices.astype(np.int32, copy=False),
            turned.indptr.astype(np.int64),
            n_lines=lines.length,
            length=lines.n_lines,
        )

    def _product(self, x: FloatArray, sum_of_lines: bool) -> FloatArray:
        """Sum the stored lines, each times its entry of ``x``, or take their inner products with ``x``.

        Only the sum of lines can skip zeros; with the other view an inner product is such a sum, and with
        ascending indices the same to the last bit. Where there is little to skip the inner products are
        taken in the quicker order: what comes out must not depend on the views that are there.
        """
        if x.ndim == 2 and sum_of_lines:
            return products_by_position(self._lines, x.T)[0]
        if x.ndim == 2:
            return products_by_line(self._lines, x.T)
        x = np.ascontiguousarray(x, dtype=np.float64)
        if sum_of_lines:
            return across(self._lines, x)
        if 2 * np.count_nonzero(x) > x.size:
            return dots(self._lines, x)
        other = self.__dict__.get("_other_lines")
        return along(self._lines, x) if other is None else across(other, x)

    def _products(self, vectors: FloatArray, sum_of_lines: bool) -> FloatArray:
        """The same for every row of ``vectors``, in one reading of the stored lines."""
        if sum_of_lines:
            return sums_of_lines(self._lines, vectors)
        return products_along(self._lines, vectors)


def _entries_by_position(lines: SparseLines) -> IndexArray:
    """How many entries of the lines stand at each position."""
    counts = np.zeros(lines.length, dtype=np.int64)
    for start, stop in line_blocks(lines.indptr):
        inside = lines.indices[lines.indptr[start] : lines.indptr[stop]]
        counts += np.bincount(inside, minlength=lines.length)
    return counts


def _csr(data: Any, indices: Any, indptr: IndexArray, length: int) -> Any:
    """Build a scipy matrix around the arrays; scipy copies ``indices`` unless ``indptr`` has their type."""
    if len(data) < INDEX_LIMIT:
        indptr = indptr.astype(indices.dtype)
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, length))
