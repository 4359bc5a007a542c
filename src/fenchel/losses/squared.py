"""The squared loss of least squares."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.domains import whole_line
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Squared(ScalarLoss):
    r"""Half the squared residual, for real targets ``b``.

    .. math::

        \phi(z) = \tfrac12 (z - b)^2, \qquad \phi^*(u) = b u + \tfrac12 u^2, \qquad
        \operatorname{prox}_{c \phi^*}(v) = \frac{v - c b}{1 + c}.

    Smoothness 1, not Lipschitz. Every method takes a fixed number of operations a row.

    References
    ----------
    A. Beck. First-Order Methods in Optimization. SIAM, 2017, chapters 4 and 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Squared
    >>> Squared().value(np.array([1.0, 4.0]), np.array([0.0, 2.0]))
    array([0.5, 2. ])
    """

    name: ClassVar[str] = "squared"
    task: ClassVar[str] = "regression"
    constant_curvature: ClassVar[bool] = True

    @property
    def smoothness(self) -> float:
        return 1.0

    @property
    def lipschitz(self) -> float:
        return float(np.inf)

    @np.errstate(over="ignore")
    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        result: FloatArray = 0.5 * (z - b) ** 2
        return result

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return z - b

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.ones_like(z)

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        return u * (b + 0.5 * u)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return (v - c * b) / (1.0 + c)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        return b + u, b + u

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return whole_line(b)
