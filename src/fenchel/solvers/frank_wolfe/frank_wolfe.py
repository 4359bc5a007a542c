"""Frank-Wolfe: a step toward the best response of the set to the gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.problem.problem import Problem
from fenchel.regularizers.base import Regularizer
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.intercept import free_scores
from fenchel.solvers.frank_wolfe.line_search import best_step
from fenchel.solvers.frank_wolfe.oracle import (
    BOUNDED,
    OracleState,
    best_response,
    bounded,
    settled,
    start_point,
)
from fenchel.solvers.frank_wolfe.products import product
from fenchel.solvers.requirements import SMOOTH
from fenchel.typing import FloatArray

__all__ = ["FrankWolfe", "FrankWolfeState"]

RULES = ("open_loop", "line_search")


@dataclass
class FrankWolfeState(OracleState):
    """The iteration, the point and its scores, intercept included."""

    iteration: int
    w: FloatArray
    z: FloatArray


@dataclass(frozen=True)
class FrankWolfe(Solver[FrankWolfeState]):
    r"""Frank-Wolfe with full gradients.

    .. math:: x^t \in \arg\min_x \langle \nabla f(w^t), x \rangle + g(x), \qquad
              w^{t+1} = (1 - a_t) w^t + a_t x^t, \qquad
              f(w) = \tfrac1n \sum_i s_i \phi_i(\langle a_i, w\rangle)

    No projection is ever made: a point is a combination of best responses, sparse on an l1 ball and of low
    rank on a nuclear one. The gap :math:`\langle \nabla f(w), w - x\rangle + g(w) - g(x)` is
    :math:`P(w) - D(\phi'(Aw))`, the certificate at w.

    Parameters
    ----------
    step : {"line_search", "open_loop"}, default "line_search"
        ``open_loop`` takes :math:`a_t = 2/(t + 2)`; ``line_search`` minimises
        :math:`f((1-a) w + a x) + (1-a) g(w) + a g(x)`, which is P where g is a set or linear on the segment.
    steps_per_epoch : int, default 10
        A tenth of all steps so far is added.

    Raises
    ------
    InvalidInputError
        If ``step`` is another word.

    Notes
    -----
    An l1 or group penalty or a ridge gets the redundant radius of ``regularizers.bounded``. An intercept is
    minimised over exactly after every step: the value of the rest is a function as smooth as f. Converges as
    :math:`1/t`. Cost of a step: a pass for the gradient, and the columns where x is not zero; with a line
    search O(n) some five times. A step counts n gradient calls and one lmo call. Memory O((n + d) k).

    References
    ----------
    Frank and Wolfe, An algorithm for quadratic programming, 1956; Jaggi, Revisiting Frank-Wolfe:
    projection-free sparse convex optimization, 2013. A baseline of Lu and Freund, Generalized stochastic
    Frank-Wolfe algorithm with stochastic "substitute" gradient for structured convex optimization, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import FrankWolfe, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1Ball
    >>> result = solve(Problem(np.eye(2), [3.0, 1.0], Squared(), L1Ball(1.0)), FrankWolfe())
    >>> result.w, result.state.lmo_calls, result.state.gradient_calls
    (array([1., 0.]), 10, 20)
    """

    name: ClassVar[str] = "frank_wolfe"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED)

    step: str = "line_search"
    steps_per_epoch: int = 10

    def __post_init__(self) -> None:
        """Refuse an unknown rule."""
        if self.step not in RULES:
            raise InvalidInputError(f"step={self.step!r} is unknown. Use one of {RULES}.")

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> FrankWolfeState:
        """Start from ``start.w``, or from the point of the set nearest zero."""
        w, z = free_scores(problem, start_point(problem, start))
        return FrankWolfeState(rng=rng, entries_read=0, gradient_calls=0, lmo_calls=0, iteration=0, w=w, z=z)

    def run_epoch(self, problem: Problem, state: FrankWolfeState) -> None:
        """Some steps."""
        regularizer = bounded(problem)
        for _ in range(self.steps_per_epoch + state.iteration // 10):
            self._step(problem, regularizer, state)

    def extract(self, problem: Problem, state: FrankWolfeState) -> tuple[FloatArray, None]:
        """The last point."""
        return settled(problem, state.w), None

    def _step(self, problem: Problem, regularizer: Regularizer, state: FrankWolfeState) -> None:
        v = problem.correlation(problem.loss.gradient(state.z, problem.b))
        response = best_response(problem, regularizer, v)
        scores, entries = product(problem, response)
        state.entries_read += problem.design.n_entries + entries
        state.gradient_calls += problem.n_samples
        state.lmo_calls += 1
        intercept = state.w[problem.n_features :].sum(axis=0)
        move, length = scores - (state.z - intercept), 2.0 / (state.iteration + 2.0)
        if self.step == "line_search":
            cost = _value(problem, regularizer, response) - _value(problem, regularizer, state.w)
            length = best_step(problem, state.z, move, cost, 1.0)
        state.w[: problem.n_features] *= 1.0 - length
        state.w += length * response
        state.z += length * move
        state.iteration += 1
        state.w, state.z = free_scores(problem, state.w, state.z)


def _value(problem: Problem, regularizer: Regularizer, w: FloatArray) -> float:
    """``g(w)`` for a w that may miss the set by rounding."""
    value = regularizer.value(w[: problem.n_features])
    if np.isfinite(value):
        return value
    return regularizer.value(settled(problem, w, regularizer)[: problem.n_features])
