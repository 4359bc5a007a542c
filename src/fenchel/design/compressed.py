"""From a scipy sparse matrix of any format to compressed lines that are safe to read."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel._kernels.views import SparseLines
from fenchel.design.blocks import line_blocks
from fenchel.design.values import check_values, contiguous, real_array
from fenchel.errors import InvalidInputError
from fenchel.typing import DataArray

__all__ = ["INDEX_LIMIT", "as_csr", "check_structure", "checked_lines"]

INDEX_LIMIT = 1 << 31
"""Both dimensions stay below this, so that an index fits in 32 bits."""


Entries = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


def as_csr(matrix: Any, name: str) -> Any:
    """Convert a scipy matrix that is neither CSR nor CSC to CSR, through its (value, row, column) entries.

    Everything that scipy's compiled conversions would trust is checked first.
    """
    try:
        values, row, column = _ENTRIES.get(matrix.format, _other_entries)(matrix)
    except (IndexError, OverflowError, TypeError, ValueError) as error:
        raise _broken(name, matrix.format, str(error)) from error
    data = real_array(values, name)
    if not (data.ndim == 1 and data.shape == row.shape == column.shape):
        raise _broken(name, matrix.format, "values, rows and columns differ in length")
    for axis, indices in enumerate((row, column)):
        _check_indices(indices, matrix.shape[axis], name, matrix.format)
    return sp.coo_array((data, (row, column)), shape=matrix.shape).tocsr()


def _coordinate_entries(matrix: Any) -> Entries:
    return matrix.data, np.asarray(matrix.row), np.asarray(matrix.col)


def _list_entries(matrix: Any) -> Entries:
    """LIL through flat lists: scipy writes out of bounds when two lists differ in length."""
    lengths = [len(columns) for columns in matrix.rows]
    if len(lengths) != matrix.shape[0] or lengths != [len(values) for values in matrix.data]:
        raise ValueError("rows and data differ in length")
    values = np.array(list(chain.from_iterable(matrix.data)), dtype=matrix.dtype)
    column = np.array(list(chain.from_iterable(matrix.rows)), dtype=np.int64)
    return values, np.repeat(np.arange(matrix.shape[0]), lengths), column


def _diagonal_entries(matrix: Any) -> Entries:
    """DIA: ``data[k, j]`` is the entry at row ``j - offsets[k]`` and column j."""
    data, offsets = np.asarray(matrix.data), np.asarray(matrix.offsets)
    if data.ndim != 2 or offsets.shape != data.shape[:1] or offsets.dtype.kind != "i":
        raise ValueError("there must be one integer offset for each diagonal")
    row = np.arange(data.shape[1]) - offsets[:, None].astype(np.int64)
    column = np.broadcast_to(np.arange(data.shape[1]), row.shape)
    used = (row >= 0) & (row < matrix.shape[0]) & (column < matrix.shape[1]) & (data != 0)
    return data[used], row[used], column[used]


def _other_entries(matrix: Any) -> Entries:
    """BSR, DOK and what scipy may add."""
    if hasattr(matrix, "check_format"):
        # check_format prunes the object that it is called on: never the caller's.
        matrix = matrix.copy()
        matrix.check_format()
    return _coordinate_entries(matrix.tocoo())


_ENTRIES: dict[str, Callable[[Any], Entries]] = {
    "coo": _coordinate_entries,
    "lil": _list_entries,
    "dia": _diagonal_entries,
}


def checked_lines(matrix: Any, name: str) -> SparseLines:
    """Return the rows of a CSR matrix, or the columns of a CSC matrix, after checking them.

    ``matrix.data`` is shared when it is contiguous native float32 or float64 and no position occurs
    twice; ``indices`` are shared when they are int32. Positions that occur twice are summed on a
    private copy, because a square of a sum is not the sum of the squares.
    """
    n_lines, length = _line_shape(matrix)
    data, indices, indptr = check_structure(matrix, name)
    if _has_duplicates(indices, indptr, length):
        summed = sp.csr_array((data.copy(), indices.copy(), indptr.copy()), shape=(n_lines, length))
        summed.sum_duplicates()
        data, indices, indptr = summed.data, summed.indices.astype(np.int32), summed.indptr.astype(np.int64)

    def locate(position: int) -> str:
        line = int(np.searchsorted(indptr, position, side="right")) - 1
        place = (line, int(indices[position]))
        row, column = place if matrix.format == "csr" else place[::-1]
        return f"row {row}, column {column}"

    check_values(data, name, locate)
    return SparseLines(data, indices, indptr, n_lines, length)


def _line_shape(matrix: Any) -> tuple[int, int]:
    n, d = matrix.shape
    return (n, d) if matrix.format == "csr" else (d, n)


def check_structure(matrix: Any, name: str) -> tuple[DataArray, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return data, indices and indptr of a CSR or CSC matrix, or raise InvalidInputError.

    NumPy alone reads them here: compiled code would follow a wrong index out of bounds.
    """
    n_lines, length = _line_shape(matrix)
    indices, indptr = np.asarray(matrix.indices), np.asarray(matrix.indptr)
    data = real_array(matrix.data, name)
    if data.ndim != 1 or indices.ndim != 1 or indptr.ndim != 1:
        raise _broken(name, matrix.format, "data, indices and indptr must have one dimension")
    if indptr.dtype.kind not in "iu":
        raise _broken(name, matrix.format, f"indptr has dtype {indptr.dtype}, not an integer one")
    if len(indptr) != n_lines + 1:
        raise _broken(name, matrix.format, f"indptr has length {len(indptr)}, not {n_lines + 1}")
    if indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise _broken(name, matrix.format, "indptr does not start at 0 or decreases")
    n_stored = int(indptr[-1])
    if n_stored > min(len(indices), len(data)):
        raise _broken(
            name,
            matrix.format,
            f"indptr asks for {n_stored} entries, but indices has {len(indices)} and data {len(data)}",
        )
    indices, data = indices[:n_stored], data[:n_stored]
    _check_indices(indices, length, name, matrix.format)
    return (
        contiguous(data),
        np.ascontiguousarray(indices, dtype=np.int32),
        np.ascontiguousarray(indptr, dtype=np.int64),
    )


def _check_indices(indices: npt.NDArray[Any], length: int, name: str, storage: str) -> None:
    if indices.dtype.kind not in "iu":
        raise _broken(name, storage, f"its indices have dtype {indices.dtype}, not an integer one")
    if indices.size == 0:
        return
    lowest, highest = int(indices.min()), int(indices.max())
    if lowest < 0 or highest >= length:
        worst = lowest if lowest < 0 else highest
        raise _broken(name, storage, f"it has index {worst} where 0 to {length - 1} are possible")


def _has_duplicates(indices: npt.NDArray[np.int32], indptr: npt.NDArray[np.int64], length: int) -> bool:
    """Tell whether a line holds a position twice; sorts only the blocks whose lines are unsorted."""
    for start, stop in line_blocks(indptr):
        first = indptr[start]
        inside = indices[first : indptr[stop]]
        if len(inside) < 2:
            continue
        rising = inside[1:] > inside[:-1]
        starts = indptr[start + 1 : stop] - first
        rising[starts[(starts > 0) & (starts < len(inside))] - 1] = True
        if rising.all():
            continue
        line = np.repeat(np.arange(stop - start), np.diff(indptr[start : stop + 1]))
        keys = np.sort(line * length + inside)
        if np.any(keys[1:] == keys[:-1]):
            return True
    return False


def _broken(name: str, storage: str, reason: str) -> InvalidInputError:
    return InvalidInputError(
        f"{name} is not a valid {storage.upper()} matrix: {reason}. Rebuild it from its entries."
    )
