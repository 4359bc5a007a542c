"""The dual domains that several losses share."""

import numpy as np

from fenchel.losses.base import IntervalDomain
from fenchel.typing import FloatArray


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
