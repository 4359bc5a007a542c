"""The squared loss of several outputs at once."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, Loss
from fenchel.losses.domains import whole_line
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class MultiSquared(Loss):
    r"""Half the squared Euclidean norm of the residual, for targets ``b`` of shape (n, k).

    .. math::

        \phi(z) = \tfrac12 \|z - b\|^2, \qquad
        \phi^*(u) = \langle b, u \rangle + \tfrac12 \|u\|^2, \qquad
        \operatorname{prox}_{c \phi^*}(v) = \frac{v - c b}{1 + c}.

    Smoothness 1, not Lipschitz. Every method takes O(k) operations a row.

    References
    ----------
    A. Beck. First-Order Methods in Optimization. SIAM, 2017, chapters 4 and 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import MultiSquared
    >>> MultiSquared().value(np.array([[3.0, 4.0], [1.0, 0.0]]), np.zeros((2, 2)))
    array([12.5,  0.5])
    """

    name: ClassVar[str] = "multi_squared"
    task: ClassVar[str] = "regression"
    vector_output: ClassVar[bool] = True
    compiled: ClassVar[bool] = False

    @property
    def smoothness(self) -> float:
        return 1.0

    @property
    def lipschitz(self) -> float:
        return float(np.inf)

    @np.errstate(over="ignore")
    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        result: FloatArray = 0.5 * np.sum((z - b) ** 2, axis=1)
        return result

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return z - b

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.ones_like(z)

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        result: FloatArray = np.sum(u * (b + 0.5 * u), axis=1)
        return result

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c: FloatArray = np.asarray(step, dtype=np.float64)
        c = c[:, None] if c.ndim == 1 else c
        return (v - c * b) / (1.0 + c)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return whole_line(b)
