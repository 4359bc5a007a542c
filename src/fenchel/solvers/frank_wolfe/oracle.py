"""What all Frank-Wolfe methods share: the bounded set, its best responses, and the counts of the oracles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.regularizers.base import LinearlyMinimizable, Polytope, Proximable, Regularizer
from fenchel.regularizers.bounded import bounded_on_level
from fenchel.solvers.base import Requirement, Start, State
from fenchel.typing import FloatArray

__all__ = [
    "BOUNDED",
    "NO_INTERCEPT",
    "POLYTOPE",
    "OracleState",
    "best_response",
    "bounded",
    "first_prediction",
    "responding",
    "settled",
    "start_point",
]


@dataclass
class OracleState(State):
    """Beside the entries of A, the calls of both oracles, from the beginning of the run.

    ``gradient_calls`` counts one for every sample whose gradient was taken, n for a full one;
    ``lmo_calls`` counts the best responses of the set. ``result.state`` has them after a run.
    """

    gradient_calls: int
    lmo_calls: int


def bounded(problem: Problem) -> Regularizer:
    """The regularizer, or its ball where only the level of P at zero bounds it."""
    at_zero = problem.loss.value(np.zeros_like(problem.b), problem.b)
    return bounded_on_level(problem.regularizer, float(np.mean(problem.sample_weight * at_zero)))


def responding(problem: Problem) -> Regularizer:
    """The regularizer where it has a best response to every direction itself, else its ball."""
    return problem.regularizer if _responds(problem.regularizer, problem.n_features) else bounded(problem)


def best_response(problem: Problem, regularizer: Regularizer, v: FloatArray) -> FloatArray:
    """``argmin <v, x> + g(x)`` over the features; the intercept's coordinate is 0."""
    assert isinstance(regularizer, LinearlyMinimizable)
    response = np.zeros(problem.primal_shape)
    response[: problem.n_features] = regularizer.lmo(v[: problem.n_features])
    return response


def settled(problem: Problem, w: FloatArray, regularizer: Regularizer | None = None) -> FloatArray:
    """A copy of ``w``, moved into the set where it has a projection: a combination can miss it by rounding.

    The set is that of the problem, unless another ``regularizer`` is given.
    """
    regularizer = problem.regularizer if regularizer is None else regularizer
    result = w.copy()
    if isinstance(regularizer, Proximable):
        result[: problem.n_features] = regularizer.prox(w[: problem.n_features], 0.0)
    return result


def start_point(problem: Problem, start: Start) -> FloatArray:
    """``start.w``, or zero, moved into the set."""
    w = np.zeros(problem.primal_shape) if start.w is None else start.w
    return settled(problem, w, bounded(problem))


def first_prediction(problem: Problem, start: Start) -> tuple[FloatArray, FloatArray]:
    """The scores of ``start.w``, or zero, and the loss derivatives there."""
    prediction = np.zeros_like(problem.b) if start.w is None else problem.scores(start.w)
    return prediction, problem.loss.gradient(prediction, problem.b)


def _responds(regularizer: Regularizer, n_features: int) -> bool:
    lower, upper = regularizer.conjugate_domain(n_features)
    everywhere = bool(np.all(np.isneginf(lower)) and np.all(np.isposinf(upper)))
    return everywhere and isinstance(regularizer, LinearlyMinimizable)


BOUNDED = Requirement(
    holds=lambda problem: (
        problem.design.visits_coordinates
        and _responds(bounded_on_level(problem.regularizer, 1.0), problem.n_features)
    ),
    reason=lambda problem: (
        "it needs a best response to every direction, and here some have none"
        if problem.design.visits_coordinates
        else f"it reads rows and columns, and {type(problem.design).__name__} has a matrix of coefficients"
    ),
    way_out="Use a bounded set (L1Ball, L2Ball, GroupL2Ball, Simplex, Box), an unweighted L1, or an l2 part.",
)

POLYTOPE = Requirement(
    holds=lambda problem: (
        isinstance(bounded_on_level(problem.regularizer, 1.0), Polytope) and not problem.loss.vector_output
    ),
    reason=lambda problem: "it needs a set with one vertex a coordinate, and a scalar loss",
    way_out="Use L1Ball, Simplex or an unweighted L1, or solver='frank_wolfe'.",
)

NO_INTERCEPT = Requirement(
    holds=lambda problem: not problem.fit_intercept,
    reason=lambda problem: "it needs a bounded set, and the intercept is free",
    way_out="Use solver='pairwise_frank_wolfe' or solver='frank_wolfe', or fit_intercept=False.",
)
