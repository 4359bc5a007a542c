"""The proximal steps of SDCA: kinks under a ridge on few columns."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.proximal_newton import proximal_newton
from fenchel.solvers.coordinate.proximal_point import DualModel
from fenchel.solvers.coordinate.sdca_state import SDCAState

__all__ = ["FIRST_REACH", "proximal_step", "suits_proximal_steps"]

FIRST_REACH, _GROWTH = 100.0, 5.0
"""The length of the first step in those of the passes, and the growth from step to step."""
_FEW_COLUMNS = 300
"""The matrices of the steps grow with their square."""


def suits_proximal_steps(problem: Problem, ridge: float) -> bool:
    """Kinks under a ridge, and a Newton matrix that costs no more than some passes."""
    return ridge > 0 and not problem.loss.smooth and problem.n_coordinates <= _FEW_COLUMNS


def proximal_step(problem: Problem, state: SDCAState, model: DualModel) -> bool:
    """Take a proximal step if the dual value rises, the next one to be longer; else there are no more."""
    v = -state.ridge * state.w
    z = state.z if np.array_equal(state.point, state.w) else problem.scores(state.w)
    c = state.reach / float(np.mean(np.divide(1.0, state.step, where=state.step > 0.0, out=np.zeros_like(z))))
    move = proximal_newton(problem, state.ridge, state.u, state.w, z, c)
    state.entries_read += move.entries
    if not model.value(problem, move.u, move.v) > model.value(problem, state.u, v):
        state.reach = 0.0
        return False
    state.reach *= _GROWTH
    state.u[:], state.v[:], state.point[:], state.z[:] = move.u, move.v, move.w, move.z
    state.w[:] = model.respond(problem, move.v)
    return True
