r"""A Newton step on the dual coordinates that are not at the ends of their domains.

The dual optimum is the fixed point of the steps of SDCA, :math:`u = T(u) = \mathrm{prox}_{c\phi^*}(u +
c\,q)`, with :math:`q = A w` and w the best response to u. With :math:`p_i` the derivative of the
prox (0 for a row that it holds at an end of its domain) and :math:`K = A M^{-1} A' / n`, M the curvature
of the regularizer on the coordinates that respond, the semismooth Newton step sets
:math:`\Delta_i = T_i(u) - u_i` where :math:`p_i = 0`, and solves on the other rows

.. math:: \frac{1 - p_i}{p_i c_i} \Delta_i + \left(K (s \circ \Delta)\right)_i = \frac{T_i(u) - u_i}{p_i c_i}.

It is taken only if the dual value rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.numerics.semidefinite import conjugate_gradients, solve_semidefinite
from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.proximal_point import DualModel
from fenchel.typing import BoolArray, FloatArray

__all__ = ["DualMove", "dual_newton_move"]

_DIRECT = 500
_HALVINGS = 10
_FEWEST_ITERATIONS, _MOST_ITERATIONS = 3, 100
_ROUNDS = 4
_STUCK = 1e-6
"""A row that leaves its domain within this share of the step is held, and the rest solved again."""


class DualMove(NamedTuple):
    """The new dual point and its correlation (None where no step was better), the rise, the entries read."""

    u: FloatArray | None
    v: FloatArray
    rise: float
    entries: int


def dual_newton_move(
    problem: Problem,
    model: DualModel,
    u: FloatArray,
    v: FloatArray,
    budget: int,
    matrix: FloatArray | None = None,
) -> DualMove:
    """Try one Newton step from ``u`` with ``v = A'(s * u) / n``.

    ``matrix`` is ``A A'`` where it is at hand; under a ridge alone it has all the products of the rows.

    Cost: the Gram matrix of at most 500 rows, or two products with the moving rows, which are copied, for
    each of 3 to 100 conjugate gradient steps, together about ``budget`` entries; a few products with A for
    the search.
    """
    w = model.respond(problem, v)
    target, slope = _prox_and_slope(problem, model, u, problem.scores(w))
    visited = (problem.sample_weight > 0.0) & (model.step > 0.0)
    moving = visited & (slope > 1e-12)
    move = np.where(visited, target - u, 0.0)
    entries = problem.design.n_entries
    for _ in range(_ROUNDS):
        if not moving.any():
            break
        entries += _solve_moving(problem, model, moving, target - u, slope, w, move, budget - entries, matrix)
        stuck = moving & (_shares(problem, u, move) < _STUCK)
        if not stuck.any() or entries >= budget:
            break
        moving = moving & ~stuck
        move[stuck] = 0.0
    return _search(problem, model, u, v, move, entries)


def _model_step(problem: Problem, model: DualModel) -> FloatArray:
    """The c of the fixed point map; any will do, but 1 - p must not drown in rounding.

    For a smooth loss c = smoothness makes p at most 1/2. A loss with kinks has p = 0 or 1, and the
    steps of SDCA have the scale of its targets.
    """
    if problem.loss.smooth:
        return np.full(problem.n_samples, problem.loss.smoothness)
    return np.where(model.step > 0.0, model.step, 1.0)


def _prox_and_slope(
    problem: Problem, model: DualModel, u: FloatArray, q: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The SDCA step of every row at once, and the derivative of its prox by a central difference.

    The difference is exact for the losses whose conjugates are quadratic between the ends.
    """
    step = _model_step(problem, model)
    point = u + step * q
    width = 1e-6 * (1.0 + np.abs(point))
    target = problem.loss.prox_conjugate(point, problem.b, step)
    ahead = problem.loss.prox_conjugate(point + width, problem.b, step)
    behind = problem.loss.prox_conjugate(point - width, problem.b, step)
    return target, np.clip((ahead - behind) / (2.0 * width), 0.0, 1.0)


def _solve_moving(
    problem: Problem,
    model: DualModel,
    moving: BoolArray,
    residual: FloatArray,
    slope: FloatArray,
    w: FloatArray,
    move: FloatArray,
    budget: int,
    matrix: FloatArray | None,
) -> int:
    """Fill ``move`` on the moving rows, what it holds on the others given; return the entries read.

    In ``root(s) * move`` the system is symmetric: diag((1 - p) / (p c s)) + root(s) K root(s).
    """
    form = problem.coordinate_form
    responds = (w > form.lower) & (w < form.upper) & ((w != 0.0) | (form.l1 == 0.0))
    curvature = form.l2 + model.alpha
    inverse = np.where(responds & (curvature > 0), 1.0 / np.where(curvature > 0, curvature, 1.0), 0.0)
    weight = problem.sample_weight
    scale = slope[moving] * _model_step(problem, model)[moving]
    diagonal = (1.0 - slope[moving]) / (scale * weight[moving])
    settled = problem.design.matvec(inverse * problem.correlation(np.where(moving, 0.0, move)))
    right = residual[moving] / scale - settled[moving]
    rows = np.flatnonzero(moving).astype(np.int64)
    if rows.size <= _DIRECT:
        if matrix is None:
            kernel = problem.design.row_gram(rows, inverse) / problem.n_samples
        else:
            kernel = matrix[np.ix_(rows, rows)] * (inverse[0] / problem.n_samples)
        move[moving] = solve_semidefinite(kernel + np.diag(diagonal), right) / weight[moving]
        return problem.design.n_entries
    part = problem.design.submatrix(rows, np.arange(problem.n_coordinates))

    def apply(x: FloatArray) -> FloatArray:
        product = part.matvec(inverse * part.rmatvec(x))
        return diagonal * x + product / problem.n_samples

    own = part.row_square_sums(inverse) / problem.n_samples + diagonal
    affordable = budget // max(2 * part.n_entries, 1)
    iterations = min(max(affordable, _FEWEST_ITERATIONS), _MOST_ITERATIONS)
    solution, count, _ = conjugate_gradients(apply, own, right, iterations)
    move[moving] = solution / weight[moving]
    return problem.design.n_entries + 2 * count * part.n_entries


def _search(
    problem: Problem, model: DualModel, u: FloatArray, v: FloatArray, move: FloatArray, entries: int
) -> DualMove:
    """Take the first step that raises the dual value, projected onto the domain.

    Full, half and quarter steps first; then the one that brings the first row to the end of its
    domain, and its halves.
    """
    value = model.value(problem, u, v)
    domain = problem.loss.dual_domain(problem.b)
    first = float(_shares(problem, u, move).min(initial=1.0))
    steps = [1.0, 0.5, 0.25, *(first * 0.5**halving for halving in range(_HALVINGS))]
    for step in steps:
        trial_u = domain.project(u + step * move)
        trial_v = problem.correlation(trial_u)
        entries += problem.design.n_entries
        rise = model.value(problem, trial_u, trial_v) - value
        if rise > 0:
            return DualMove(trial_u, trial_v, rise, entries)
    return DualMove(None, v, 0.0, entries)


def _shares(problem: Problem, u: FloatArray, move: FloatArray) -> FloatArray:
    """For every row the share of its move, at most 1, that stays in its domain."""
    projected = problem.loss.dual_domain(problem.b).project(u + move)
    cut = (projected != u + move) & (move != 0.0)
    return np.divide(projected - u, move, out=np.ones_like(move), where=cut)
