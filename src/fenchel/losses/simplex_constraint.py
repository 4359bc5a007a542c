"""The constraint that the scores of a row are probabilities."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.losses.base import IntervalDomain
from fenchel.losses.constraint import ConstraintLoss
from fenchel.losses.domains import whole_line
from fenchel.numerics.simplex import project_simplex
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class SimplexConstraint(ConstraintLoss):
    r"""The indicator of :math:`z \ge 0,\; \sum_l z_l = 1`, for scores of shape (n, k).

    .. math::

        \phi^*(u) = \max_l u_l, \qquad
        \operatorname{prox}_{c \phi^*}(v) = v - c\,\Pi_\Delta(v / c).

    The targets ``b`` give the shape alone. Every method takes O(k log k) operations a row, for a sort.

    References
    ----------
    A. Beck. First-Order Methods in Optimization. SIAM, 2017, chapter 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import SimplexConstraint
    >>> SimplexConstraint().value(np.array([[0.25, 0.75], [0.5, 0.75]]), np.zeros((2, 2)))
    array([ 0., inf])
    """

    name: ClassVar[str] = "simplex_constraint"
    task: ClassVar[str] = "regression"
    vector_output: ClassVar[bool] = True
    coupled: ClassVar[bool] = True

    def target_size(self, b: FloatArray) -> float:
        return 1.0

    def project_scaled(self, v: FloatArray, b: FloatArray, step: FloatArray) -> FloatArray:
        inside = (v >= 0.0).all(axis=1, keepdims=True) & (v.sum(axis=1, keepdims=True) == step)
        shifted = v - v.max(axis=1, keepdims=True, initial=-np.inf) if v.size else v
        # Only a point within 1 of the largest entry is kept: what overflows here is zero.
        with np.errstate(over="ignore"):
            nearest = step * project_simplex(shifted / step)
        return np.where(inside, v, nearest)

    def projection_derivative(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        kept = (self.project(z, b) > 0.0).astype(np.float64)
        count = kept.sum(axis=1, keepdims=True)

        def along(direction: FloatArray) -> FloatArray:
            mean = np.sum(kept * direction, axis=1, keepdims=True) / count
            result: FloatArray = kept * (direction - mean)
            return result

        return along

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        largest: FloatArray = u.max(axis=1, initial=-np.inf) if u.size else np.zeros(len(u))
        return np.where(np.isnan(largest), np.inf, largest)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        return whole_line(b)
