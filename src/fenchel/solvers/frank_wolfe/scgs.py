"""Stochastic conditional gradient sliding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.regularizers.base import Regularizer
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.batches import batch_gradient, draw_batches, growing_size
from fenchel.solvers.frank_wolfe.oracle import (
    BOUNDED,
    NO_INTERCEPT,
    best_response,
    bounded,
    settled,
    start_point,
)
from fenchel.solvers.frank_wolfe.stochastic_state import StochasticState, end_of_epoch
from fenchel.solvers.requirements import SMOOTH
from fenchel.typing import FloatArray

__all__ = ["SCGS", "SCGSState"]

_MOST_RESPONSES = 1000
"""In one subproblem, whose tolerance asks for a few of them early and about k later."""


@dataclass
class SCGSState(StochasticState):
    """The point that slides; a bound on the curvature, and on the diameter as the responses show it."""

    sliding: FloatArray
    curvature: float
    diameter: float


@dataclass(frozen=True)
class SCGS(Solver[SCGSState]):
    r"""SCGS: Nesterov's acceleration, whose projections are solved by best responses.

    .. math:: z = (1 - \gamma_k) w + \gamma_k x, \quad
        x \leftarrow \arg\min_y \langle \nabla f_{B_k}(z), y \rangle + \tfrac{\beta_k}2 \|y - x\|^2 + g(y),
        \quad
        w \leftarrow (1 - \gamma_k) w + \gamma_k x

    with :math:`\gamma_k = 3/(k+2)`, :math:`\beta_k = 4L/(k+2)` and :math:`|B_k| = \min(k^3, n/2)`; the inner
    problem is solved by Frank-Wolfe with exact steps, until its gap is at most :math:`L D^2 / (k (k+1))`.

    Notes
    -----
    A baseline. L is the smoothness times the mean square length of a row, an upper bound; D is twice the
    length of the longest best response so far. Cost of an iteration: twice the entries of the batch, and
    some best responses, which read nothing. An epoch takes n gradients, and a tenth of all so far. Memory
    O(n + d), and a copy of the batch. An intercept is refused.

    References
    ----------
    Lan and Zhou, Conditional gradient sliding for convex optimization, 2016, Algorithms 1 and 4, with the
    batches of Lu and Freund, Generalized stochastic Frank-Wolfe algorithm with stochastic "substitute"
    gradient for structured convex optimization, 2021, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SCGS, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.ones((4, 1)), [3.0, 3.0, 3.0, 3.0], Squared(), L1Ball(2.0))
    >>> solve(problem, SCGS(), stopping=MaxPasses(100)).w.round(2)
    array([2.])
    """

    name: ClassVar[str] = "scgs"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, NO_INTERCEPT)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SCGSState:
        """Start from ``start.w``, or from the point of the set nearest zero."""
        w = start_point(problem, start)
        return SCGSState(
            rng=rng,
            entries_read=0,
            gradient_calls=0,
            lmo_calls=0,
            iteration=0,
            w=w,
            sliding=w.copy(),
            curvature=problem.loss.smoothness * float(np.sum(problem.column_norms**2)),
            diameter=2.0 * float(np.linalg.norm(w)),
        )

    def run_epoch(self, problem: Problem, state: SCGSState) -> None:
        """Iterations that take n gradients or more."""
        regularizer, end = bounded(problem), end_of_epoch(problem, state)
        while state.gradient_calls < end:
            state.iteration += 1
            k = state.iteration
            share = min(3.0 / (k + 2.0), 1.0)
            (batch,) = draw_batches(
                state.rng, problem.n_samples, growing_size(problem.n_samples, k, power=3), 1
            )
            ahead = (1.0 - share) * state.w + share * state.sliding
            (gradient,) = batch_gradient(problem, state, batch, [ahead])
            state.sliding = _slide(problem, regularizer, state, gradient)
            state.w = (1.0 - share) * state.w + share * state.sliding

    def extract(self, problem: Problem, state: SCGSState) -> tuple[FloatArray, None]:
        """The averaged point."""
        return settled(problem, state.w), None


def _slide(problem: Problem, regularizer: Regularizer, state: SCGSState, gradient: FloatArray) -> FloatArray:
    """Solve the subproblem around ``state.sliding`` by Frank-Wolfe; g counts as linear on a segment."""
    k, features = state.iteration, slice(problem.n_features)
    beta = 4.0 * state.curvature / (k + 2.0)
    y, centre = settled(problem, state.sliding, regularizer), state.sliding
    penalty = regularizer.value(y[features])
    for _ in range(_MOST_RESPONSES):
        slope = gradient + beta * (y - centre)
        response = best_response(problem, regularizer, slope)
        state.lmo_calls += 1
        state.diameter = max(state.diameter, 2.0 * float(np.linalg.norm(response)))
        cost, way = regularizer.value(response[features]), response - y
        gap = -float(np.sum(slope * way)) + penalty - cost
        if gap <= state.curvature * state.diameter**2 / (k * (k + 1.0)):
            break
        squares = beta * float(np.sum(way**2))
        step = min(1.0, gap / squares) if squares > 0.0 else 1.0
        y += step * way
        penalty = (1.0 - step) * penalty + step * cost
    return y
