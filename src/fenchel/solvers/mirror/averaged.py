"""What the stochastic mirror solvers share: a weighted average of points, and a radius that may grow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.solvers.base import State
from fenchel.solvers.mirror.radius import grown_radius
from fenchel.typing import FloatArray

__all__ = ["AveragedState", "mean_point", "wider_radius"]


@dataclass
class AveragedState(State):
    """The steps so far, the weighted sum of w since step ``begun`` with its weight, and the radius."""

    time: int
    w_total: FloatArray
    weight: float
    radius: float
    begun: int


def mean_point(problem: Problem, state: AveragedState) -> FloatArray:
    """The average, back in the ball of L1Ball where the rounding of many sums has taken it out."""
    w: FloatArray = state.w_total / state.weight
    g, norm = problem.regularizer, float(np.abs(w).sum())
    return w * (g.radius / norm) if isinstance(g, L1Ball) and norm > g.radius else w


def wider_radius(problem: Problem, state: AveragedState) -> float:
    """The radius to go on with: a larger one under L1, where the average is near the boundary.

    An average of fewer steps than came before it says nothing. One pass where the radius grows.
    """
    if state.time - state.begun < max(state.begun, sum(problem.design.shape)):
        return state.radius
    w = state.w_total / state.weight
    if grown_radius(problem, state.radius, w, math.inf) <= state.radius:
        return state.radius
    state.entries_read += problem.design.n_entries
    return grown_radius(problem, state.radius, w, problem.primal_value(w))
