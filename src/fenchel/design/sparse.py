"""A sparse data matrix, stored by rows or by columns."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel._kernels.block_products import products_across, products_along, sparse_gram
from fenchel._kernels.views import SparseLines
from fenchel.design.base import Design
from fenchel.design.blocks import line_blocks
from fenchel.design.compressed import INDEX_LIMIT
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

    Products read the stored entries once. They convert at most 4 MB (or one line) of float32 at a
    time to float64, and nothing when the entries are float64. The matrix is never made dense.

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
        return self._across(w) if self._by_columns else self._along(w)

    def rmatvec(self, u: FloatArray) -> FloatArray:
        return self._along(u) if self._by_columns else self._across(u)

    def matvecs(self, vectors: FloatArray) -> FloatArray:
        if self._by_columns:
            return products_across(self._lines, vectors)[0]
        return products_along(self._lines, vectors)

    def rmatvecs(self, vectors: FloatArray) -> FloatArray:
        if self._by_columns:
            return products_along(self._lines, vectors)
        return products_across(self._lines, vectors)[0]

    def sparse_matvecs(self, vectors: FloatArray) -> FloatArray:
        return products_across(self.columns, vectors)[0]

    def sparse_rmatvecs(self, vectors: FloatArray) -> FloatArray:
        return products_across(self.rows, vectors)[0]

    @property
    def rows(self) -> SparseLines:
        return self._other_lines if self._by_columns else self._lines

    @property
    def columns(self) -> SparseLines:
        return self._lines if self._by_columns else self._other_lines

    def column_sums(self, sample_weight: FloatArray) -> FloatArray:
        return self.rmatvec(sample_weight)

    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        product = self._along if self._by_columns else self._across
        return product(sample_weight, squared=True)

    def row_square_sums(self, coordinate_weight: FloatArray) -> FloatArray:
        product = self._across if self._by_columns else self._along
        return product(coordinate_weight, squared=True)

    @cached_property
    def column_counts(self) -> IndexArray:
        lines = self._lines
        if self._by_columns:
            return np.diff(lines.indptr)
        counts = np.zeros(lines.length, dtype=np.int64)
        for start, stop in line_blocks(lines.indptr):
            inside = lines.indices[lines.indptr[start] : lines.indptr[stop]]
            counts += np.bincount(inside, minlength=lines.length)
        return counts

    @property
    def row_counts(self) -> IndexArray:
        return np.diff(self.rows.indptr)

    def select_columns(self, coordinates: IndexArray) -> FloatArray:
        chosen = self._matrix[coordinates].T if self._by_columns else self._matrix[:, coordinates]
        dense: FloatArray = chosen.toarray().astype(np.float64, copy=False)
        return dense

    def restrict(self, coordinates: IndexArray) -> "SparseDesign":
        columns = self.columns
        chosen = _csr(columns.data, columns.indices, columns.indptr, columns.length)[coordinates]
        return SparseDesign(_lines(chosen), by_columns=True)

    def submatrix(self, samples: IndexArray, coordinates: IndexArray) -> "SparseDesign":
        if self._rows_are_cheaper(samples, coordinates):
            rows = self.rows
            chosen = _csr(rows.data, rows.indices, rows.indptr, rows.length)[samples]
            if len(coordinates) < rows.length:
                chosen = chosen[:, coordinates]
        else:
            columns = self.columns
            by_column = _csr(columns.data, columns.indices, columns.indptr, columns.length)
            if len(coordinates) < columns.n_lines:
                by_column = by_column[coordinates]
            chosen = by_column[:, samples].T.tocsr()
        return SparseDesign(_lines(chosen))

    def _rows_are_cheaper(self, samples: IndexArray, coordinates: IndexArray) -> bool:
        """Whether the named rows have fewer entries than the columns; to build the rows takes all entries."""
        if self._by_columns and "_other_lines" not in self.__dict__:
            return False
        return bool(self.row_counts[samples].sum() <= self.column_counts[coordinates].sum())

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        return sparse_gram(self.rows, sample_weight)

    def row_gram(self, samples: IndexArray, coordinate_weight: FloatArray) -> FloatArray:
        rows = self.rows
        chosen = _csr(rows.data, rows.indices, rows.indptr, rows.length)[samples]
        return sparse_gram(_lines(chosen.T.tocsr()), coordinate_weight)

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

    def _along(self, x: FloatArray, *, squared: bool = False) -> FloatArray:
        """Take the inner product of every line with ``x``."""
        product = np.empty((self._lines.n_lines, *x.shape[1:]))
        for start, stop, block in self._blocks(squared):
            product[start:stop] = block @ x
        return product

    def _across(self, x: FloatArray, *, squared: bool = False) -> FloatArray:
        """Sum the lines, each times its entry of ``x``."""
        if len(x) != self._lines.n_lines:
            raise ValueError(f"operand has length {len(x)}, but the design needs {self._lines.n_lines}")
        product = np.zeros((self._lines.length, *x.shape[1:]))
        for start, stop, block in self._blocks(squared):
            product += block.T @ x[start:stop]
        return product

    def _blocks(self, squared: bool) -> Iterator[tuple[int, int, Any]]:
        """Yield (first line, last line, float64 scipy matrix) for blocks that cover the lines."""
        lines = self._lines
        # From INDEX_LIMIT entries on, scipy would copy all indices to 64 bits: blocks avoid that too.
        if lines.data.dtype == np.float64 and not squared and len(lines.data) < INDEX_LIMIT:
            yield 0, lines.n_lines, self._matrix
            return
        for start, stop in line_blocks(lines.indptr):
            first, last = lines.indptr[start], lines.indptr[stop]
            data = lines.data[first:last].astype(np.float64)
            if squared:
                np.square(data, out=data)
            indptr = lines.indptr[start : stop + 1] - first
            yield start, stop, _csr(data, lines.indices[first:last], indptr, lines.length)


def _csr(data: Any, indices: Any, indptr: IndexArray, length: int) -> Any:
    """Build a scipy matrix around the arrays; scipy copies ``indices`` unless ``indptr`` has their type."""
    if len(data) < INDEX_LIMIT:
        indptr = indptr.astype(indices.dtype)
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, length))


def _lines(matrix: Any) -> SparseLines:
    """The rows of a scipy CSR matrix as lines, in float64."""
    n_lines, length = matrix.shape
    data = matrix.data.astype(np.float64, copy=False)
    indices, indptr = matrix.indices.astype(np.int32, copy=False), matrix.indptr.astype(np.int64)
    return SparseLines(data, indices, indptr, n_lines=n_lines, length=length)
