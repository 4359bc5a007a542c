"""Where the methods that keep a dual point of their own begin."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray

__all__ = ["dual_start"]

_NEVER_ZERO = ("logistic",)
"""The losses whose derivative is never 0: there no row can rest at u = 0."""


def dual_start(problem: Problem, start: Start) -> FloatArray:
    """The given dual point, the loss derivatives at the given primal point, or zero.

    From zero the rows come in one by one, and the rows that the optimum does not need stay out. Where
    no derivative is 0 all rows start from the derivative at score 0; and so do the rows of zeros, for
    which that is the optimum.
    """
    loss, b = problem.loss, problem.b
    if start.u is not None:
        return np.array(loss.dual_domain(b).project(start.u))
    if start.w is not None:
        return problem.dual_point(start.w)
    at_zero = loss.gradient(np.zeros_like(b), b)
    if loss.name in _NEVER_ZERO:
        return at_zero
    empty = problem.design.row_square_sums(np.ones(problem.n_coordinates)) == 0.0
    return np.where(empty, at_zero, 0.0)
