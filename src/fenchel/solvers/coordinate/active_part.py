"""The problem on some rows and some columns, and how its dual is raised."""

from __future__ import annotations

from dataclasses import dataclass

from fenchel._kernels.active_sets import active_ascent, active_gap, ascent_steps
from fenchel.design.base import Design
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.solvers.coordinate.dual_newton import dual_newton_move
from fenchel.solvers.coordinate.proximal_point import DualModel
from fenchel.typing import FloatArray, IndexArray

__all__ = ["ActivePart"]

_NEWTON_PASSES = 160
"""Passes over S that one Newton step may read."""


@dataclass(frozen=True, eq=False)
class _Penalty(SeparableRegularizer):
    """The regularizer that a form describes."""

    form: CoordinateForm

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        return self.form


class ActivePart:
    r"""The dual on ``rows`` and ``columns``, whose copied sub-matrix is S.

    .. math:: D_S(u) = -\frac1n \sum_{i \in \text{rows}} s_i \phi_i^*(u_i)
              - \sum_{k \in \text{columns}} g_k^*(-v_k), \qquad v = v_{\text{others}} + S'(s \circ u)/n

    The methods change u, v and w, of the sizes of S, in place. ``n`` stays the number of all rows.
    """

    def __init__(self, problem: Problem, rows: IndexArray, columns: IndexArray) -> None:
        form = problem.coordinate_form
        self.design: Design = problem.design.submatrix(rows, columns)
        self.form, self.bounded = form.restrict(columns), form.bounded
        self.loss, self.b, self.n_samples = problem.loss, problem.b[rows], problem.n_samples
        self.kernel_loss = problem.kernel_loss
        self.weight = problem.sample_weight[rows]
        self.inverse_l2 = 1.0 / self.form.l2
        self.step = ascent_steps(self.design.rows, self.weight, self.inverse_l2, self.n_samples)
        # The passes divide by the number of their own rows.
        self._pass_weight = self.weight * (self.b.size / self.n_samples)

    def ascend(self, passes: int, u: FloatArray, v: FloatArray, w: FloatArray) -> int:
        """Passes of prox-SDCA, all but the first over the rows that it moved; returns the entries read."""
        return active_ascent(
            self.design.rows, passes, self.kernel_loss, self.b, self._pass_weight, self.step,
            self.form, self.inverse_l2, self.bounded, v, w, u,
        )  # fmt: skip

    def gap(self, u: FloatArray, w: FloatArray) -> float:
        """What the dual can still rise by, at most; one read of S."""
        return active_gap(self.design.rows, self.kernel_loss, self.b, self.weight, self.n_samples, w, u)

    def newton(self, u: FloatArray, v: FloatArray, w: FloatArray) -> tuple[int, bool]:
        """One Newton step where it raises the dual; returns the entries read, and whether it did."""
        # As a problem of its own its weights have mean 1: all of it is larger by this factor.
        factor = self.n_samples / float(self.weight.sum())
        own = self.design.rmatvec(self.weight * u) / self.n_samples
        # Half of l2 goes to a proximal term, whose anchor stands for the pull of all other rows.
        half, anchor = 0.5 * self.form.l2, 2.0 * (own - v) / self.form.l2
        form = CoordinateForm(factor * self.form.l1, factor * half, self.form.lower, self.form.upper)
        problem = Problem(self.design, self.b, self.loss, _Penalty(form), self.weight)
        model = DualModel(factor * half, anchor, self.step)
        budget = _NEWTON_PASSES * self.design.n_entries
        move = dual_newton_move(problem, model, u, factor * own, budget)
        entries = self.design.n_entries + move.entries
        if move.u is None:
            return entries, False
        u[:], v[:] = move.u, v - own + move.v / factor
        w[:] = self.form.lmo(v)
        return entries, True
