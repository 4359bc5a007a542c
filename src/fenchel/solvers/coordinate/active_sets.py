"""How active sets begin, and how they grow."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.typing import BoolArray, FloatArray

__all__ = ["active_start", "grow"]

_FEWEST, _SHARE = 10, 64
"""So many may be added, or one in so many of all, while fewer are active."""


def active_start(problem: Problem, start: Start) -> FloatArray:
    """The given dual point, the derivatives at the given w, or zero (those at 0 if no row can rest at 0)."""
    if (given := start.dual_within(problem)) is not None:
        return given
    if start.w is not None:
        return problem.dual_point(start.w)
    zero = np.zeros(problem.n_samples)
    return zero if problem.loss.sparse_dual else problem.loss.gradient(zero, problem.b)


def grow(active: BoolArray, scores: FloatArray) -> None:
    """Add the best outside with a positive score, as many as are active or more; first of equals."""
    outside = np.flatnonzero((scores > 0.0) & ~active)
    count = max(_FEWEST, active.size // _SHARE, int(active.sum()))
    if count < outside.size:
        found = scores[outside]
        last = np.partition(found, -count)[-count]
        better, equal = outside[found > last], outside[found == last]
        outside = np.concatenate([better, equal[: count - better.size]])
    active[outside] = True
