"""The observed entries of a matrix, as a design: the score of an observation is an entry of W."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel.design.compressed import INDEX_LIMIT
from fenchel.design.matrix import MatrixDesign
from fenchel.errors import InvalidInputError
from fenchel.numerics.low_rank import LowRank
from fenchel.typing import FloatArray

__all__ = ["CompletionDesign"]


class CompletionDesign(MatrixDesign):
    r"""The map from an (m, p) matrix W to its observed entries: :math:`z_t = W_{i_t j_t}`.

    Neither W nor A'u is ever formed: W is a :class:`fenchel.numerics.low_rank.LowRank` (a dense array is
    taken as well, for small matrices), and ``rmatvec`` gives a scipy CSR array on the observed positions.

    Parameters
    ----------
    row_index, column_index : array-like of int, shape (n,)
        The observed positions, in any order. One that stands twice is two observations. In ascending
        order of rows, then columns, they need no permutation, and are read faster.
    matrix_shape : (int, int)
        (m, p), each below 2^31.

    Raises
    ------
    InvalidInputError
        When the indices are not integers, differ in number, or lie outside the matrix.

    Notes
    -----
    ``matvec`` costs O(n k) for rank k, ``rmatvec`` O(n). Memory: 16 bytes an observation, 8 more when they
    come in another order.

    Examples
    --------
    >>> import numpy as np
    >>> design = CompletionDesign([0, 1], [1, 0], (2, 2))
    >>> design.matvec(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([2., 3.])
    >>> design.rmatvec(np.array([5.0, 6.0])).toarray()
    array([[0., 5.],
           [6., 0.]])
    """

    factored: ClassVar[bool] = True

    def __init__(
        self, row_index: npt.ArrayLike, column_index: npt.ArrayLike, matrix_shape: tuple[int, int]
    ) -> None:
        m, p = (int(side) for side in matrix_shape)
        if not (0 < m < INDEX_LIMIT and 0 < p < INDEX_LIMIT):
            raise InvalidInputError(f"matrix_shape={matrix_shape!r} needs two sizes from 1 to 2^31 - 1.")
        self._shape = m, p
        self.row_index = _checked(row_index, m, "row_index")
        self.column_index = _checked(column_index, p, "column_index")
        if len(self.row_index) != len(self.column_index) or not len(self.row_index):
            raise InvalidInputError(
                f"row_index has {len(self.row_index)} entries and column_index {len(self.column_index)}. "
                "Pass one of each for every observation, and at least one observation."
            )
        key = self.row_index.astype(np.int64) * p + self.column_index
        falls = np.diff(key) < 0
        self._order = np.argsort(key, kind="stable") if falls.any() else None
        sorted_key = key if self._order is None else key[self._order]
        self._indices = self.column_index if self._order is None else self.column_index[self._order]
        self._indptr = np.searchsorted(sorted_key, p * np.arange(m + 1, dtype=np.int64)).astype(np.int64)
        starts = np.concatenate([[True], np.diff(sorted_key) > 0])
        self._starts = None if starts.all() else np.flatnonzero(starts)

    @property
    def shape(self) -> tuple[int, int]:
        """(n observations, m)."""
        return len(self.row_index), self._shape[0]

    @property
    def matrix_shape(self) -> tuple[int, int]:
        """(m, p)."""
        return self._shape

    @property
    def n_entries(self) -> int:
        """One an observation."""
        return len(self.row_index)

    def zeros(self, outputs: tuple[int, ...] = ()) -> LowRank:
        """The zero matrix, in factors."""
        self.coefficient_shape(outputs)
        return LowRank.zeros(self._shape)

    def matvec(self, w: Any) -> FloatArray:
        """The observed entries of ``w``."""
        if isinstance(w, LowRank):
            return w.entries(self.row_index, self.column_index)
        entries: FloatArray = np.asarray(w, dtype=np.float64)[self.row_index, self.column_index]
        return entries

    def rmatvec(self, u: FloatArray) -> Any:
        """The CSR array of shape (m, p) with ``u`` at the observed positions."""
        data = np.asarray(u, dtype=np.float64)
        if self._order is not None:
            data = data[self._order]
        matrix = sp.csr_array((data, self._indices, self._indptr), shape=self._shape)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = self._starts is None
        return matrix

    def largest_weight(self, sample_weight: FloatArray) -> float:
        """The largest eigenvalue of ``A' diag(s) A``: the weights at one position, summed."""
        weight = sample_weight if self._order is None else sample_weight[self._order]
        return float((weight if self._starts is None else np.add.reduceat(weight, self._starts)).max())


def _checked(index: npt.ArrayLike, size: int, name: str) -> npt.NDArray[np.int32]:
    array = np.asarray(index)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise InvalidInputError(
            f"{name} has dtype {array.dtype} and {array.ndim} dimensions. Pass a list of integers."
        )
    if array.size and (int(array.min()) < 0 or int(array.max()) >= size):
        raise InvalidInputError(
            f"{name} has values from {array.min()} to {array.max()}, where 0 to {size - 1} are possible."
        )
    return np.ascontiguousarray(array, dtype=np.int32)
