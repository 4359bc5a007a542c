"""The problem on a working set: slopes, Newton steps of models, exact steps on columns of few entries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel._kernels.prox_newton import RowModel, coordinate_newton_pass, violations
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.damping import next_damping
from fenchel.problem.problem import Problem
from fenchel.solvers.prox_newton.inner import minimise
from fenchel.solvers.prox_newton.line_search import Direction, search
from fenchel.solvers.prox_newton.model import Model, model_of
from fenchel.solvers.prox_newton.rare import RARE_PRECISION, STEPS, rare_columns
from fenchel.solvers.prox_newton.state import ProxNewtonState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["Precision", "Restricted", "Slopes"]


class Slopes(NamedTuple):
    """The derivatives of the mean loss, in the intercept too if there is one, and the largest violation."""

    c: FloatArray
    intercept: float | None
    violation: float


class Precision(NamedTuple):
    """The violation at which a model is left, and the most passes on it."""

    tolerance: float
    passes: int


class Restricted:
    """The columns of a working set, densest first, with the part of the regularizer that acts on them."""

    def __init__(
        self, problem: Problem, state: ProxNewtonState, form: CoordinateForm, chosen: IndexArray
    ) -> None:
        counts = problem.design.column_counts[chosen]
        order = np.argsort(-counts, kind="stable")
        chosen, counts = chosen[order], counts[order]
        self.problem, self.state, self.whole_form = problem, state, form
        self.chosen, self.counts = chosen, counts
        self.rare = rare_columns(problem, chosen)
        self.form = form.restrict(chosen)
        self.loss = problem.kernel_loss

    def slopes(self, rows: RowModel, *, fresh: bool) -> Slopes:
        """The slopes at the point of the state: anew, or from the correlation of the state. Fresh reads W."""
        problem, state = self.problem, self.state
        if fresh:
            weighted = problem.sample_weight * rows.u
            c = problem.design.rmatvec_on(self.chosen, weighted) / problem.n_samples
            state.entries_read += int(self.counts.sum())
            last = float(weighted.mean())
        else:
            c, last = state.v[self.chosen], float(state.v[-1])
        _, violation = violations(self.form, c, state.w[self.chosen])
        if not problem.fit_intercept:
            return Slopes(c, None, violation)
        return Slopes(c, last, max(violation, abs(last)))

    def newton_step(self, rows: RowModel, slopes: Slopes, precision: Precision) -> bool:
        """Minimise a model and go along its direction as far as P falls; False: nowhere.

        Sets the damping of the next model.
        """
        problem, state = self.problem, self.state
        w = state.w[self.chosen]
        model = self._minimised(rows.root, slopes, w, precision)
        state.entries_read += model.entries_read
        direction = self._direction(model, slopes, w)
        step = search(problem, state.z, rows.value, direction)
        expected = model.fall(step.penalty)
        ratio = step.fall / expected if expected > 0.0 else 1.0
        state.damping = next_damping(state.damping, step.length, ratio)
        if step.length == 0.0:
            return False
        # At full length exactly the point of the model: its zeros and bounds stay.
        state.w[self.chosen] = model.x if step.length == 1.0 else w + step.length * direction.dw
        if slopes.intercept is not None:
            state.w[-1] += step.length * model.intercept_move
        state.z += step.length * direction.dz
        return True

    def _minimised(self, root: FloatArray, slopes: Slopes, w: FloatArray, precision: Precision) -> Model:
        """A model at ``w``, and its x at its minimum."""
        columns = self.problem.design.columns
        model = model_of(columns, self.chosen, self.counts, root, slopes.c, self.form, w, slopes.intercept)
        minimise(model, *precision)
        return model

    def _direction(self, model: Model, slopes: Slopes, w: FloatArray) -> Direction:
        """The move of the model, and what it does to the scores."""
        dw = model.x - w
        moved = np.flatnonzero(dw)
        dz = self.problem.design.matvec_on(self.chosen[moved], dw[moved])
        self.state.entries_read += int(self.counts[moved].sum())
        slope = float(slopes.c @ dw)
        if slopes.intercept is not None:
            dz += model.intercept_move
            slope += slopes.intercept * model.intercept_move
        return Direction(self.form, w, dw, dz, slope)

    def exact_steps(self, tolerance: float) -> None:
        """Minimise P itself over one column of few entries after the other."""
        problem, state = self.problem, self.state
        if not self.rare.size:
            return
        state.entries_read += coordinate_newton_pass(
            problem.design.columns,
            self.rare,
            self.loss,
            problem.b,
            problem.sample_weight,
            self.whole_form,
            STEPS,
            RARE_PRECISION * tolerance,
            state.w,
            state.z,
        )
