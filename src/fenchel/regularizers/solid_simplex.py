"""The solid simplex: non-negative coefficients with a bound on their sum."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.entropy import solid_simplex_step
from fenchel.numerics.projections import project_solid_simplex
from fenchel.regularizers.arguments import as_radius, as_strength
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["SolidSimplex"]

ROUNDING = 1e-12
"""A sum that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class SolidSimplex(Regularizer):
    r"""The indicator of ``w >= 0`` with a bounded sum, plus an l1 penalty; the sums go over all outputs.

    .. math:: g(w) = \lambda \sum_j w_j + \mathbb 1[\,w \ge 0, \textstyle\sum_j w_j \le r\,], \qquad
              g^*(v) = r \max(\max_j v_j - \lambda, 0)

    The prox with step :math:`\eta` is :math:`\max(w_j - \tau, 0)` with tau the larger of
    :math:`\eta\lambda` and the threshold that leaves a sum of r. Under the entropy the step is a product,
    :math:`w_j e^{-\eta v_j} \min\{e^{-\eta\lambda}, \; r / \sum_l w_l e^{-\eta v_l}\}`
    (:meth:`prox_bregman`). :meth:`lmo` is r at the first smallest :math:`v_k` if that is below
    :math:`-\lambda`, else 0; the strong convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0
        The bound :math:`r`.
    l1 : float, finite and >= 0, default 0.0
        The strength :math:`\lambda` of the penalty.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    The l1 ball is its image: :math:`w_+ - w_-` with both parts in one solid simplex, which is how entropic
    steps serve :class:`~fenchel.regularizers.L1Ball`. Cost O(d k) a call; the prox also sorts. Not
    separable. A point is inside when its sum is at most ``radius * (1 + 1e-12)``.

    References
    ----------
    .. [1] J. Kivinen and M. K. Warmuth, "Exponentiated gradient versus gradient descent for linear
       predictors", Information and Computation 132(1), 1997.

    Examples
    --------
    >>> import numpy as np
    >>> simplex = SolidSimplex(radius=2.0)
    >>> simplex.value(np.array([0.5, 1.5])), simplex.value(np.array([1.0, 1.5]))
    (0.0, inf)
    >>> simplex.conjugate(np.array([3.0, -4.0])), SolidSimplex(2.0, l1=1.0).conjugate(np.array([3.0, -4.0]))
    (6.0, 4.0)
    >>> simplex.prox(np.array([-1.0, 2.0, 1.0]), 1.0)
    array([0. , 1.5, 0.5])
    >>> simplex.prox_bregman(np.array([0.25, 0.75]), np.array([0.0, np.log(3.0)]), 1.0)
    array([0.25, 0.25])
    """

    name: ClassVar[str] = "solid_simplex"
    is_set: ClassVar[bool] = True
    radius: float
    l1: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))
        object.__setattr__(self, "l1", as_strength(self, "l1", self.l1))

    def value(self, w: FloatArray) -> float:
        with np.errstate(over="ignore"):
            total = float(w.sum())
        inside = bool(np.all(w >= 0.0)) and total <= self.radius * (1.0 + ROUNDING)
        return self.l1 * total if inside else np.inf

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * self._excess(v)

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """On the level the sum is at most ``level / l1`` too."""
        reach = self.radius if self.l1 == 0.0 else min(self.radius, max(level, 0.0) / self.l1)
        return reach * self._excess(v)

    def _excess(self, v: FloatArray) -> float:
        return max(float(v.max(initial=0.0)) - self.l1, 0.0)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The projection onto the set of ``w - step * l1``."""
        return project_solid_simplex(w - step * self.l1, self.radius)

    def prox_bregman(self, w: FloatArray, v: FloatArray, step: float) -> FloatArray:
        """The entropic step; zeros of ``w`` stay."""
        with np.errstate(divide="ignore"):
            log_w = np.log(w)
        if not np.any(w > 0.0):
            return np.zeros_like(w)
        result: FloatArray = np.exp(solid_simplex_step(log_w, step * v, step * self.l1, self.radius))
        return result

    def lmo(self, v: FloatArray) -> FloatArray:
        """A vertex of the set; zero when no entry of ``v`` is below ``-l1``."""
        w = np.zeros_like(v)
        if self._excess(-v) > 0.0:
            w[np.unravel_index(np.argmin(v), v.shape)] = self.radius
        return w

    def strong_convexity(self, n_features: int) -> float:
        return 0.0
