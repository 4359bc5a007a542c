"""Stochastic conditional gradient with a momentum average of gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.batches import batch_gradient, batch_size, check_fraction, draw_batches
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

__all__ = ["SCGM", "SCGMState"]


@dataclass
class SCGMState(StochasticState):
    """The average of the gradients."""

    gradient: FloatArray


@dataclass(frozen=True)
class SCGM(Solver[SCGMState]):
    r"""SCGM: Frank-Wolfe along a running average of the gradients of batches of one size.

    .. math:: d_t = (1 - \rho_t) d_{t-1} + \rho_t \nabla f_{B_t}(w), \qquad
        w \leftarrow (1 - a_t) w + a_t \arg\min_x \langle d_t, x\rangle + g(x), \qquad
        \rho_t = \frac4{(t + 8)^{2/3}}, \quad a_t = \frac2{t + 8}

    Parameters
    ----------
    batch : float in (0, 1], default 0.01
        The rows of a batch, as a share of n; drawn without replacement.

    Raises
    ------
    InvalidInputError
        If ``batch`` is out of range.

    Notes
    -----
    A baseline: the gap closes as :math:`t^{-1/3}`. Cost of an iteration: twice the entries of the batch, and
    a best response. An epoch takes n gradients, and a tenth of all so far. Memory O(n + d). An intercept is
    refused.

    References
    ----------
    Mokhtari, Hassani and Karbasi, Stochastic conditional gradient methods: from convex minimization to
    submodular maximization, 2020, Algorithm 1. A baseline of Lu and Freund, Generalized stochastic
    Frank-Wolfe algorithm with stochastic "substitute" gradient for structured convex optimization, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SCGM, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.ones((4, 1)), [3.0, 3.0, 3.0, 3.0], Squared(), L1Ball(2.0))
    >>> solve(problem, SCGM(batch=0.5), stopping=MaxPasses(1000)).w.round(2)
    array([2.])
    """

    name: ClassVar[str] = "scgm"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, NO_INTERCEPT)

    batch: float = 0.01

    def __post_init__(self) -> None:
        """Refuse a batch that is not a share."""
        check_fraction(self.batch)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SCGMState:
        """Start from ``start.w``, or from the point of the set nearest zero."""
        w = start_point(problem, start)
        return SCGMState(
            rng=rng,
            entries_read=0,
            gradient_calls=0,
            lmo_calls=0,
            iteration=0,
            w=w,
            gradient=np.zeros_like(w),
        )

    def run_epoch(self, problem: Problem, state: SCGMState) -> None:
        """Iterations that take n gradients or more."""
        regularizer, end = bounded(problem), end_of_epoch(problem, state)
        size = batch_size(problem.n_samples, self.batch)
        while state.gradient_calls < end:
            (batch,) = draw_batches(state.rng, problem.n_samples, size, 1)
            (gradient,) = batch_gradient(problem, state, batch, [state.w])
            shifted = state.iteration + 8.0
            state.gradient += 4.0 / shifted ** (2.0 / 3.0) * (gradient - state.gradient)
            toward(state, best_response(problem, regularizer, state.gradient), 2.0 / shifted)

    def extract(self, problem: Problem, state: SCGMState) -> tuple[FloatArray, None]:
        """The last point."""
        return settled(problem, state.w), None
