"""The intercept of a method that needs a bounded set: minimised over exactly, never moved along."""

from __future__ import annotations

import numpy as np

from fenchel.problem.free import best_move
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["free_scores"]


def free_scores(
    problem: Problem, w: FloatArray, z: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    r"""Return w with its best intercept, and the scores there; ``z`` are those of w, where they are known.

    :math:`\min_c P(w, c)` is convex in w, its gradient is that of P at the best c, and it is as smooth: what
    holds for a method on the features holds beside an intercept. Cost O(n) a Newton step, two or three.
    """
    z = problem.scores(w) if z is None else z
    if not problem.fit_intercept:
        return w, z
    move = best_move(problem, np.ones((problem.n_samples, 1)), z)
    moved = w.copy()
    moved[-1:] += move
    return moved, z + move[0]
