"""A constraint with slack: half the squared distance of the score to its set."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.errors import InvalidInputError
from fenchel.losses.base import DualDomain, Loss
from fenchel.losses.checks import check_parameter
from fenchel.losses.constraint import ConstraintLoss
from fenchel.numerics.projections import row_l2_norms
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class SquaredDistance(Loss):
    r"""Half the squared distance to the set of a constraint, times a strength: the constraint with slack.

    .. math::

        \phi_i(z) = \tfrac C2 \operatorname{dist}(z, Y_i)^2, \qquad
        \phi_i^*(u) = \sigma_i(u) + \tfrac{1}{2C} \|u\|^2, \qquad
        \operatorname{prox}_{c \phi_i^*}(v) = \frac{\operatorname{prox}_{c \sigma_i}(v)}{1 + c / C}.

    It is the Moreau envelope of the constraint, smooth with the constant C, and every problem with it has an
    ordinary duality gap. Over :class:`~fenchel.losses.EqualityConstraint` it is C times the squared loss,
    over :class:`~fenchel.losses.MarginConstraint` C/2 times the squared hinge. Losses are means: a sum with
    the factor c/2 on every term has the strength C = c n. The cost of a method is that of the constraint's.

    Parameters
    ----------
    constraint : ConstraintLoss
        The sets; the task and the shape of the targets are its own.
    strength : float, default 1.0
        The factor C > 0.

    Raises
    ------
    InvalidInputError
        When ``constraint`` is not a constraint, or ``strength`` not a finite number above 0.

    References
    ----------
    A. Beck. First-Order Methods in Optimization. SIAM, 2017, section 6.7.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import IntervalConstraint, SquaredDistance
    >>> loss = SquaredDistance(IntervalConstraint(epsilon=0.5), strength=2.0)
    >>> loss.value(np.array([0.25, -2.5]), np.zeros(2))
    array([0., 4.])
    """

    name: ClassVar[str] = "squared_distance"
    compiled: ClassVar[bool] = False
    constraint: ConstraintLoss
    strength: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.constraint, ConstraintLoss):
            raise InvalidInputError(
                f"SquaredDistance cannot use constraint={self.constraint!r}: it must be a loss that is a "
                "constraint. Pass EqualityConstraint() or another of fenchel.losses."
            )
        check_parameter(self, "strength", above=0.0, hint="The constraint alone allows no slack.")
        # What is a constant of every other class is here a matter of the sets.
        for name in ("task", "vector_output", "coupled", "sparse_dual"):
            object.__setattr__(self, name, getattr(self.constraint, name))

    @property
    def smoothness(self) -> float:
        return self.strength

    @property
    def lipschitz(self) -> float:
        return float(np.inf)

    @np.errstate(over="ignore")
    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        result: FloatArray = 0.5 * self.strength * self.constraint.distance(z, b) ** 2
        return result

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return self.strength * (z - self.constraint.project(z, b))

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        along = self.hessian_map(z, b)
        if z.ndim == 1:
            return along(np.ones_like(z))
        result = np.empty_like(z)
        for output in range(z.shape[1]):
            unit = np.zeros_like(z)
            unit[:, output] = 1.0
            result[:, output] = along(unit)[:, output]
        return result

    def hessian_map(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        along = self.constraint.projection_derivative(z, b)
        return lambda direction: self.strength * (direction - along(direction))

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        # |u| (sigma(u / |u|) + |u| / (2 C)): its terms do not overflow to different infinities.
        domain = self.dual_domain(b)
        y = domain.project(u)
        size = np.abs(y) if y.ndim == 1 else row_l2_norms(y)
        divisor = np.where(size > 0.0, size, 1.0)
        unit = y / (divisor if y.ndim == 1 else divisor[:, None])
        value = size * (self.constraint.conjugate(unit, b) + size / (2.0 * self.strength))
        return np.where(domain.contains(u), value, np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c: FloatArray = np.asarray(step, dtype=np.float64)
        shrinkage = 1.0 + (c[:, None] if c.ndim == 1 and v.ndim == 2 else c) / self.strength
        return self.constraint.prox_conjugate(v, b, step) / shrinkage

    def dual_domain(self, b: FloatArray) -> DualDomain:
        return self.constraint.dual_domain(b)
