"""The rows of a CUR decomposition, as a design: the scores are the entries of M W M."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fenchel.design.matrix import MatrixDesign
from fenchel.design.values import check_values, real_array
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["BilinearDesign"]


class BilinearDesign(MatrixDesign):
    r"""The map from W of shape (d, m) to the entries of :math:`M W M`, row by row; M is dense, (m, d).

    The score of entry (i, j) is :math:`M_{i \cdot}\, W\, M_{\cdot j}`. A row of W belongs to a column of M,
    and a column of W to a row of M: with :class:`fenchel.regularizers.RowColumnBall` few of both are used.

    Parameters
    ----------
    matrix : array-like of shape (m, d)
        Dense, finite.

    Raises
    ------
    InvalidInputError
        When the matrix has not two dimensions, is empty, or has a value that no fit can use.

    Notes
    -----
    The m d rows of the map are never formed. A product reads M twice, in :math:`O(m d \min(m, d))`.

    Examples
    --------
    >>> import numpy as np
    >>> design = BilinearDesign([[1.0, 2.0]])
    >>> design.matrix_shape, design.matvec(np.array([[3.0], [4.0]]))
    ((2, 1), array([11., 22.]))
    """

    def __init__(self, matrix: npt.ArrayLike) -> None:
        array = real_array(matrix, "matrix")
        if array.ndim != 2 or array.size == 0:
            raise InvalidInputError(
                f"matrix has shape {array.shape}. Pass two dimensions, neither of them 0."
            )
        check_values(array, "matrix")
        self.matrix: FloatArray = np.ascontiguousarray(array, dtype=np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """(m d, d)."""
        return self.matrix.size, self.matrix.shape[1]

    @property
    def matrix_shape(self) -> tuple[int, int]:
        """(d, m)."""
        m, d = self.matrix.shape
        return d, m

    @property
    def n_entries(self) -> int:
        """Those of M, twice."""
        return 2 * self.matrix.size

    def matvec(self, w: FloatArray) -> FloatArray:
        """The entries of ``M W M``."""
        return self._chain(self.matrix, w, self.matrix).ravel()

    def rmatvec(self, u: FloatArray) -> FloatArray:
        """``M' U M'``, with u as the matrix U of shape (m, d)."""
        return self._chain(self.matrix.T, u.reshape(self.matrix.shape), self.matrix.T)

    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        """The weighted sums of squares that belong to the entries of W, averaged over each of its rows."""
        squares = self.matrix.T**2
        sums: FloatArray = self._chain(squares, sample_weight.reshape(self.matrix.shape), squares).mean(
            axis=1
        )
        return sums

    def _chain(self, left: FloatArray, middle: FloatArray, right: FloatArray) -> FloatArray:
        """The product of the three, with the smaller matrix between."""
        product: FloatArray = np.linalg.multi_dot([left, middle, right])
        return product
