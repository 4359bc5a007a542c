r"""The best step along a segment of scores.

.. math:: \min_{0 \le t \le t_{max}} \frac1n \sum_i s_i \phi_i(z_i + t\, \delta_i) + t\, c
"""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["best_step"]

_EVALUATIONS = 60
_DIGITS = 1e-5
"""What may be left of the slope at the start: the fall of P that this forgoes is about its square."""


def best_step(problem: Problem, z: FloatArray, move: FloatArray, cost: float, longest: float) -> float:
    """Return the minimiser t, by the Illinois method on the derivative, which increases.

    Only the rows that move are looked at. Cost: O(of these rows) an evaluation, some five of them.
    """
    moving = np.flatnonzero(move) if move.ndim == 1 else np.flatnonzero(np.abs(move).sum(axis=1))
    z, move, b = z[moving], move[moving], problem.b[moving]
    weight = problem.sample_weight[moving] / problem.n_samples

    def slope(t: float) -> float:
        gradient = problem.loss.gradient(z + t * move, b) * move
        return float(weight @ (gradient if gradient.ndim == 1 else gradient.sum(axis=1))) + cost

    low, high, below, above = 0.0, longest, slope(0.0), slope(longest)
    if below >= 0.0:
        return 0.0
    if above <= 0.0:
        return longest
    wanted = _DIGITS * -below
    for _ in range(_EVALUATIONS):
        t = low - below * (high - low) / (above - below)
        now = slope(t)
        if abs(now) <= wanted or not low < t < high:
            break
        if now > 0.0:
            high, above, below = t, now, below if _moved(now, above) else 0.5 * below
        else:
            low, below, above = t, now, above if _moved(now, below) else 0.5 * above
    return t


def _moved(now: float, before: float) -> bool:
    """Whether the slope at the end that moves has fallen by half."""
    return abs(now) < 0.5 * abs(before)
