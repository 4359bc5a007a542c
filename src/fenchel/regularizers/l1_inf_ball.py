"""The ball of the sum of row maxima: whole rows of zeros, and many outputs at the same size."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.projections import project_l1_inf_ball, row_maxima
from fenchel.regularizers.arguments import as_radius
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["L1InfBall"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class L1InfBall(Regularizer):
    r"""The indicator of the ball of the sum over features of the largest absolute coefficient of each.

    .. math:: g(W) = \mathbb 1\Bigl[\,\sum_j \max_l |W_{jl}| \le r\,\Bigr], \qquad
              g^*(V) = r \max_j \sum_l |V_{jl}|

    With one output this is the l1 ball. The prox is the projection; :meth:`lmo` is
    :math:`-r \operatorname{sign}(V_j)` on the first row of the largest l1 norm; the strong convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0
        The radius :math:`r`.

    Raises
    ------
    InvalidInputError
        If the radius is out of range.

    Notes
    -----
    Cost O(d k) a call, O(d k log k) for the prox and a few steps of Newton's method. Not separable, so that
    coordinate methods do not serve it. A point is inside when its norm is at most ``radius * (1 + 1e-12)``.

    References
    ----------
    .. [1] A. Quattoni, X. Carreras, M. Collins and T. Darrell, "An efficient projection for l1,infinity
       regularization", Proceedings of the 26th International Conference on Machine Learning, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> ball = L1InfBall(radius=3.0)
    >>> ball.value(np.array([[1.0, -2.0], [1.0, 1.0]])), ball.conjugate(np.array([[1.0, -2.0], [1.0, 1.0]]))
    (0.0, 9.0)
    >>> ball.prox(np.array([[4.0, -4.0], [1.0, 0.0]]), 1.0)
    array([[ 3., -3.],
           [ 0.,  0.]])
    """

    name: ClassVar[str] = "l1_inf_ball"
    is_set: ClassVar[bool] = True
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))

    def value(self, w: FloatArray) -> float:
        with np.errstate(over="ignore"):
            norm = float(row_maxima(w).sum())
        return 0.0 if norm <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * float(_row_sums(v).max(initial=0.0))

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The projection onto the ball."""
        return project_l1_inf_ball(w, self.radius)

    def lmo(self, v: FloatArray) -> FloatArray:
        """One row of a single size, against the signs of v."""
        w = np.zeros_like(v)
        first = int(_row_sums(v).argmax())
        w[first] = -self.radius * np.sign(v[first])
        return w

    def strong_convexity(self, n_features: int) -> float:
        return 0.0


@np.errstate(over="ignore")
def _row_sums(v: FloatArray) -> FloatArray:
    sums: FloatArray = np.abs(v).reshape(v.shape[0], -1).sum(axis=1)
    return sums
