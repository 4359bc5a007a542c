"""The set of CUR decompositions: a budget for the rows and one for the columns of the coefficients."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.projections import row_maxima
from fenchel.numerics.row_column import Support, row_column_support
from fenchel.regularizers.arguments import as_radius, as_share
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["RowColumnBall"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class RowColumnBall(Regularizer):
    r"""The matrices whose row maxima, and whose column maxima, have a bounded sum.

    .. math:: g(W) = \mathbb 1\Bigl[\,\sum_j \max_l |W_{jl}| \le r, \; \sum_l \max_j |W_{jl}| \le r\,\Bigr],
              \qquad
              g^*(V) = r \min_{0 \le F \le |V|} \max_j \sum_l F_{jl} + \max_l \sum_j (|V| - F)_{jl}

    Few rows and few columns of W are non-zero: the set over which a CUR decomposition chooses. :meth:`lmo`
    is :math:`-r \operatorname{sign}(V_{jl}) \min(p_j, q_l)`, with p and q of sum 1; the strong
    convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0
        The radius :math:`r`.
    accuracy : float in (0, 1), default 1e-10
        How near the conjugate and the best response come to the truth, as a share of the conjugate.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    The conjugate and :meth:`lmo` come from a bilinear game, solved by primal-dual gradient steps: the
    conjugate is an upper bound, so that what it proves holds, and ``lmo`` a point of the set that near to the
    best one. A gap cannot fall below the accuracy times the conjugate. No projection. A point is inside when
    its norms are at most ``radius * (1 + 1e-12)``.

    References
    ----------
    .. [1] J. Bien, Y. Xu and M. W. Mahoney, "CUR from a sparse optimization viewpoint", Advances in Neural
       Information Processing Systems 23, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> ball = RowColumnBall(radius=2.0)
    >>> ball.value(np.array([[1.0, -1.0], [1.0, 0.0]])), ball.value(np.array([[2.0, -1.0], [0.0, 0.0]]))
    (0.0, inf)
    >>> ball.conjugate(np.array([[3.0, -1.0], [1.0, 0.0]]))
    6.0
    """

    name: ClassVar[str] = "row_column_ball"
    is_set: ClassVar[bool] = True
    radius: float
    accuracy: float = 1e-10

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))
        object.__setattr__(self, "accuracy", as_share(self, "accuracy", self.accuracy))

    def value(self, w: FloatArray) -> float:
        matrix = w.reshape(w.shape[0], -1)
        with np.errstate(over="ignore"):
            norm = max(float(row_maxima(side).sum()) for side in (matrix, matrix.T))
        return 0.0 if norm <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * self._support(v).upper

    def lmo(self, v: FloatArray) -> FloatArray:
        """The best block of one sign pattern against v."""
        best = self._support(v)
        sizes = np.minimum(best.rows[:, None], best.columns).reshape(v.shape)
        return -self.radius * np.sign(v) * sizes

    def strong_convexity(self, n_features: int) -> float:
        return 0.0

    def _support(self, v: FloatArray) -> Support:
        return row_column_support(np.abs(v).reshape(v.shape[0], -1), self.accuracy)
