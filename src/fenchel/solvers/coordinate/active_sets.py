"""How active sets begin, and how they grow."""

from __future__ import annotations

import numpy as np

from fenchel._kernels.active_sets import response_sizes, take_best
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.typing import BoolArray, FloatArray

__all__ = ["active_start", "grow", "nearly_active"]

_FEWEST, _SHARE = 10, 64
"""So many may be added, or one in so many of all, while fewer are active."""
_NEARLY = 0.9
"""A coordinate that this share of its l1 part would let in is taken before it answers."""


def active_start(problem: Problem, start: Start) -> FloatArray:
    """The given dual point, the derivatives at the given w, or zero (those at 0 if no row can rest at 0)."""
    if (given := start.dual_within(problem)) is not None:
        return given
    if start.w is not None:
        return problem.dual_point(start.w)
    zero = np.zeros(problem.n_samples)
    return zero if problem.loss.sparse_dual else problem.loss.gradient(zero, problem.b)


def nearly_active(form: CoordinateForm, v: FloatArray) -> FloatArray:
    """How far each coordinate would answer to ``v`` under a somewhat weaker l1 part; needs an l2 part.

    The rows that join in a round move v, and a coordinate that answers to that move alone would cost
    another round.
    """
    return response_sizes(form, _NEARLY, v)


def grow(active: BoolArray, barred: BoolArray, scores: FloatArray) -> None:
    """Add the best of the others with a positive score, as many as are active or more; first of equals."""
    take_best(scores, barred, max(_FEWEST, active.size // _SHARE, int(np.count_nonzero(active))), active)
