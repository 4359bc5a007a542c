"""The absolute loss of least absolute deviations."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.domains import interval
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Absolute(ScalarLoss):
    r"""The absolute residual, for real targets ``b``.

    .. math::

        \phi(z) = |z - b|, \qquad \phi^*(u) = b u \text{ on } |u| \le 1, \qquad
        \operatorname{prox}_{c \phi^*}(v) = \mathrm{clip}(v - c b, -1, 1).

    Not smooth (the subgradient at the kink :math:`z = b` is 0), Lipschitz constant 1. Every method
    takes a fixed number of operations a row.

    References
    ----------
    S. Boyd and L. Vandenberghe. Convex Optimization. Cambridge University Press, 2004, section 6.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Absolute
    >>> Absolute().value(np.array([1.0, -4.0]), np.array([0.0, 2.0]))
    array([1., 6.])
    """

    name: ClassVar[str] = "absolute"
    task: ClassVar[str] = "regression"

    @property
    def smoothness(self) -> float:
        return float(np.inf)

    @property
    def lipschitz(self) -> float:
        return 1.0

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.abs(z - b)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.sign(z - b)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.zeros_like(z)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        return np.where(domain.contains(u), b * domain.project(u), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return np.clip(v - c * b, -1.0, 1.0)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.where(u > -1.0, b, -np.inf), np.where(u < 1.0, b, np.inf)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return interval(b, -1.0, 1.0)
