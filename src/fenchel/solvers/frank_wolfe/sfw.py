"""Stochastic Frank-Wolfe with growing batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
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
from fenchel.solvers.frank_wolfe.stochastic_state import StochasticState, end_of_epoch, toward
from fenchel.solvers.requirements import SMOOTH
from fenchel.typing import FloatArray

__all__ = ["SFW"]


@dataclass(frozen=True)
class SFW(Solver[StochasticState]):
    r"""SFW: Frank-Wolfe with the gradient of a batch that grows as the square of the iterations.

    .. math:: w \leftarrow (1 - a_k) w + a_k \arg\min_x \langle \nabla f_{B_k}(w), x\rangle + g(x), \qquad
        a_k = \frac2{k + 1}, \quad |B_k| = \min(k^2, n/2), \quad k = 1, 2, \ldots

    Notes
    -----
    A baseline; batches of half of the rows leave noise, and the gap stays away from zero. Cost of an
    iteration: twice the entries of the batch, and a best response. An epoch takes n gradients, and a tenth
    of all so far. Memory O(n + d), and a copy of the batch. An intercept is refused.

    References
    ----------
    Hazan and Luo, Variance-reduced and projection-free stochastic optimization, 2016, with the batches of Lu
    and Freund, Generalized stochastic Frank-Wolfe algorithm with stochastic "substitute" gradient for
    structured convex optimization, 2021, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SFW, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.ones((4, 1)), [3.0, 3.0, 3.0, 3.0], Squared(), L1Ball(2.0))
    >>> solve(problem, SFW(), stopping=MaxPasses(100)).w
    array([2.])
    """

    name: ClassVar[str] = "sfw"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, NO_INTERCEPT)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> StochasticState:
        """Start from ``start.w``, or from the point of the set nearest zero."""
        w = start_point(problem, start)
        return StochasticState(rng=rng, entries_read=0, gradient_calls=0, lmo_calls=0, iteration=0, w=w)

    def run_epoch(self, problem: Problem, state: StochasticState) -> None:
        """Iterations that take n gradients or more."""
        regularizer, end = bounded(problem), end_of_epoch(problem, state)
        while state.gradient_calls < end:
            k = state.iteration + 1
            size = growing_size(problem.n_samples, k, power=2)
            (batch,) = draw_batches(state.rng, problem.n_samples, size, 1)
            (gradient,) = batch_gradient(problem, state, batch, [state.w])
            toward(state, best_response(problem, regularizer, gradient), 2.0 / (k + 1.0))

    def extract(self, problem: Problem, state: StochasticState) -> tuple[FloatArray, None]:
        """The last point."""
        return settled(problem, state.w), None
