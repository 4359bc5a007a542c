"""The Euclidean ball."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.projections import l2_norm, l2_unit, project_l2_ball
from fenchel.regularizers.arguments import as_radius
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["L2Ball"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class L2Ball(Regularizer):
    r"""The indicator of the Euclidean ball around zero (Frobenius norm for several outputs).

    .. math:: g(w) = \mathbb 1[\,\|w\|_2 \le r\,], \qquad g^*(v) = r \|v\|_2

    The prox is the projection :math:`w \min(1, r / \|w\|_2)`, whatever the step; :meth:`lmo` is
    :math:`-r v / \|v\|_2`, and 0 at ``v = 0``; the strong convexity is 0.

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
    Cost O(d k) a call. Not separable, so that coordinate methods do not serve it. Norms are computed on
    scaled entries, which neither overflow nor underflow. A point is inside when its norm is at most
    ``radius * (1 + 1e-12)``.

    References
    ----------
    .. [1] N. Parikh and S. Boyd, "Proximal algorithms", Foundations and Trends in Optimization 1(3),
       2014, section 6.5.1.
    .. [2] M. Jaggi, "Revisiting Frank-Wolfe: projection-free sparse convex optimization", Proceedings
       of the 30th International Conference on Machine Learning, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> ball = L2Ball(radius=2.0)
    >>> ball.value(np.array([0.0, 2.0])), ball.value(np.array([2.0, 2.0]))
    (0.0, inf)
    >>> ball.conjugate(np.array([3.0, 4.0]))
    10.0
    >>> ball.prox(np.array([0.0, 5.0]), 1.0), ball.lmo(np.array([-3.0, 4.0]))
    (array([0., 2.]), array([ 1.2, -1.6]))
    """

    name: ClassVar[str] = "l2_ball"
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))

    def value(self, w: FloatArray) -> float:
        return 0.0 if l2_norm(w) <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * l2_norm(v)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The projection onto the ball."""
        return project_l2_ball(w, self.radius)

    def lmo(self, v: FloatArray) -> FloatArray:
        """The point of the ball farthest against ``v``; zero when ``v`` is zero."""
        return -self.radius * l2_unit(v)

    def strong_convexity(self, n_features: int) -> float:
        return 0.0
