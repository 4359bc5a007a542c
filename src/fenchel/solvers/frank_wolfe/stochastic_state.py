"""What the stochastic Frank-Wolfe baselines share: the point, and how long an epoch is."""

from __future__ import annotations

from dataclasses import dataclass

from fenchel.problem.problem import Problem
from fenchel.solvers.frank_wolfe.oracle import OracleState
from fenchel.typing import FloatArray

__all__ = ["StochasticState", "end_of_epoch", "toward"]


@dataclass
class StochasticState(OracleState):
    """The point, and the iterations so far."""

    iteration: int
    w: FloatArray


def end_of_epoch(problem: Problem, state: OracleState) -> int:
    """The gradient calls at which the next epoch ends: n more, and a tenth of all so far."""
    return state.gradient_calls + problem.n_samples + state.gradient_calls // 10


def toward(state: StochasticState, response: FloatArray, step: float) -> None:
    """``w <- (1 - step) w + step x``: one best response, one iteration."""
    state.w *= 1.0 - step
    state.w += step * response
    state.lmo_calls += 1
    state.iteration += 1
