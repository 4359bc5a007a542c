"""Random entries of a data matrix: alias tables, and what the kernels draw from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fenchel._kernels import _core
from fenchel._kernels.checks import UINT32, check_array, check_vector
from fenchel._kernels.views import DenseLines, Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["AliasTables", "Entries", "EvenEntries", "SignedEntries", "alias_tables", "line_starts"]

AliasTables = npt.NDArray[np.uint32]
"""Walker's tables of some lines, one after the other, as :func:`alias_tables` makes them: shape (N, 3).

Position k of a line stands for the label ``tables[k, 1]`` with probability ``tables[k, 0] / 2**32``, and
else for ``tables[k, 2]`` (int32 stored as uint32). The kernels do not look whether labels are in range.
"""


def alias_tables(weights: FloatArray, first: IndexArray, labels: npt.NDArray[np.int32]) -> AliasTables:
    """The tables of the lines ``weights[first[k]:first[k + 1]]``, whose positions bear ``labels``.

    O(1) a weight. Raises InvalidInputError when the lines do not cover the weights, or a weight is
    negative or not finite.
    """
    check_vector("weights", weights, weights.size)
    check_array("labels", labels, (np.dtype(np.int32),), 1, weights.size)
    check_array("first", first, (np.dtype(np.int64),), 1)
    if first.size < 1 or first[0] != 0 or first[-1] != weights.size or np.any(np.diff(first) < 0):
        raise InvalidInputError(f"first does not ascend from 0 to the {weights.size} weights.")
    if not np.all(weights >= 0) or not np.all(np.isfinite(weights)):
        raise InvalidInputError("weights has a negative value, or one that is not finite.")
    tables = np.empty((weights.size, 3), dtype=np.uint32)
    _core.fill_alias_tables(weights, first, labels, tables)
    return tables


def line_starts(lines: Lines) -> IndexArray:
    """Where each line begins when the entries of all are counted, those of the intercept included."""
    if isinstance(lines, DenseLines):
        return np.arange(lines.n_lines + 1, dtype=np.int64) * lines.length
    if not lines.ones:
        return lines.indptr
    if lines.indptr.size == lines.n_lines:
        return np.append(lines.indptr, lines.indptr[-1] + lines.length)
    return lines.indptr + np.arange(lines.n_lines + 1)


@dataclass(frozen=True, eq=False)
class EvenEntries:
    """The entries of a matrix, all with the same probability; they count by their values.

    All elements of a dense matrix are entries, and ``columns`` is not looked at: it may be the rows again.
    ``choice`` is one line of tables, with the rows as labels.
    """

    rows: Lines
    columns: Lines
    choice: AliasTables

    def __post_init__(self) -> None:
        """Check what the kernels trust."""
        rows, columns = self.rows, self.columns
        if type(rows) is not type(columns) or rows.data.dtype != columns.data.dtype:
            raise InvalidInputError(
                "rows and columns are not two views of one matrix, stored in the same way."
            )
        if not isinstance(rows, DenseLines) and (
            (columns.length, columns.n_lines) != (rows.n_lines, rows.length)
            or columns.data.size != rows.data.size
        ):
            raise InvalidInputError("rows and columns are not two views of one matrix.")
        check_array("choice", self.choice, UINT32, 2, 3 * rows.n_lines)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, D)."""
        return self.rows.n_lines, self.rows.length


@dataclass(frozen=True, eq=False)
class SignedEntries:
    """Entries with a probability each; they count by their signs, because that takes the size.

    Labels are j (in a row) or i (in a column) where a > 0, and -1 - j or -1 - i where a < 0. The rows begin
    at ``row_starts`` in ``in_row``, the columns at ``column_starts`` in ``in_column``.
    """

    row_starts: IndexArray
    in_row: AliasTables
    column_starts: IndexArray
    in_column: AliasTables
    choice: AliasTables

    def __post_init__(self) -> None:
        """Check what the kernels trust."""
        for name in ("row_starts", "column_starts"):
            starts = getattr(self, name)
            check_array(name, starts, (np.dtype(np.int64),), 1)
            if starts.size < 1 or starts[0] != 0 or np.any(np.diff(starts) < 0):
                raise InvalidInputError(f"{name} does not ascend from 0.")
        check_array("in_row", self.in_row, UINT32, 2, 3 * int(self.row_starts[-1]))
        check_array("in_column", self.in_column, UINT32, 2, 3 * int(self.column_starts[-1]))
        check_array("choice", self.choice, UINT32, 2, 3 * self.shape[0])

    @property
    def shape(self) -> tuple[int, int]:
        """(n, D)."""
        return self.row_starts.size - 1, self.column_starts.size - 1


Entries = EvenEntries | SignedEntries
