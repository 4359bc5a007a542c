r"""A matrix of low rank, kept in factors.

.. math:: W = L \operatorname{diag}(d) R^\top, \qquad L \in \mathbb R^{m \times k}, \;
          R \in \mathbb R^{p \times k}

Nothing here forms an (m, p) array, except :meth:`LowRank.toarray`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fenchel.typing import FloatArray

__all__ = ["LowRank"]

_BLOCK = 1 << 17
"""Numbers of each factor that :meth:`LowRank.entries` gathers at a time: 1 MB."""


@dataclass(frozen=True, eq=False)
class LowRank:
    """``left @ diag(sizes) @ right.T``; the factors need not be orthogonal, nor the sizes positive.

    Examples
    --------
    >>> import numpy as np
    >>> w = LowRank(np.eye(3)[:, :1], np.array([2.0]), np.eye(2)[:, :1])
    >>> w.shape, w.rank, w.nuclear_norm()
    ((3, 2), 1, 2.0)
    >>> w.entries(np.array([0, 1]), np.array([0, 1]))
    array([2., 0.])
    """

    left: FloatArray
    sizes: FloatArray
    right: FloatArray

    @classmethod
    def zeros(cls, shape: tuple[int, int]) -> LowRank:
        """The zero matrix: no columns in either factor."""
        return cls(np.zeros((shape[0], 0)), np.zeros(0), np.zeros((shape[1], 0)))

    @classmethod
    def of(cls, array: FloatArray) -> LowRank:
        """A dense matrix by its singular value decomposition."""
        left, sizes, right = np.linalg.svd(array, full_matrices=False)
        return cls(left, sizes, right.T)

    @property
    def shape(self) -> tuple[int, int]:
        """(m, p)."""
        return self.left.shape[0], self.right.shape[0]

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    @property
    def rank(self) -> int:
        """The columns of the factors: an upper bound on the rank."""
        return len(self.sizes)

    @property
    def T(self) -> LowRank:
        """The transpose; shares the factors."""
        return LowRank(self.right, self.sizes, self.left)

    def copy(self) -> LowRank:
        """Itself: nothing changes it."""
        return self

    def __mul__(self, factor: float) -> LowRank:
        return LowRank(self.left, factor * self.sizes, self.right)

    __rmul__ = __mul__

    def __neg__(self) -> LowRank:
        return -1.0 * self

    def __add__(self, other: LowRank) -> LowRank:
        """The sum, with the columns of both; see :meth:`compressed`."""
        return LowRank(
            np.hstack([self.left, other.left]),
            np.concatenate([self.sizes, other.sizes]),
            np.hstack([self.right, other.right]),
        )

    def __matmul__(self, block: FloatArray) -> FloatArray:
        """The product with a vector or a thin block."""
        # The sizes go to the small factor: no copy of a long one.
        product: FloatArray = self.left @ (self.sizes * (self.right.T @ block).T).T
        return product

    def entries(self, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> FloatArray:
        """``W[rows, columns]``, in O(k) an entry."""
        result, left = np.zeros(len(rows)), self.left * self.sizes
        step = max(1, _BLOCK // max(1, self.rank))
        for first in range(0, len(rows), step):
            part = slice(first, first + step)
            np.einsum("tk,tk->t", left[rows[part]], self.right[columns[part]], out=result[part])
        return result

    def inner(self, other: LowRank) -> float:
        """The sum of the products of all entries."""
        products = (self.left.T @ other.left) * (self.right.T @ other.right)
        return float(self.sizes @ products @ other.sizes)

    def compressed(self, max_rank: int | None = None) -> LowRank:
        """The same matrix by its singular value decomposition, without what is rounding.

        ``max_rank`` keeps the largest singular values only: the nearest matrix of that rank. Cost
        O((m + p) k^2): a thin QR of each factor, and the decomposition of a (k, k) matrix.
        """
        q_left, r_left = np.linalg.qr(self.left * self.sizes)
        q_right, r_right = np.linalg.qr(self.right)
        left, sizes, right = np.linalg.svd(r_left @ r_right.T, full_matrices=False)
        rounding = np.finfo(float).eps * max(self.shape) * sizes.max(initial=0.0)
        count = min(int(np.count_nonzero(sizes > rounding)), self.rank if max_rank is None else max_rank)
        return LowRank(q_left @ left[:, :count], sizes[:count], q_right @ right[:count].T)

    def singular_values(self) -> FloatArray:
        """All that may differ from zero, in descending order."""
        r_left: Any = np.linalg.qr(self.left * self.sizes, mode="r")
        r_right: Any = np.linalg.qr(self.right, mode="r")
        values: FloatArray = np.linalg.svd(r_left @ r_right.T, compute_uv=False)
        return values

    def nuclear_norm(self) -> float:
        """The sum of the singular values."""
        return float(self.singular_values().sum())

    def toarray(self) -> FloatArray:
        """The (m, p) array."""
        array: FloatArray = (self.left * self.sizes) @ self.right.T
        return array
