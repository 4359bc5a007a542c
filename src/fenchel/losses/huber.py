"""The Huber loss of robust regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.checks import check_parameter
from fenchel.losses.domains import interval
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Huber(ScalarLoss):
    r"""Quadratic in small residuals, linear in large ones, for real targets ``b``.

    With the residual :math:`r = z - b` and the threshold k,

    .. math::

        \phi(z) = \begin{cases} r^2 / 2 & |r| \le k \\ k |r| - k^2 / 2 & |r| \ge k \end{cases}
        \;= \max_{|u| \le k} u r - \tfrac12 u^2,

    .. math::

        \phi^*(u) = b u + \tfrac12 u^2 \text{ on } |u| \le k, \qquad
        \operatorname{prox}_{c \phi^*}(v) = \mathrm{clip}\Big(\frac{v - c b}{1 + c}, -k, k\Big).

    Smoothness 1, Lipschitz constant k. Every method takes a fixed number of operations a row.

    Parameters
    ----------
    threshold : float, default 1.0
        The residual k > 0 at which the loss becomes linear, in units of the targets.

    Raises
    ------
    InvalidInputError
        When ``threshold`` is not a finite number above 0.

    References
    ----------
    P. J. Huber. Robust estimation of a location parameter. Annals of Mathematical Statistics 35, 1964.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Huber
    >>> Huber(threshold=1.0).value(np.array([0.5, 3.0]), np.zeros(2))
    array([0.125, 2.5  ])
    """

    name: ClassVar[str] = "huber"
    task: ClassVar[str] = "regression"
    threshold: float = 1.0

    def __post_init__(self) -> None:
        hint = "Use Absolute() for a loss without a quadratic part, Squared() for one without a linear part."
        check_parameter(self, "threshold", above=0.0, hint=hint)

    @property
    def smoothness(self) -> float:
        return 1.0

    @property
    def lipschitz(self) -> float:
        return self.threshold

    @np.errstate(over="ignore")
    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        residual = z - b
        u = np.clip(residual, -self.threshold, self.threshold)
        return u * (residual - 0.5 * u)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.clip(z - b, -self.threshold, self.threshold)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.where(np.abs(z - b) < self.threshold, 1.0, 0.0)

    def damping_curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        # That of the lowest parabola that touches the loss at z and lies above it.
        return self.threshold / np.maximum(self.threshold, np.abs(z - b))

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        y = domain.project(u)
        return np.where(domain.contains(u), y * (b + 0.5 * y), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return np.clip((v - c * b) / (1.0 + c), -self.threshold, self.threshold)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower = np.where(u > -self.threshold, b + u, -np.inf)
        return lower, np.where(u < self.threshold, b + u, np.inf)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return interval(b, -self.threshold, self.threshold)
