"""The logistic loss."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.domains import margin_interval, scores_of_margins
from fenchel.numerics.special import log1pexp, logistic_root, negative_entropy, sigmoid
from fenchel.typing import FloatArray

_SMALLEST_MARGIN, _LARGEST_MARGIN = -36.7368005696771, 745.1332191019412
"""Below the first, the sigmoid of minus the margin rounds to 1; above the last, it underflows to 0."""


@dataclass(frozen=True)
class Logistic(ScalarLoss):
    r"""The logistic loss, for labels ``b`` of -1 and +1.

    With :math:`s = -b u`,

    .. math::

        \phi(z) = \log(1 + e^{-b z}), \qquad
        \phi^*(u) = s \log s + (1 - s) \log(1 - s) \text{ on } 0 \le s \le 1,

    .. math::

        \operatorname{prox}_{c \phi^*}(v) = -b \, \sigma(x), \qquad c x + \sigma(x) = -b v,
        \qquad \sigma(x) = 1 / (1 + e^{-x}).

    Smoothness 1/4, Lipschitz constant 1. The prox solves its scalar equation by a safeguarded Newton
    method (:func:`fenchel.numerics.special.logistic_root`), at most about five steps a row; the other
    methods take a fixed number of operations a row.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang. Stochastic dual coordinate ascent methods for regularized loss
    minimization. Journal of Machine Learning Research 14, 2013, sections 5 and 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Logistic
    >>> z, b = np.array([0.0, 2.0]), np.array([1.0, -1.0])
    >>> Logistic().value(z, b)
    array([0.69314718, 2.12692801])
    >>> Logistic().gradient(z, b)
    array([-0.5       ,  0.88079708])
    """

    name: ClassVar[str] = "logistic"
    task: ClassVar[str] = "classification"
    open_dual: ClassVar[bool] = True
    separating_value: ClassVar[float] = math.log(2.0)

    @property
    def smoothness(self) -> float:
        return 0.25

    @property
    def lipschitz(self) -> float:
        return 1.0

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return log1pexp(-b * z)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return -b * sigmoid(-b * z)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        # s (1 - s), each factor from its own sigmoid: the subtraction would cancel.
        return sigmoid(z) * sigmoid(-z)

    def damping_curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        # tanh(|z| / 2) / (2 |z|): that of the lowest parabola that touches the loss at z and lies above it.
        size = np.maximum(np.abs(z), 1e-4)
        return np.where(np.abs(z) > 1e-4, np.tanh(0.5 * size) / (2.0 * size), 0.25)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        s = -b * domain.project(u)
        return np.where(domain.contains(u), negative_entropy(s), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        return -b * sigmoid(logistic_root(-b * v, step))

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        s = -b * u
        inside = (s > 0.0) & (s < 1.0)
        p = np.where(inside, s, 0.5)
        # The last place of s is worth epsilon / (1 - s) in the score.
        margin, slack = np.log1p(-p) - np.log(p), np.finfo(float).eps / (1.0 - p)
        lower = np.where(inside, margin - slack, np.where(s <= 0.0, _LARGEST_MARGIN, -np.inf))
        upper = np.where(inside, margin + slack, np.where(s <= 0.0, np.inf, _SMALLEST_MARGIN))
        return scores_of_margins(b, lower, upper)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return margin_interval(b)
