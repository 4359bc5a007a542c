"""The quantile (pinball) loss."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.checks import check_parameter
from fenchel.losses.domains import interval
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Quantile(ScalarLoss):
    r"""The loss whose mean is least at a quantile of real targets ``b``.

    With the level q,

    .. math::

        \phi(z) = \max(q (b - z), (q - 1) (b - z)), \qquad
        \phi^*(u) = b u \text{ on } -q \le u \le 1 - q,

    .. math::

        \operatorname{prox}_{c \phi^*}(v) = \mathrm{clip}(v - c b, -q, 1 - q).

    Not smooth (the subgradient at the kink :math:`z = b` is 0), Lipschitz constant max(q, 1 - q).
    Every method takes a fixed number of operations a row.

    Parameters
    ----------
    level : float, default 0.5
        The quantile q, strictly between 0 and 1; one half is the median and half the absolute loss.

    Raises
    ------
    InvalidInputError
        When ``level`` is not a number strictly between 0 and 1.

    References
    ----------
    R. Koenker and G. Bassett. Regression quantiles. Econometrica 46, 1978.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Quantile
    >>> Quantile(level=0.75).value(np.array([-1.0, 1.0]), np.zeros(2))
    array([0.75, 0.25])
    """

    name: ClassVar[str] = "quantile"
    task: ClassVar[str] = "regression"
    level: float = 0.5

    def __post_init__(self) -> None:
        hint = "Divide a percentage by 100; levels 0 and 1 stand for the minimum and the maximum."
        check_parameter(self, "level", above=0.0, below=1.0, hint=hint)

    @property
    def smoothness(self) -> float:
        return float(np.inf)

    @property
    def lipschitz(self) -> float:
        return max(self.level, 1.0 - self.level)

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        shortfall = b - z
        return np.maximum(self.level * shortfall, (self.level - 1.0) * shortfall)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.where(z < b, -self.level, np.where(z > b, 1.0 - self.level, 0.0))

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.zeros_like(z)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        return np.where(domain.contains(u), b * domain.project(u), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return np.clip(v - c * b, -self.level, 1.0 - self.level)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower, upper = np.where(u > -self.level, b, -np.inf), np.where(u < 1.0 - self.level, b, np.inf)
        return lower, upper

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return interval(b, -self.level, 1.0 - self.level)
