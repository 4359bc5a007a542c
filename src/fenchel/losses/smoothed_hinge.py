"""The hinge loss with a rounded corner."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, ScalarLoss
from fenchel.losses.checks import check_parameter
from fenchel.losses.domains import margin_interval, scores_of_margins
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class SmoothedHinge(ScalarLoss):
    r"""The hinge loss with its corner replaced by a parabola, for labels ``b`` of -1 and +1.

    With the margin violation :math:`m = 1 - b z`, the width q and :math:`s = -b u`,

    .. math::

        \phi(z) = \begin{cases} 0 & m \le 0 \\ m^2 / (2 q) & 0 \le m \le q \\ m - q / 2 & m \ge q
        \end{cases}
        \;= \max_{0 \le s \le 1} s m - \tfrac q2 s^2,

    .. math::

        \phi^*(u) = b u + \tfrac q2 u^2 \text{ on } 0 \le s \le 1, \qquad
        \operatorname{prox}_{c \phi^*}(v) = -b \, \mathrm{clip}\Big(\frac{c - b v}{1 + c q}, 0, 1\Big).

    Smoothness 1/q, Lipschitz constant 1. Every method takes a fixed number of operations a row.

    Parameters
    ----------
    width : float, default 1.0
        The length q > 0 of the curved part, in units of the margin.

    Raises
    ------
    InvalidInputError
        When ``width`` is not a finite number above 0.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang. Stochastic dual coordinate ascent methods for regularized loss
    minimization. Journal of Machine Learning Research 14, 2013, section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import SmoothedHinge
    >>> SmoothedHinge(width=0.5).value(np.array([2.0, 0.75, 0.0]), np.ones(3))
    array([0.    , 0.0625, 0.75  ])
    """

    name: ClassVar[str] = "smoothed_hinge"
    task: ClassVar[str] = "classification"
    sparse_dual: ClassVar[bool] = True
    width: float = 1.0

    def __post_init__(self) -> None:
        check_parameter(self, "width", above=0.0, hint="Width 0 is the plain hinge loss: use Hinge().")

    @property
    def smoothness(self) -> float:
        return 1.0 / self.width

    @property
    def lipschitz(self) -> float:
        return 1.0

    @np.errstate(over="ignore")
    def _slope(self, violation: FloatArray) -> FloatArray:
        """The maximiser s of ``s m - q s^2 / 2`` over [0, 1]."""
        return np.clip(violation / self.width, 0.0, 1.0)

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        violation = np.maximum(1.0 - b * z, 0.0)
        s = self._slope(violation)
        return s * (violation - 0.5 * self.width * s)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return -b * self._slope(1.0 - b * z)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        violation = 1.0 - b * z
        return np.where((violation > 0.0) & (violation < self.width), self.smoothness, 0.0)

    def damping_curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        # That of the lowest parabola that touches the loss at z and lies above it: a Huber loss of
        # threshold q / 2 around the margin violation q / 2, divided by q, and a line.
        half = 0.5 * self.width
        return 0.5 / np.maximum(half, np.abs(1.0 - b * z - half))

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        y = domain.project(u)
        return np.where(domain.contains(u), y * (b + 0.5 * self.width * y), np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c = np.asarray(step, dtype=np.float64)
        return -b * np.clip((c - b * v) / (1.0 + c * self.width), 0.0, 1.0)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        s = -b * u
        margin = 1.0 - self.width * s
        return scores_of_margins(b, np.where(s < 1.0, margin, -np.inf), np.where(s > 0.0, margin, np.inf))

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return margin_interval(b)
