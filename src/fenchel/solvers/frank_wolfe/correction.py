r"""A step that corrects all weights of the active vertices at once, by a quadratic model of the loss.

.. math:: \min_\delta \; \langle q, \delta \rangle + \tfrac12 \delta' H \delta, \qquad
    \textstyle\sum_s \delta_s = 0, \quad \alpha + \delta \ge 0, \qquad
    H_{st} = \tfrac1n \sum_i s_i \phi_i''(z_i) \langle a_i, s\rangle \langle a_i, t \rangle

over the active vertices and the best new ones, with q their slopes. It takes the gradient that the best
response took, and no other. An intercept that is minimised over is eliminated from H.
"""

from __future__ import annotations

import numpy as np

from fenchel.numerics.simplex_quadratic import face_step
from fenchel.numerics.vertices import Vertices
from fenchel.problem.problem import Problem
from fenchel.solvers.frank_wolfe.vertex_weights import Direction, Slopes, WeightsState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["corrected", "minimise_on_simplex"]

_DAMPING = 1e-10
"""The share of the mean curvature that is added to all vertices: two may be equal."""
_SHARE = 0.01
"""Of the gap between the point and the best vertex, what the model may leave."""
_LEAST_CURVATURE = 1e-8
"""As a share of the smoothness."""


def corrected(
    problem: Problem, vertices: Vertices, state: WeightsState, found: Slopes, largest: int
) -> Direction:
    """Return the way to the minimiser of the model on ``largest`` active vertices at most, and some new ones.

    Cost: their columns, squared row by row.
    """
    numbers = _working_set(state, found, largest)
    hessian, with_intercept = _hessian(problem, vertices, state, numbers)
    weights = state.weights[numbers]
    move = minimise_on_simplex(hessian, found.values[numbers], weights) - weights
    change = np.zeros_like(state.weights)
    change[numbers] = move
    return Direction(change, 1.0, -float(with_intercept @ move))


def _working_set(state: WeightsState, found: Slopes, largest: int) -> IndexArray:
    """The active vertices, and those of least slope, a quarter as many, if they are better than the point.

    Of more active ones than ``largest``, those whose slopes are farthest from the point's.
    """
    active, here = np.flatnonzero(state.weights > 0.0), float(found.values @ state.weights)
    if active.size > largest:
        active = active[np.argsort(-np.abs(found.values[active] - here), kind="stable")[:largest]]
    wanted = min(1 + active.size // 4, found.values.size - 1)
    least = np.argpartition(found.values, wanted)[:wanted]
    better = least[found.values[least] < here]
    return np.union1d(np.append(active, found.toward), better)


def _hessian(
    problem: Problem, vertices: Vertices, state: WeightsState, numbers: IndexArray
) -> tuple[FloatArray, FloatArray]:
    """The second derivative in the weights of these vertices, and how the best intercept follows them."""
    places = [vertices.vertex(int(number), problem.n_features) for number in numbers]
    coordinates = np.unique([k for k, _ in places])
    rows = np.searchsorted(coordinates, [k for k, _ in places])
    values = np.array([value for _, value in places])
    named = np.concatenate([coordinates, np.arange(problem.n_features, problem.n_coordinates)])
    state.entries_read += int(problem.design.column_counts[named].sum())
    curvature = problem.loss.curvature(state.z, problem.b)
    # A model without any curvature would have no minimiser.
    curvature = np.maximum(curvature, _LEAST_CURVATURE * problem.loss.smoothness)
    gram = problem.design.restrict(named).gram(problem.sample_weight * curvature / problem.n_samples)
    follows = np.zeros(coordinates.size)
    if problem.fit_intercept:
        follows = gram[-1, :-1] / gram[-1, -1]
        gram = gram[:-1, :-1] - np.outer(gram[-1, :-1], follows)
    return np.outer(values, values) * gram[np.ix_(rows, rows)], values * follows[rows]


def minimise_on_simplex(hessian: FloatArray, slope: FloatArray, weights: FloatArray) -> FloatArray:
    """Minimise the model over weights that are not negative and keep their sum, from ``weights``.

    ``slope`` is that at ``weights``. Newton steps on the free vertices, which leave them at zero, and join
    when their slope is the least: nearly the minimiser. Cost O(m^3) a change of the free ones.
    """
    point, free, total = weights.copy(), weights > 0.0, float(weights.sum())
    mean = float(np.trace(hessian)) / weights.size
    if mean == 0.0:
        return weights
    damped = hessian + _DAMPING * mean * np.eye(weights.size)
    wanted = _SHARE * (float(slope @ weights) / total - float(slope.min()))
    for _ in range(4 * weights.size):
        now = slope + damped @ (point - weights)
        step = face_step(damped, now, free)
        room = np.divide(point, -step, out=np.full_like(point, np.inf), where=step < 0.0)
        length = min(1.0, float(room.min()))
        point += length * step
        if length < 1.0:
            point[room <= length] = 0.0
            free &= room > length
            continue
        now = slope + damped @ (point - weights)
        joining = int(np.argmin(np.where(free, np.inf, now)))
        if free.all() or now[joining] >= float(now[free].mean()) - wanted:
            break
        free[joining] = True
    result: FloatArray = np.maximum(point, 0.0)
    return result * (total / float(result.sum()))
