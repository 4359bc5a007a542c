r"""Problems with constraints: the best multiples of a dual point and of a primal point.

Support functions are positively homogeneous, so the dual value along a ray is

.. math:: D(s u) = -\tfrac sn \sum_i s_i \sigma_i(u_i) - g^*(-s v),

a concave function of one variable whose maximum costs no entry of A; for half a squared norm it is a
parabola. Where a multiple of w lies in all sets, it turns a relaxed certificate into a hard one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fenchel.losses.constraint import ScalarConstraint
from fenchel.typing import FloatArray

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["best_multiple", "feasible_multiple"]

_DOUBLINGS = 200
_SECTIONS = 60
_GOLDEN = 0.5 * (3.0 - 5.0**0.5)
_FIT = 1e-13
"""A value this near to the one that a parabola foretells makes the function that parabola."""


def best_multiple(problem: Problem, u: FloatArray, v: FloatArray, charge: float) -> tuple[float, FloatArray]:
    """The largest dual value on the ray of ``u``, less the charge for its residual, and the point there."""
    slope = -problem.mean_conjugate(u) - charge

    def value(scale: float) -> float:
        return scale * slope - problem.conjugate(-scale * v)

    if not np.isfinite(slope):
        return value(0.0), np.zeros_like(u)
    best, scale = _maximise(value, lambda scale: problem.conjugate_scale(-scale * v))
    return best, scale * u


def _maximise(value: Callable[[float], float], share: Callable[[float], float]) -> tuple[float, float]:
    """Maximise a concave function over s >= 0; ``share(s)`` is the part of [0, s] on which it is finite."""
    scale = 1.0
    known = {0.0: value(0.0), scale: value(scale)}

    def at(point: float) -> float:
        if point not in known:
            known[point] = value(point)
        return known[point]

    for _ in range(_DOUBLINGS):
        if at(0.5 * scale) > at(scale) or not np.isfinite(at(scale)):
            scale *= 0.5
        elif at(2.0 * scale) > at(scale):
            scale *= 2.0
        else:
            break
    end = 2.0 * scale * share(2.0 * scale)
    at(end)
    if not _is_parabola(at, scale, end):
        _golden_section(at, 0.5 * scale, end)
    scale = max(known, key=lambda point: (known[point], -point))
    return known[scale], scale


def _is_parabola(at: Callable[[float], float], scale: float, end: float) -> bool:
    """Visit the vertex of the parabola through three values; tell whether the function is that parabola."""
    low, middle, high = at(0.5 * scale), at(scale), at(2.0 * scale)
    if end < 2.0 * scale or not np.isfinite(low + middle + high):
        return False
    # With t = s / scale the parabola is middle + slope (t - 1) + bend (t - 1)^2.
    bend = (2.0 * (low - middle) + (high - middle)) / 1.5
    slope = (high - middle) - bend
    if bend >= 0.0:
        return False
    move = float(np.clip(-0.5 * slope / bend, -0.5, 1.0))
    foretold = middle + slope * move + bend * move**2
    return abs(at(scale * (1.0 + move)) - foretold) <= _FIT * max(abs(low), abs(middle), abs(high))


def _golden_section(at: Callable[[float], float], low: float, high: float) -> None:
    for _ in range(_SECTIONS):
        left, right = low + _GOLDEN * (high - low), high - _GOLDEN * (high - low)
        if at(left) < at(right):
            low = left
        else:
            high = right


def feasible_multiple(problem: Problem, w: FloatArray) -> FloatArray:
    """The multiple of ``w`` of the least penalty that lies in all sets; ``w`` itself where none does.

    For constraints on one score a row; for others, and for losses, ``w``. With margins of at least ``m > 0``
    it is ``w / m``, and with the other sign where w is on the wrong side of every row. Cost one pass.
    """
    loss = problem.loss
    if not isinstance(loss, ScalarConstraint):
        return w
    z, counts = problem.scores(w), problem.sample_weight > 0
    lower, upper = (end[counts] for end in loss.bounds(problem.b))
    least, most = _multiples(z[counts], lower, upper)
    if least > most:
        return w
    factor = min(max(least, 0.0), most)
    multiple = factor * w
    features = problem.features
    if least <= 1.0 <= most and problem.regularizer.value(features(w)) <= problem.regularizer.value(
        features(multiple)
    ):
        return w
    return multiple if np.isfinite(problem.regularizer.value(features(multiple))) else w


def _multiples(z: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[float, float]:
    """The ends of the factors t with ``lower <= t z <= upper`` for all rows; crossed where there is none."""
    still = z == 0.0
    if np.any(lower[still] > 0.0) or np.any(upper[still] < 0.0):
        return np.inf, -np.inf
    z, lower, upper = z[~still], lower[~still], upper[~still]
    with np.errstate(over="ignore"):
        first, second = lower / z, upper / z
    least = float(np.minimum(first, second).max(initial=-np.inf))
    most = float(np.maximum(first, second).min(initial=np.inf))
    return least, most
