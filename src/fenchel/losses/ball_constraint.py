"""The constraint of a ball about the target, for several outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.losses.base import IntervalDomain
from fenchel.losses.checks import check_parameter
from fenchel.losses.constraint import ConstraintLoss
from fenchel.losses.domains import whole_line
from fenchel.numerics.projections import row_l2_norms, row_maxima
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class BallConstraint(ConstraintLoss):
    r"""The indicator of :math:`\|z - b\|_2 \le r`, for targets ``b`` of shape (n, k).

    .. math::

        \phi^*(u) = \langle b, u \rangle + r \|u\|_2, \qquad
        \operatorname{prox}_{c \phi^*}(v) = (v - c b) \max(0,\, 1 - c r / \|v - c b\|_2).

    With the default radius of 0 the model interpolates several outputs at once. Every method takes O(k)
    operations a row.

    Parameters
    ----------
    radius : float, default 0.0
        The largest distance r >= 0 of a row from its target.

    Raises
    ------
    InvalidInputError
        When ``radius`` is not a finite number at least 0.

    References
    ----------
    A. Beck. First-Order Methods in Optimization. SIAM, 2017, chapter 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import BallConstraint
    >>> BallConstraint(radius=5.0).value(np.array([[3.0, 4.0], [4.0, 4.0]]), np.zeros((2, 2)))
    array([ 0., inf])
    """

    name: ClassVar[str] = "ball_constraint"
    task: ClassVar[str] = "regression"
    vector_output: ClassVar[bool] = True
    coupled: ClassVar[bool] = True
    sparse_dual: ClassVar[bool] = True
    radius: float = 0.0

    def __post_init__(self) -> None:
        hint = "Radius 0 asks for the targets themselves."
        check_parameter(self, "radius", above=0.0, closed=True, hint=hint)
        # A ball that is a point has no inside, where u would be zero.
        object.__setattr__(self, "sparse_dual", self.radius > 0.0)

    def target_size(self, b: FloatArray) -> float:
        return float(np.abs(b).max(initial=0.0)) + self.radius

    def project_scaled(self, v: FloatArray, b: FloatArray, step: FloatArray) -> FloatArray:
        offset, radius = v - step * b, step * self.radius
        norms = row_l2_norms(offset)[:, None]
        outside = norms > radius
        share = np.divide(radius, norms, out=np.ones_like(norms), where=outside)
        return np.where(outside, step * b + share * offset, v)

    def projection_derivative(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        norms = row_l2_norms(z - b)[:, None]
        unit = np.divide(z - b, norms, out=np.zeros_like(z), where=norms > 0.0)
        share = np.divide(self.radius, norms, out=np.zeros_like(norms), where=norms > 0.0)

        def along(direction: FloatArray) -> FloatArray:
            tangent = direction - unit * np.sum(unit * direction, axis=1, keepdims=True)
            return np.where(norms < self.radius, direction, share * tangent)

        return along

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        largest = row_maxima(u)
        unit = u / np.where(largest > 0.0, largest, 1.0)[:, None]
        value: FloatArray = largest * (np.sum(b * unit, axis=1) + self.radius * row_l2_norms(unit))
        return np.where(np.isnan(value), np.inf, value)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return whole_line(b)
