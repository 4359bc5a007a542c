r"""A convex quadratic over the simplex, by active sets.

.. math:: \min_x \; \tfrac12 x^\top H x + q^\top x, \qquad x \ge 0, \; \sum_k x_k = 1
"""

from __future__ import annotations

import numpy as np

from fenchel.typing import BoolArray, FloatArray

__all__ = ["face_step", "simplex_quadratic"]

_DAMPING = 1e-6
"""The proximal term, as a share of the mean curvature."""
_ROUNDING = 1e-12
_MOST_ROUNDS, _MOST_CHANGES = 20, 10
"""Proximal steps, and changes of the free set in each for a coordinate."""


def simplex_quadratic(H: FloatArray, q: FloatArray, start: FloatArray) -> FloatArray:
    """Minimise from a point of the simplex, by proximal steps: H may be singular.

    In each the free coordinates take the minimiser on their face. One that would turn negative stops at zero
    and leaves; when none does, the coordinate with the least slope joins, while it is below that of the face.
    Cost O(k^3) a change of the free set: few, when the start is nearly optimal.

    Examples
    --------
    >>> import numpy as np
    >>> simplex_quadratic(np.eye(2), np.array([0.0, 0.5]), np.array([0.0, 1.0])).round(12)
    array([0.75, 0.25])
    """
    x = start
    proximal = _DAMPING * (float(np.trace(H)) / len(q) or 1.0) * np.eye(len(q))
    for _ in range(_MOST_ROUNDS):
        x = _active_set(H + proximal, q - proximal @ x, x)
        slope = H @ x + q
        if slope @ x - slope.min() <= _ROUNDING * float(np.abs(slope).max()):
            break
    return x


def _active_set(H: FloatArray, q: FloatArray, start: FloatArray) -> FloatArray:
    """The minimiser for a definite H."""
    x, free = start.copy(), start > 0
    for _ in range(_MOST_CHANGES * len(q)):
        step = face_step(H, H @ x + q, free)
        leaving = free & (x + step < 0)
        if leaving.any():
            reach = np.divide(x, -step, out=np.full_like(x, np.inf), where=leaving)
            first = int(np.argmin(reach))
            x = np.maximum(x + reach[first] * step, 0.0)
            x[first], free[first] = 0.0, False
            continue
        x = x + step
        slope = H @ x + q
        least = int(np.argmin(np.where(free, np.inf, slope)))
        if free[least] or slope[least] >= float(slope @ x) - _ROUNDING * float(np.abs(slope).max()):
            break
        free[least] = True
    result: FloatArray = x / x.sum()
    return result


def face_step(H: FloatArray, slope: FloatArray, free: BoolArray) -> FloatArray:
    """The step to the minimiser on the free coordinates with their sum held, of a definite H.

    Examples
    --------
    >>> import numpy as np
    >>> face_step(np.eye(3), np.array([1.0, 0.0, 5.0]), np.array([True, True, False]))
    array([-0.5,  0.5,  0. ])
    """
    place = np.flatnonzero(free)
    sides = np.column_stack([-slope[place], np.ones(len(place))])
    down, level = np.linalg.solve(H[np.ix_(place, place)], sides).T
    step = np.zeros_like(slope)
    step[place] = down - level * (down.sum() / level.sum())
    # What is left of the sum is rounding.
    step[place] -= step[place].mean()
    return step
