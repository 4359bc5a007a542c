"""Stochastic variance-reduced Frank-Wolfe."""

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

__all__ = ["SVRF", "SVRFState"]


@dataclass
class SVRFState(StochasticState):
    """The snapshot, its gradient, how many there were, and the iteration since the last one."""

    snapshot: FloatArray
    gradient: FloatArray
    round: int
    inner: int


@dataclass(frozen=True)
class SVRF(Solver[SVRFState]):
    r"""SVRF: Frank-Wolfe with gradients of batches, corrected by a full one at a snapshot.

    .. math:: d_k = \nabla f_{B_k}(w) - \nabla f_{B_k}(\tilde w) + \nabla f(\tilde w), \qquad
        w \leftarrow (1 - a_k) w + a_k \arg\min_x \langle d_k, x\rangle + g(x), \qquad a_k = \frac2{k+1}

    for :math:`k = 1, \ldots, 2^{t+3} - 2` after the snapshot t, and :math:`|B_k| = \min(k, n/2)`.

    Notes
    -----
    A baseline. Cost of an iteration: four times the entries of the batch, and a best response; two gradient
    calls a row. A snapshot costs a pass and n calls. An epoch takes n gradients, and a tenth of all so far.
    Memory O(n + d), and a copy of the batch. An intercept is refused.

    References
    ----------
    Hazan and Luo, Variance-reduced and projection-free stochastic optimization, 2016, Algorithm 1, whose
    theory has batches of 96 (k + 1), with those of Lu and Freund, Generalized stochastic Frank-Wolfe
    algorithm with stochastic "substitute" gradient for structured convex optimization, 2021, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SVRF, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.ones((4, 1)), [3.0, 3.0, 3.0, 3.0], Squared(), L1Ball(2.0))
    >>> solve(problem, SVRF(), stopping=MaxPasses(100)).w
    array([2.])
    """

    name: ClassVar[str] = "svrf"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, NO_INTERCEPT)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SVRFState:
        """Start from ``start.w``, or from the point of the set nearest zero."""
        w = start_point(problem, start)
        return SVRFState(
            rng=rng,
            entries_read=0,
            gradient_calls=0,
            lmo_calls=0,
            iteration=0,
            w=w,
            snapshot=w.copy(),
            gradient=np.zeros_like(w),
            round=-1,
            inner=0,
        )

    def run_epoch(self, problem: Problem, state: SVRFState) -> None:
        """Iterations that take n gradients or more."""
        regularizer, end = bounded(problem), end_of_epoch(problem, state)
        while state.gradient_calls < end:
            if state.round < 0 or state.inner >= 2 ** (state.round + 3) - 2:
                _take_snapshot(problem, state)
            state.inner += 1
            size = growing_size(problem.n_samples, state.inner, power=1)
            (batch,) = draw_batches(state.rng, problem.n_samples, size, 1)
            new, old = batch_gradient(problem, state, batch, [state.w, state.snapshot])
            response = best_response(problem, regularizer, new - old + state.gradient)
            toward(state, response, 2.0 / (state.inner + 1.0))

    def extract(self, problem: Problem, state: SVRFState) -> tuple[FloatArray, None]:
        """The last point."""
        return settled(problem, state.w), None


def _take_snapshot(problem: Problem, state: SVRFState) -> None:
    state.snapshot[:] = state.w
    state.gradient[:] = problem.correlation(problem.dual_point(state.w))
    state.entries_read += 2 * problem.design.n_entries
    state.gradient_calls += problem.n_samples
    state.round += 1
    state.inner = 0
