"""The l1 ball, with or without an l1 penalty inside it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.projections import l1_norm, project_l1_ball
from fenchel.numerics.vertices import Vertices
from fenchel.regularizers.arguments import as_radius, as_strength
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["L1Ball"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class L1Ball(Regularizer):
    r"""The indicator of the l1 ball around zero, plus an l1 penalty; the norms sum over all outputs.

    .. math:: g(w) = \lambda \|w\|_1 + \mathbb 1[\,\|w\|_1 \le r\,], \qquad
              g^*(v) = r \max(\|v\|_\infty - \lambda, 0)

    The prox with step :math:`\eta` is soft thresholding by the larger of :math:`\eta\lambda` and the
    threshold that leaves a norm of r; :meth:`lmo` is :math:`-r \operatorname{sign}(v_k) e_k` at the first
    largest :math:`|v_k|` if that exceeds :math:`\lambda`, else 0; the strong convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0
        The radius :math:`r`.
    l1 : float, finite and >= 0, default 0.0
        The strength :math:`\lambda` of the penalty.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Cost O(d k) a call; the prox also sorts the entries within ``radius`` of the largest one. Not separable,
    so that coordinate methods do not serve it. A point is inside when its norm is at most
    ``radius * (1 + 1e-12)``.

    References
    ----------
    .. [1] J. Duchi, S. Shalev-Shwartz, Y. Singer and T. Chandra, "Efficient projections onto the l1-ball
       for learning in high dimensions", Proceedings of the 25th International Conference on Machine
       Learning, 2008.
    .. [2] M. Jaggi, "Revisiting Frank-Wolfe: projection-free sparse convex optimization", Proceedings
       of the 30th International Conference on Machine Learning, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> ball = L1Ball(radius=2.0)
    >>> ball.value(np.array([0.5, -1.5])), ball.value(np.array([1.0, -1.5]))
    (0.0, inf)
    >>> ball.conjugate(np.array([3.0, -4.0])), L1Ball(2.0, l1=1.0).conjugate(np.array([3.0, -4.0]))
    (8.0, 6.0)
    >>> ball.prox(np.array([0.0, 2.0, -1.5]), 1.0), ball.lmo(np.array([-3.0, 4.0]))
    (array([ 0.  ,  1.25, -0.75]), array([ 0., -2.]))
    """

    name: ClassVar[str] = "l1_ball"
    is_set: ClassVar[bool] = True
    radius: float
    l1: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))
        object.__setattr__(self, "l1", as_strength(self, "l1", self.l1))

    @property
    def vertices(self) -> Vertices:
        """Plus and minus the radius along every axis, and zero."""
        return Vertices(self.radius, self.l1, signed=True)

    def value(self, w: FloatArray) -> float:
        norm = l1_norm(w)
        return self.l1 * norm if norm <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * self._excess(v)

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """On the level the norm is at most ``level / l1`` too."""
        reach = self.radius if self.l1 == 0.0 else min(self.radius, max(level, 0.0) / self.l1)
        return reach * self._excess(v)

    def _excess(self, v: FloatArray) -> float:
        largest = max(float(v.max(initial=0.0)), -float(v.min(initial=0.0)))
        return max(largest - self.l1, 0.0)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The projection onto the ball of what soft thresholding by ``step * l1`` leaves."""
        threshold = step * self.l1
        return project_l1_ball(w - np.clip(w, -threshold, threshold), self.radius)

    def lmo(self, v: FloatArray) -> FloatArray:
        """A vertex of the ball; zero when no entry of ``v`` exceeds ``l1``."""
        w = np.zeros_like(v)
        if self._excess(v) > 0.0:
            first = np.unravel_index(np.argmax(np.abs(v)), v.shape)
            w[first] = -np.copysign(self.radius, v[first])
        return w

    def strong_convexity(self, n_features: int) -> float:
        return 0.0
