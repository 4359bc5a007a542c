"""The dual domains that several losses share."""

from dataclasses import dataclass

import numpy as np

from fenchel.losses.base import DOMAIN_SLACK, DualDomain, IntervalDomain
from fenchel.numerics.simplex import project_simplex
from fenchel.typing import BoolArray, FloatArray

_ROUNDING = 4 * float(np.finfo(float).eps)


def whole_line(b: FloatArray) -> IntervalDomain:
    """Every real dual value, one interval for every entry of ``b``."""
    return IntervalDomain(np.full(b.shape, -np.inf), np.full(b.shape, np.inf))


def interval(b: FloatArray, lower: float, upper: float) -> IntervalDomain:
    """The same interval for every entry of ``b``."""
    return IntervalDomain(np.full(b.shape, lower), np.full(b.shape, upper))


def margin_interval(b: FloatArray) -> IntervalDomain:
    """The dual values with ``0 <= -b u <= 1``, for labels ``b`` of -1 and +1."""
    return IntervalDomain(np.minimum(-b, 0.0), np.maximum(-b, 0.0))


def scores_of_margins(b: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The interval of the scores ``z`` with ``lower <= b z <= upper``, for labels ``b`` of -1 and +1."""
    return np.where(b > 0, lower, -upper), np.where(b > 0, upper, -lower)


@dataclass(frozen=True)
class SimplexDomain(DualDomain):
    r"""The points u for which :math:`v = u + b` is a probability vector, for one-hot rows ``b``."""

    b: FloatArray

    def contains(self, u: FloatArray) -> BoolArray:
        return self._inside(u, DOMAIN_SLACK)

    def project(self, u: FloatArray) -> FloatArray:
        # A point of the domain stays as it is: u + b would round it.
        inside = self._inside(u, _ROUNDING)[:, None]
        if inside.all():
            return u
        return np.where(inside, u, dual_point(project_simplex(u + self.b), self.b))

    def room(self, u: FloatArray) -> FloatArray:
        return np.clip(np.minimum(u + self.b, 1.0 - self.b - u), 0.0, 1.0)

    def balance(self, u: FloatArray, sample_weight: FloatArray) -> FloatArray:
        r"""Move mass from the classes that have too much to those that lack it.

        With :math:`r_l = \sum_i s_i u_{il}`, which sum to zero, every row gives the share
        :math:`r_l / \sum_i s_i v_{il}` of its :math:`v_{il}` in the classes with :math:`r_l > 0`, and
        gets what it gave back in the others, in proportion to their :math:`-r_l`. No entry turns
        negative, and no row sum changes. Cost O(n k).
        """
        weight = sample_weight[:, None]
        residual = np.sum(weight * u, axis=0)
        v = u + self.b
        surplus, lack = np.maximum(residual, 0.0), np.maximum(-residual, 0.0)
        held = np.sum(weight * v, axis=0)
        given = v * np.divide(surplus, held, out=np.zeros_like(held), where=held > 0.0)
        if not lack.any():
            return u
        result: FloatArray = u - given + given.sum(axis=1, keepdims=True) * (lack / lack.sum())
        return result

    def _inside(self, u: FloatArray, slack: float) -> BoolArray:
        inside: BoolArray = np.abs(u.sum(axis=1)) <= slack * u.shape[1]
        p = u + self.b
        # One minimum of all is cheaper than one a row. A NaN fails both tests.
        if p.size and not p.min() >= -slack:
            inside &= p.min(axis=1) >= -slack
        return inside


def dual_point(p: FloatArray, b: FloatArray) -> FloatArray:
    """``p - b`` for rows ``p`` of the simplex; the entry of the class is minus the sum of the others."""
    others = np.where(b > 0, 0.0, p)
    result: FloatArray = np.where(b > 0, -others.sum(axis=1, keepdims=True), p)
    return result
