"""The squared hinge loss."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.domains import scores_of_margins
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class SquaredHinge(ScalarLoss):
    r"""The square of the hinge loss, for labels ``b`` of -1 and +1.

    With :math:`s = -b u`,

    .. math::

        \phi(z) = \max(0, 1 - b z)^2, \qquad
        \phi^*(u) = b u + \tfrac14 u^2 \text{ on } s \ge 0, \qquad
        \operatorname{prox}_{c \phi^*}(v) = -b \, \frac{\max(0, c - b v)}{1 + c / 2}.

    Smoothness 2, not Lipschitz. Every method takes a fixed number of operations a row.

    References
    ----------
    K.-W. Chang, C.-J. Hsieh and C.-J. Lin. Coordinate descent method for large-scale L2-loss linear
    support vector machines. Journal of Machine Learning Research 9, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import SquaredHinge
    >>> z, b = np.array([0.5, 2.0, 2.0]), np.array([1.0, 1.0, -1.0])
    >>> SquaredHinge().value(z, b)
    array([0.25, 0.  , 9.  ])
    """

    name: ClassVar[str] = "squared_hinge"
    task: ClassVar[str] = "classification"
    sparse_dual: ClassVar[bool] = True

    @property
    def smoothness(self) -> float:
        return 2.0

    @property
    def lipschitz(self) -> float:
        return float(np.inf)

    @np.errstate(over="ignore")
    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        result: FloatArray = np.maximum(1.0 - b * z, 0.0) ** 2
        return result

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return -2.0 * b * np.maximum(1.0 - b * z, 0.0)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.where(b * z < 1.0, 2.0, 0.0)

    def damping_curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        # A parabola above the loss has curvature 2 even where the loss is zero; rows far beyond the margin
        # will not come back, so that there it fades.
        return 2.0 * np.exp(2.0 * np.minimum(1.0 - b * z, 0.0))

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        y = domain.project(u)
        return np.where(domain.contains(u), y * (b + 0.25 * y), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return -b * np.maximum(c - b * v, 0.0) / (1.0 + 0.5 * c)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        s = -b * u
        margin = 1.0 - 0.5 * s
        return scores_of_margins(b, margin, np.where(s > 0.0, margin, np.inf))

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return IntervalDomain(np.where(b > 0, -np.inf, 0.0), np.where(b > 0, 0.0, np.inf))
