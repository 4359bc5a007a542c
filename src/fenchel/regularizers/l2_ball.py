"""The Euclidean ball, with or without a ridge inside it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.projections import l2_norm, l2_unit, project_l2_ball
from fenchel.numerics.vertices import Ray
from fenchel.regularizers.arguments import as_radius, as_strength
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["L2Ball"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class L2Ball(Regularizer):
    r"""The indicator of the Euclidean ball around zero (Frobenius norm for several outputs), plus a ridge.

    .. math:: g(w) = \frac\mu2 \|w\|_2^2 + \mathbb 1[\,\|w\|_2 \le r\,], \qquad
              g^*(v) = t \|v\|_2 - \frac\mu2 t^2, \quad t = \min(\|v\|_2 / \mu, r)

    The prox with step :math:`\eta` is the projection :math:`x \min(1, r / \|x\|_2)` of
    :math:`x = w / (1 + \eta\mu)`; :meth:`lmo` is :math:`-t v / \|v\|_2`, and 0 at ``v = 0``; the strong
    convexity is :math:`\mu`.

    Parameters
    ----------
    radius : float, finite and > 0
        The radius :math:`r`.
    l2 : float, finite and >= 0, default 0.0
        The strength :math:`\mu` of the ridge.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

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
    >>> L2Ball(radius=2.0, l2=5.0).conjugate(np.array([3.0, 4.0]))
    2.5
    >>> ball.prox(np.array([0.0, 5.0]), 1.0), ball.lmo(np.array([-3.0, 4.0]))
    (array([0., 2.]), array([ 1.2, -1.6]))
    """

    name: ClassVar[str] = "l2_ball"
    is_set: ClassVar[bool] = True
    radius: float
    l2: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))
        object.__setattr__(self, "l2", as_strength(self, "l2", self.l2))

    @property
    def ray(self) -> Ray:
        """The radius and the l2 part."""
        return Ray(self.radius, self.l2)

    def value(self, w: FloatArray) -> float:
        norm = l2_norm(w)
        return 0.5 * self.l2 * norm**2 if norm <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: FloatArray) -> float:
        norm, reach = l2_norm(v), self._reach(v)
        return reach * (norm - 0.5 * self.l2 * reach)

    def _reach(self, v: FloatArray) -> float:
        """The norm of the best response to v."""
        norm = l2_norm(v)
        return norm / self.l2 if norm < self.l2 * self.radius else self.radius

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The projection onto the ball of what the ridge leaves."""
        return project_l2_ball(w / (1.0 + step * self.l2), self.radius)

    def lmo(self, v: FloatArray) -> FloatArray:
        """The best response to v, against its direction; zero when ``v`` is zero."""
        return -self._reach(v) * l2_unit(v)

    def strong_convexity(self, n_features: int) -> float:
        return self.l2
