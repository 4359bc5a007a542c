"""Where the methods that keep a dual point of their own begin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray

__all__ = ["best_multiple", "dual_start", "start_entries", "zero_start"]


def dual_start(problem: Problem, start: Start) -> FloatArray:
    """The given dual point, the loss derivatives at the given primal point, or zero.

    From zero the rows come in one by one, and the rows that the optimum does not need stay out. Where
    no derivative is 0 all rows start from the derivative at score 0; and so do the rows of zeros, for
    which that is the optimum.
    """
    loss, b = problem.loss, problem.b
    if (given := start.dual_within(problem)) is not None:
        return given
    if start.w is not None:
        return problem.dual_point(start.w)
    at_zero = loss.gradient(np.zeros_like(b), b)
    if loss.open_dual:
        return at_zero
    empty = problem.design.row_squares == 0.0
    return np.where(empty, at_zero, 0.0)


def start_entries(problem: Problem, start: Start, w: FloatArray, u: FloatArray) -> int:
    """The entries of A that it takes to have ``A'(s * u)``, and before it ``A w`` unless u was given.

    They count in the first epoch, because a start is no pass.
    """
    design, counts = problem.design, problem.sample_weight > 0.0
    correlation = int(design.row_counts[counts & (u != 0.0)].sum())
    return correlation if start.u is not None else correlation + int(design.column_counts[w != 0.0].sum())


def zero_start(problem: Problem, step: FloatArray) -> FloatArray:
    """The dual point zero, where the first pass is one of online learning, and needs no product before it.

    No step will visit a row of zeros: its score is 0, whatever w.
    """
    z = np.zeros(problem.b.shape)
    return np.where(step > 0.0, z, problem.loss.gradient(z, problem.b))


def best_multiple(dual_value: Callable[[float], float]) -> float:
    """The multiple 1, 1/2, ..., 2^-40 or 0 of a dual point at which the dual value is largest.

    All of them lie in the dual domain. Far from the optimum, or under a weak regularizer, the whole
    derivatives would answer with an enormous w. The dual value is concave along the ray, so the search
    ends where it falls.
    """
    best, top = 1.0, dual_value(1.0)
    for factor in (*(0.5**halving for halving in range(1, 41)), 0.0):
        value = dual_value(factor)
        if value < top:
            break
        best, top = factor, value
    return best
