"""Losses that are constraints: the indicator of a closed convex set of scores for every row."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import IntervalDomain, Loss, ScalarLoss
from fenchel.numerics.projections import row_l2_norms
from fenchel.typing import FloatArray

FEASIBILITY = 1e-12
"""A score this far outside its set, relative to the size of the targets, is rounding."""


@dataclass(frozen=True)
class ConstraintLoss(Loss):
    r"""The demand that every score lies in a closed convex set :math:`Y_i`, which the target describes.

    .. math::

        \phi_i(z) = \mathbb 1[z \in Y_i], \qquad
        \phi_i^*(u) = \sigma_i(u) = \sup_{y \in Y_i} \langle u, y \rangle, \qquad
        \operatorname{prox}_{c \phi_i^*}(v) = v - c\,\Pi_i(v / c),

    with the support function :math:`\sigma_i`, which is positively homogeneous, and the projection
    :math:`\Pi_i`. A row of positive sample weight is a constraint, whatever its weight; a row of weight
    zero is none. :class:`~fenchel.losses.SquaredDistance` is the same with slack.

    A set is one method: :meth:`project_scaled`. Inside the set the gradient is 0; outside, where there is
    no subgradient, it is the residual :math:`z - \Pi_i(z)`, a normal of the set at the nearest point.
    """

    compiled: ClassVar[bool] = False
    indicator: ClassVar[bool] = True

    @abstractmethod
    def project_scaled(self, v: FloatArray, b: FloatArray, step: FloatArray) -> FloatArray:
        """The nearest point of ``step * Y_i`` to every row; ``v`` itself, exactly, where it is inside.

        ``step`` is positive and has a shape that goes with ``v``.
        """

    @abstractmethod
    def projection_derivative(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """The map of a direction to its product with the derivative of :meth:`project`, row by row."""

    def project(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """The nearest point of :math:`Y_i` to every row, shape of ``z``."""
        return self.project_scaled(z, b, np.ones((1,) * z.ndim))

    @abstractmethod
    def target_size(self, b: FloatArray) -> float:
        """The largest finite end of the sets: what their scores are measured in."""

    def distance(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """The Euclidean distance of every row to its set, shape (n,)."""
        residual = z - self.project(z, b)
        return np.abs(residual) if z.ndim == 1 else row_l2_norms(residual)

    @property
    def smoothness(self) -> float:
        return float(np.inf)

    @property
    def lipschitz(self) -> float:
        return float(np.inf)

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """0 where the row is in its set up to rounding, infinite elsewhere; shape (n,).

        Rounding is a distance of ``FEASIBILITY`` times :meth:`target_size`.
        """
        return np.where(self.distance(z, b) <= FEASIBILITY * self.target_size(b), 0.0, np.inf)

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return z - self.project(z, b)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.zeros_like(z)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c: FloatArray = np.asarray(step, dtype=np.float64)
        c = c.reshape(c.shape + (1,) * (v.ndim - c.ndim)) if c.ndim else c.reshape((1,) * v.ndim)
        return v - self.project_scaled(v, b, c)


@dataclass(frozen=True)
class ScalarConstraint(ConstraintLoss, ScalarLoss):
    r"""A constraint on one score a row: an interval :math:`[l_i, h_i]`, whose ends may be infinite.

    .. math::

        \Pi_i(z) = \mathrm{clip}(z, l_i, h_i), \qquad \sigma_i(u) = \begin{cases} l_i u & u \le 0 \\
        h_i u & u \ge 0 \end{cases}

    An interval is one method: :meth:`bounds`.
    """

    @abstractmethod
    def bounds(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The lower and the upper ends of the intervals, shape of ``b`` each; they may be infinite."""

    def target_size(self, b: FloatArray) -> float:
        ends = np.abs(np.concatenate(self.bounds(b)))
        return float(ends.max(initial=0.0, where=np.isfinite(ends)))

    def project_scaled(self, v: FloatArray, b: FloatArray, step: FloatArray) -> FloatArray:
        lower, upper = self.bounds(b)
        return np.clip(v, step * lower, step * upper)

    def projection_derivative(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        lower, upper = self.bounds(b)
        inside = (lower < z) & (z < upper)
        return lambda direction: np.where(inside, direction, 0.0)

    @np.errstate(over="ignore")
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        y = domain.project(u)
        lower, upper = self.bounds(b)
        end = np.where(y < 0.0, lower, np.where(y > 0.0, upper, 0.0))
        return np.where(domain.contains(u), end * y, np.inf)

    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        lower, upper = self.bounds(b)
        return np.where(u > 0.0, upper, lower), np.where(u < 0.0, lower, upper)

    def dual_domain(self, b: FloatArray) -> IntervalDomain:
        lower, upper = self.bounds(b)
        return IntervalDomain(
            np.where(np.isfinite(lower), -np.inf, 0.0), np.where(np.isfinite(upper), np.inf, 0.0)
        )
