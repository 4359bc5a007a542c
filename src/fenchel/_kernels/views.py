"""How a data matrix looks to the kernels: a sequence of lines (rows or columns)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array
from fenchel.errors import InvalidInputError
from fenchel.typing import DataArray

__all__ = ["DenseLines", "Lines", "SparseLines", "dense_lines"]

_DATA_TYPES = (np.dtype(np.float32), np.dtype(np.float64))
_LARGEST_LENGTH = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, eq=False)
class SparseLines:
    """Lines in compressed form: ``indptr`` int64, ``indices`` int32, ``data`` float32 or float64.

    The indices of a line need not ascend, but do not repeat. ``n_lines`` and ``length`` count the
    intercept. ``ones`` appends it: to columns as one more line of ones, to rows as one more entry of 1
    at position ``length - 1`` of every line. Neither is stored. The indices are checked once, here; the
    kernels do not look again, so the arrays must not change.
    """

    data: DataArray
    indices: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    n_lines: int
    length: int
    ones: bool = False

    def __post_init__(self) -> None:
        """Check what the kernels trust."""
        check_array("data", self.data, _DATA_TYPES, 1)
        check_array("indices", self.indices, (np.dtype(np.int32),), 1)
        check_array("indptr", self.indptr, (np.dtype(np.int64),), 1)
        stored_lines = self.indptr.size - 1
        if stored_lines not in ({self.n_lines, self.n_lines - 1} if self.ones else {self.n_lines}):
            raise InvalidInputError(f"indptr describes {stored_lines} lines, but n_lines is {self.n_lines}.")
        if not 0 <= self.length <= _LARGEST_LENGTH:
            raise InvalidInputError(f"length is {self.length}; int32 indices reach {_LARGEST_LENGTH}.")
        if self.indices.size != self.data.size:
            raise InvalidInputError(f"{self.indices.size} indices for {self.data.size} entries of data.")
        if self.indptr[0] != 0 or self.indptr[-1] != self.data.size or np.any(np.diff(self.indptr) < 0):
            raise InvalidInputError(f"indptr does not ascend from 0 to the {self.data.size} entries of data.")
        stored_length = self.length - (self.ones and stored_lines == self.n_lines)
        if self.indices.size and not 0 <= self.indices.min() <= self.indices.max() < stored_length:
            raise InvalidInputError(
                f"indices span {self.indices.min()}..{self.indices.max()}, outside 0..{stored_length - 1}."
            )

    @classmethod
    def made(
        cls,
        data: DataArray,
        indices: npt.NDArray[np.int32],
        indptr: npt.NDArray[np.int64],
        n_lines: int,
        length: int,
    ) -> SparseLines:
        """Lines that a kernel has made, which need no check."""
        lines = object.__new__(cls)
        vars(lines).update(data=data, indices=indices, indptr=indptr, n_lines=n_lines, length=length)
        return lines

    @cached_property
    def compiled(self) -> _core.Lines:
        """The same lines as the kernels take them; no copy."""
        return _core.Lines(self.data, self.indices, self.indptr, self.n_lines, self.length, self.ones)

    def __getstate__(self) -> dict[str, object]:
        return _without_compiled(self)

    @cached_property
    def line_of_entry(self) -> npt.NDArray[np.int32]:
        """The line of every stored entry; made on first use and kept."""
        return np.repeat(np.arange(self.indptr.size - 1, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True, eq=False)
class DenseLines:
    """Lines of a C-contiguous (n_lines, length) array, less the implicit ones of the intercept.

    With ``ones`` the array has one row fewer (columns) or one column fewer (rows) than that.
    """

    data: DataArray
    n_lines: int
    length: int
    ones: bool = False

    def __post_init__(self) -> None:
        """Check what the kernels trust."""
        check_array("data", self.data, _DATA_TYPES, 2)
        full = (self.n_lines, self.length)
        allowed = [(full[0] - 1, full[1]), (full[0], full[1] - 1)] if self.ones else [full]
        if self.data.shape not in allowed:
            shapes = " or ".join(map(str, allowed))
            raise InvalidInputError(f"data has shape {self.data.shape}; expected {shapes}.")

    @cached_property
    def compiled(self) -> _core.Lines:
        """The same lines as the kernels take them; no copy."""
        return _core.Lines(self.data, self.n_lines, self.length, self.ones)

    def __getstate__(self) -> dict[str, object]:
        return _without_compiled(self)


Lines = SparseLines | DenseLines


def _without_compiled(lines: Lines) -> dict[str, object]:
    """What a copy in another process is made of: the view of the kernels is made anew there."""
    return {name: value for name, value in vars(lines).items() if name != "compiled"}


def dense_lines(lines: Lines, named: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The named stored lines as a dense float64 array, one a row; none is the implicit line of ones."""
    if isinstance(lines, DenseLines):
        return lines.data[named].astype(np.float64, copy=False)
    out = np.zeros((named.size, lines.length))
    for row, line in zip(out, named, strict=True):
        entries = slice(lines.indptr[line], lines.indptr[line + 1])
        row[lines.indices[entries]] = lines.data[entries]
    return out
