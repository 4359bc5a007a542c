"""The hinge loss of the support vector machine."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.domains import margin_interval, scores_of_margins
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Hinge(ScalarLoss):
    r"""The hinge loss, for labels ``b`` of -1 and +1.

    With :math:`s = -b u`,

    .. math::

        \phi(z) = \max(0, 1 - b z), \qquad
        \phi^*(u) = b u \text{ on } 0 \le s \le 1, \qquad
        \operatorname{prox}_{c \phi^*}(v) = -b \, \mathrm{clip}(c - b v, 0, 1).

    Not smooth (the subgradient at the kink :math:`b z = 1` is 0), Lipschitz constant 1. Every method
    takes a fixed number of operations a row.

    References
    ----------
    C. Cortes and V. Vapnik. Support-vector networks. Machine Learning 20, 1995.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Hinge
    >>> z, b = np.array([0.5, 2.0, 2.0]), np.array([1.0, 1.0, -1.0])
    >>> Hinge().value(z, b)
    array([0.5, 0. , 3. ])
    """

    name: ClassVar[str] = "hinge"
    task: ClassVar[str] = "classification"
    sparse_dual: ClassVar[bool] = True

    @property
    def smoothness(self) -> float:
        return float(np.inf)

    @property
    def lipschitz(self) -> float:
        return 1.0

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.maximum(1.0 - b * z, 0.0)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.where(b * z < 1.0, -b, 0.0)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.zeros_like(z)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        return np.where(domain.contains(u), b * domain.project(u), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return -b * np.clip(c - b * v, 0.0, 1.0)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        s = -b * u
        return scores_of_margins(b, np.where(s < 1.0, 1.0, -np.inf), np.where(s > 0.0, 1.0, np.inf))

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return margin_interval(b)
