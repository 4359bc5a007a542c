"""A point of a polytope as weights of its vertices, and the step that moves weight between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fenchel.numerics.vertices import Vertices
from fenchel.problem.problem import Problem
from fenchel.regularizers.base import Polytope
from fenchel.solvers.base import Start
from fenchel.solvers.frank_wolfe.intercept import free_scores
from fenchel.solvers.frank_wolfe.line_search import best_step
from fenchel.solvers.frank_wolfe.oracle import OracleState, bounded, start_point
from fenchel.solvers.frank_wolfe.products import product
from fenchel.typing import FloatArray

__all__ = [
    "Direction",
    "Slopes",
    "WeightsState",
    "follow",
    "pairwise",
    "slopes",
    "start_weights",
    "vertices_of",
]

_DROPPED = 1e-15
"""A weight this small is what rounding has left of one that was moved away."""


@dataclass
class WeightsState(OracleState):
    """The weight of every vertex, the scores, intercept included, and the intercept (empty without one)."""

    iteration: int
    weights: FloatArray
    z: FloatArray
    intercept: FloatArray

    def point(self, vertices: Vertices) -> FloatArray:
        """The primal point."""
        return np.concatenate([vertices.point(self.weights), self.intercept])


class Slopes(NamedTuple):
    r"""The slope :math:`\langle \nabla f, s \rangle + cost(s)` of every vertex, and the two that matter."""

    values: FloatArray
    toward: int
    """The best response: the least slope of all."""
    away: int
    """The largest slope among the vertices that have weight."""

    def gap(self, weights: FloatArray) -> float:
        """The Frank-Wolfe gap of the point with these weights: the slope down to the best response."""
        return float(self.values @ weights - self.values[self.toward])


class Direction(NamedTuple):
    """A change of the weights that sums to zero, how many times it may be taken, and the intercept's part."""

    change: FloatArray
    longest: float
    intercept: float = 0.0


def vertices_of(problem: Problem) -> Vertices:
    """The vertices of the set, or of the ball that stands in for a penalty."""
    regularizer = bounded(problem)
    assert isinstance(regularizer, Polytope)
    return regularizer.vertices


def start_weights(problem: Problem, start: Start, rng: np.random.Generator) -> WeightsState:
    """The state at ``start.w``; else at zero, or at the best vertex for zero scores where zero is outside."""
    vertices, calls = vertices_of(problem), 0
    w = start_point(problem, start)
    if start.w is None and not vertices.signed:
        w[:] = 0.0
        v = problem.correlation(problem.loss.gradient(np.zeros(problem.n_samples), problem.b))
        w[int(np.argmin(v[: problem.n_features]))] = vertices.radius
        calls = problem.n_samples
    w, z = free_scores(problem, w)
    return WeightsState(
        rng=rng,
        entries_read=0,
        gradient_calls=calls,
        lmo_calls=int(calls > 0),
        iteration=0,
        weights=vertices.weights(w[: problem.n_features]),
        z=z,
        intercept=w[problem.n_features :].copy(),
    )


def slopes(problem: Problem, vertices: Vertices, state: WeightsState) -> Slopes:
    """One gradient, and both oracles on it. Cost: a pass."""
    v = problem.correlation(problem.loss.gradient(state.z, problem.b))
    state.entries_read += problem.design.n_entries
    state.gradient_calls += problem.n_samples
    state.lmo_calls += 1
    values = vertices.values(v[: problem.n_features])
    away = int(np.argmax(np.where(state.weights > 0.0, values, -np.inf)))
    return Slopes(values, int(np.argmin(values)), away)


def pairwise(state: WeightsState, found: Slopes) -> Direction:
    """All weight of the worst active vertex to the best one."""
    change = np.zeros_like(state.weights)
    change[found.toward] += 1.0
    change[found.away] -= 1.0
    return Direction(change, float(state.weights[found.away]))


def follow(
    problem: Problem,
    vertices: Vertices,
    state: WeightsState,
    found: Slopes,
    directions: Sequence[Direction],
) -> None:
    """Take the best step of the direction that lowers P most, and the best intercept there.

    Cost: the columns of each direction, and O(n) some five times.
    """
    steps = [_best(problem, vertices, state, direction) for direction in directions]
    length, move, _, (change, longest, intercept) = _better(problem, state, found, steps)
    state.weights += length * change
    if length >= longest:
        # The vertices whose whole weight has moved are dropped to the last bit.
        state.weights[(change < 0.0) & (state.weights <= _DROPPED)] = 0.0
    np.maximum(state.weights, 0.0, out=state.weights)
    state.weights /= state.weights.sum()
    carrier = np.concatenate([np.zeros(problem.n_features), state.intercept + length * intercept])
    carrier, state.z = free_scores(problem, carrier, state.z + length * move)
    state.intercept = carrier[problem.n_features :]
    state.iteration += 1


class _Step(NamedTuple):
    """How far, the change of the scores and of the cost of a unit, and the direction."""

    length: float
    move: FloatArray
    cost: float
    direction: Direction


def _best(problem: Problem, vertices: Vertices, state: WeightsState, direction: Direction) -> _Step:
    x = np.zeros(problem.n_coordinates)
    x[: problem.n_features] = vertices.point(direction.change)
    x[problem.n_features :] = direction.intercept
    move, entries = product(problem, x)
    state.entries_read += entries
    cost = float(vertices.costs(state.weights.size) @ direction.change)
    return _Step(best_step(problem, state.z, move, cost, direction.longest), move, cost, direction)


def _better(problem: Problem, state: WeightsState, found: Slopes, steps: Sequence[_Step]) -> _Step:
    """The step that lowers P most; where rounding hides that, the one with the larger slope times length."""
    if len(steps) == 1:
        return steps[0]
    values = [_value(problem, state, step) for step in steps]
    if max(values) - min(values) > problem.rounding:
        return steps[int(np.argmin(values))]
    return min(steps, key=lambda step: step.length * float(found.values @ step.direction.change))


def _value(problem: Problem, state: WeightsState, step: _Step) -> float:
    losses = problem.loss.value(state.z + step.length * step.move, problem.b)
    return float(np.mean(problem.sample_weight * losses)) + step.length * step.cost
