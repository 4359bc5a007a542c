"""Newton steps on a working set by the matrix of its model, which is made anew when it has grown too old."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel._kernels.gram_newton import GramLimits, GramPoint, GramSet, gram_newton, share_of_change
from fenchel._kernels.views import DenseLines
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.solvers.prox_newton.gradient import known_rows
from fenchel.solvers.prox_newton.gram_matrix import GramMatrix, extended, gram_matrix, is_cheap
from fenchel.solvers.prox_newton.rare import RARE_PRECISION, STEPS, rare_columns
from fenchel.solvers.prox_newton.state import ProxNewtonState
from fenchel.solvers.prox_newton.working_set import among
from fenchel.typing import FloatArray, IndexArray

__all__ = ["Effort", "matrix_lasts", "needed_at_once", "solve_by_matrix"]

_OLDEST, _LASTING, _MANY_ROWS = 0.5, 0.15, 4
"""A matrix serves while the curvatures have changed by no more than the first share: steps correct it. Up to
the second, that of dense data grows with its set, which spares most where rows are many, and costs nothing in
steps there: at least so many times the features. On fewer rows it grows under a squared loss alone."""
_MOSTLY = 0.5
"""Where more than this share of the features is needed, the support and all that violates its optimality, a
matrix that lasts is made of all of these."""
_BLOCK, _ITERATIONS = 5, 20
"""Passes between two steps on the face, and the iterations of one."""
_CLOSER, _PASSES = 0.3, 10
"""Of the precision and the passes of a model on columns: a pass on the matrix costs next to nothing."""


class Effort(NamedTuple):
    """The most steps, the share of its first violation at which a set is left, and how far models are solved.

    A model is left at a share of the violation at its start, ``precision``, but no lower than ``least``,
    after at most so many ``passes``.
    """

    steps: int
    solved: float
    precision: float
    least: float
    passes: int


def matrix_lasts(problem: Problem, state: ProxNewtonState) -> bool:
    """Whether the matrix at hand, if there is one, grows with its set. Cost O(n)."""
    return bool(state.places.size) and _lasts(problem, state, known_rows(problem, state).root)


def needed_at_once(problem: Problem, state: ProxNewtonState, falls: FloatArray, support: IndexArray) -> int:
    """How large a set spares those in between, where a matrix lasts and most features are needed; else 0."""
    if not matrix_lasts(problem, state):
        return 0
    violated = falls > 0.0
    violated[support] = True
    size = int(np.count_nonzero(violated))
    if size <= _MOSTLY * falls.size:
        return 0
    # Curvatures that never change want no other matrix than that of all.
    size = falls.size if problem.loss.constant_curvature else size
    return size if is_cheap(problem, size) else 0


def solve_by_matrix(
    problem: Problem, state: ProxNewtonState, form: CoordinateForm, chosen: IndexArray, effort: Effort
) -> None:
    """Newton steps on the set, each followed by exact ones, until it is solved roughly."""
    if matrix_lasts(problem, state):
        chosen = _in_order(state.places, chosen, problem.n_features)
    rows = known_rows(problem, state)
    u, root, value = rows.u.copy(), rows.root.copy(), rows.value
    c = state.v[chosen]
    last = float(state.v[-1]) if problem.fit_intercept else 0.0
    columns, loss = problem.design.columns, problem.kernel_loss
    rare = rare_columns(problem, chosen)
    steps = effort.steps
    while steps > 0:
        _hold_matrix(problem, state, chosen, root)
        held = GramSet(
            columns, loss, problem.b, problem.sample_weight, form, problem.fit_intercept, chosen, rare,
            state.matrix, state.cross, state.total, state.root,
        )  # fmt: skip
        known = state.w_before.size == chosen.size
        if not known:
            state.w_before, state.c_before = np.empty(chosen.size), np.empty(chosen.size)
        at = GramPoint(
            state.w, state.z, u, root, value, c, last, state.w_before, state.c_before, known, state.damping
        )
        limits = GramLimits(
            steps, effort.solved, _OLDEST, _CLOSER * effort.precision, _CLOSER * effort.least, _BLOCK,
            _PASSES * effort.passes, _ITERATIONS, RARE_PRECISION / _CLOSER, STEPS,
        )  # fmt: skip
        report = gram_newton(held, limits, at)
        state.damping, value, last = at.damping, at.value, at.last
        state.entries_read += report.entries_read
        if report.refused:
            state.forget_matrix()
        if not report.stale:
            return
        steps -= report.steps


def _lasts(problem: Problem, state: ProxNewtonState, root: FloatArray) -> bool:
    if not (state.places.size and isinstance(problem.design.columns, DenseLines)):
        return False
    most = _LASTING if problem.n_samples >= _MANY_ROWS * problem.n_features else 0.0
    return share_of_change(state.root, root) <= most


def _in_order(places: IndexArray, chosen: IndexArray, size: int) -> IndexArray:
    """The set, with those that the matrix at hand holds first, in its order."""
    if chosen is places:
        return chosen
    return np.concatenate([places[among(places, chosen, size)], chosen[~among(chosen, places, size)]])


def _hold_matrix(problem: Problem, state: ProxNewtonState, chosen: IndexArray, root: FloatArray) -> None:
    """Make the matrix of the set, unless the one at hand is its own and has not grown too old.

    While the curvatures stay nearly the same, as those of a squared loss do, only what it lacks is made, with
    those that the rest was made with.
    """
    if np.array_equal(state.places, chosen) and share_of_change(state.root, root) <= _OLDEST:
        return
    if _lasts(problem, state, root):
        size = state.places.size
        held = GramMatrix(state.matrix.reshape(size, size), state.cross, state.total, 0)
        found = extended(problem, chosen, state.root, state.places, held)
    else:
        found = gram_matrix(problem, chosen, root)
        state.root[:] = root
    state.places = chosen
    state.matrix, state.cross, state.total = found.matrix.ravel(), found.cross, found.total
    state.w_before = state.c_before = np.empty(0)
    state.entries_read += found.entries_read
