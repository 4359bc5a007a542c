r"""What the dual coordinate methods share: the model they ascend, and its proximal-point mode.

On coordinates with curvature of their own (:math:`l_{2j} > 0`) the dual of the problem itself is ascended. On
the others a term :math:`\tfrac{\alpha_j}2 \|w_j - \bar w_j\|^2` is added, whose anchor moves to w after
every epoch. One output or several: the strengths of a coordinate are those of all its outputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fenchel.numerics.coordinate import along
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start, State
from fenchel.solvers.coordinate.dual_start import best_multiple
from fenchel.typing import FloatArray

__all__ = [
    "DualModel",
    "ProximalState",
    "WeightedState",
    "dual_steps",
    "first_dual_point",
    "move_anchor",
    "reweigh",
    "ridge_steps",
]

_LEAST_SHRINKAGE = 1e-6
"""The proximal weights are never made smaller than this share of their first values."""


@dataclass
class WeightedState(State):
    """The weights of the proximal term, their share of the first ones, and the steps c that go with them."""

    step: FloatArray
    alpha: FloatArray
    shrinkage: float


@dataclass
class ProximalState(WeightedState):
    """Dual point, its correlation ``v``, the primal best response, and the proximal anchor."""

    epoch: int
    u: FloatArray
    v: FloatArray
    w: FloatArray
    anchor: FloatArray


class DualModel(NamedTuple):
    """The proximal dual that is ascended: ``alpha`` and ``anchor`` as in the state, ``step`` its c."""

    alpha: FloatArray
    anchor: FloatArray
    step: FloatArray

    def respond(self, problem: Problem, v: FloatArray) -> FloatArray:
        """``argmin g(w) + |w - anchor|^2_alpha / 2 + <v, w>``, coordinate by coordinate."""
        form = problem.coordinate_form
        if not self.alpha.any():
            return form.lmo(v)
        curved = replace(form, l2=form.l2 + self.alpha)
        return curved.lmo(v - along(self.alpha, v) * self.anchor)

    def value(self, problem: Problem, u: FloatArray, v: FloatArray) -> float:
        """The dual value: at the best response, the minimum over w of the Lagrangian."""
        w = self.respond(problem, v)
        proximal = 0.5 * float(np.sum(along(self.alpha, v) * (w - self.anchor) ** 2))
        return float(np.sum(v * w)) + problem.coordinate_form.value(w) + proximal - problem.mean_conjugate(u)


def dual_steps(problem: Problem, alpha: FloatArray) -> FloatArray:
    """``c_i = n / (s_i sum_j a_ij^2 / (l2_j + alpha_j))``; 0 for the rows that no step can move."""
    curvature = problem.coordinate_form.l2 + alpha
    inverse = np.divide(1.0, curvature, out=np.zeros(curvature.size), where=curvature > 0)
    return _steps(problem, problem.design.row_square_sums(inverse))


def ridge_steps(problem: Problem, ridge: float) -> FloatArray:
    """:func:`dual_steps` under ``ridge / 2 |w|^2`` alone, from the squared lengths that a design can keep."""
    return _steps(problem, problem.design.row_squares / ridge)


def _steps(problem: Problem, squares: FloatArray) -> FloatArray:
    norms = problem.sample_weight * squares
    return np.divide(problem.n_samples, norms, out=np.zeros(norms.size), where=norms > 0)


def first_dual_point(
    problem: Problem, start: Start, model: DualModel, w: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The given dual point, or the best multiple of the loss derivatives at ``w``; and its correlation.

    Under a weak regularizer the whole derivatives would answer with an enormous w.
    """
    if (given := start.dual_within(problem)) is not None:
        return given, problem.correlation(given)
    u = problem.dual_point(w)
    # No step will visit a row of zeros: its score is 0, whatever w, and its u is right already.
    moving = along(model.step > 0.0, u)
    v = problem.correlation(np.where(moving, u, 0.0))

    def scaled(factor: float) -> FloatArray:
        return np.where(moving, factor * u, u)

    best = best_multiple(lambda factor: model.value(problem, scaled(factor), factor * v))
    return np.ascontiguousarray(scaled(best)), best * v


def move_anchor(problem: Problem, state: ProximalState) -> None:
    """Move the anchor, and loosen the proximal term when the inner problem is solved well enough.

    Because w is the best response to u, the gap of the inner problem is the mean of the
    Fenchel-Young terms of the rows. It is held against the step that the anchor makes.
    """
    q = problem.scores(state.w)
    state.entries_read += problem.design.n_entries
    product = q * state.u if q.ndim == 1 else np.sum(q * state.u, axis=1)
    rows = problem.loss.value(q, problem.b) + problem.loss.conjugate(state.u, problem.b) - product
    inner = float(np.mean(problem.sample_weight * np.maximum(rows, 0.0)))
    outer = 0.5 * float(np.sum(along(state.alpha, state.w) * (state.w - state.anchor) ** 2))
    state.anchor[:] = state.w
    reweigh(problem, state, inner, outer)
    state.w[:] = DualModel(state.alpha, state.anchor, state.step).respond(problem, state.v)


def reweigh(problem: Problem, state: WeightedState, inner: float, outer: float) -> None:
    """Halve the proximal weights where the inner gap is far below the anchor's step, or double them."""
    factor = 0.5 if inner <= 0.1 * outer else 2.0 if inner > 10.0 * outer else 1.0
    shrinkage = float(np.clip(state.shrinkage * factor, _LEAST_SHRINKAGE, 1.0))
    if shrinkage != state.shrinkage:
        state.alpha *= shrinkage / state.shrinkage
        state.shrinkage = shrinkage
        state.step[:] = dual_steps(problem, state.alpha)
