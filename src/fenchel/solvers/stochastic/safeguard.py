r"""Steps that grow while they lower P, and are taken back when they do not.

The theory covers steps below a small multiple of :math:`1 / L`, with L the largest curvature that any row has
anywhere. Near the optimum the curvature is often far smaller (a logistic loss beyond its margins, a squared
hinge whose rows rest), and the best step far longer. No data need be read to find it: the value of P is
known wherever the scores are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import State
from fenchel.typing import FloatArray

__all__ = ["EASY", "FASTEST", "SafeguardedState", "accept", "in_range"]

EASY = 10
"""Epochs before the steps grow: problems that are solved by then have no use for it."""
FASTEST = 2.0
"""The first growth of the steps, and the largest."""
_LARGEST = 1e100
"""Squares of larger coefficients leave the range of float64: the steps have diverged."""
_NOISE = 10.0
"""Steps that multiply P by more than this have diverged too."""
_RECOVERY = 1.05
"""The growth is raised to this power by every fall: after a failure about 14 falls double the step."""


@dataclass
class SafeguardedState(State):
    """A primal and a dual point, the correlation of the latter, P at the former, and the step.

    ``least_step`` needs no safeguard; ``growth`` is the factor by which the next fall of P lengthens the
    step, and 1 for steps that are fixed.
    """

    epoch: int
    w: FloatArray
    u: FloatArray
    v: FloatArray
    primal: float
    step: float
    least_step: float
    growth: float


def in_range(w: FloatArray) -> bool:
    """Tell whether P can be computed at ``w``."""
    return bool(np.all(np.abs(w) < _LARGEST))


def accept(problem: Problem, state: SafeguardedState, primal: float, *, growing: bool) -> bool:
    """Tell whether steps that led to the value ``primal`` may stand, and set the next step.

    They may if P has not risen, or if the step is the least one, with which moderate rises are noise.
    """
    if primal <= state.primal + problem.rounding:
        state.primal = primal
        if growing:
            state.step *= state.growth
            state.growth = min(state.growth**_RECOVERY, FASTEST)
        return True
    if state.step <= state.least_step and primal <= _NOISE * state.primal:
        state.primal = primal
        return True
    state.step = max(0.5 * state.step, state.least_step)
    state.growth = float(np.sqrt(state.growth))
    return False
