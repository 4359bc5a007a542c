"""The loss of support vector regression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.checks import check_parameter
from fenchel.losses.domains import interval
from fenchel.numerics.coordinate import soft_threshold
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class EpsilonInsensitive(ScalarLoss):
    r"""The absolute residual beyond a margin, for real targets ``b``.

    With the margin e and the soft threshold S,

    .. math::

        \phi(z) = \max(0, |z - b| - e), \qquad
        \phi^*(u) = b u + e |u| \text{ on } |u| \le 1,

    .. math::

        \operatorname{prox}_{c \phi^*}(v) = \mathrm{clip}(S(v - c b, c e), -1, 1).

    Not smooth (the subgradient at the kinks :math:`|z - b| = e` is 0), Lipschitz constant 1. Every
    method takes a fixed number of operations a row.

    Parameters
    ----------
    margin : float, default 0.1
        The residual e >= 0 that costs nothing, in units of the targets.

    Raises
    ------
    InvalidInputError
        When ``margin`` is not a finite number at least 0.

    References
    ----------
    V. Vapnik. The Nature of Statistical Learning Theory. Springer, 1995, chapter 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import EpsilonInsensitive
    >>> EpsilonInsensitive(margin=0.5).value(np.array([0.25, -2.0]), np.zeros(2))
    array([0. , 1.5])
    """

    name: ClassVar[str] = "epsilon_insensitive"
    task: ClassVar[str] = "regression"
    sparse_dual: ClassVar[bool] = True
    margin: float = 0.1

    def __post_init__(self) -> None:
        hint = "Margin 0 gives the absolute loss."
        check_parameter(self, "margin", above=0.0, closed=True, hint=hint)
        # Without a margin there is no flat stretch: what is a constant of other losses depends on it here.
        object.__setattr__(self, "sparse_dual", self.margin > 0.0)

    @property
    def smoothness(self) -> float:
        return float(np.inf)

    @property
    def lipschitz(self) -> float:
        return 1.0

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.maximum(np.abs(z - b) - self.margin, 0.0)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        residual = z - b
        return np.where(np.abs(residual) > self.margin, np.sign(residual), 0.0)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.zeros_like(z)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        y = domain.project(u)
        return np.where(domain.contains(u), b * y + self.margin * np.abs(y), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return np.clip(soft_threshold(v - c * b, c * self.margin), -1.0, 1.0)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower = np.where(u > 0.0, b + self.margin, b - self.margin)
        upper = np.where(u < 0.0, b - self.margin, b + self.margin)
        return np.where(u > -1.0, lower, -np.inf), np.where(u < 1.0, upper, np.inf)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return interval(b, -1.0, 1.0)
