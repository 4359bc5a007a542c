r"""A Newton step on the coordinates that can move: the support, and what no l1 part holds at zero.

There the regularizer is quadratic, so with :math:`h_i = s_i \phi_i''(z_i)` the step solves

.. math:: \left(\tfrac1n A_F' \,\mathrm{diag}(h)\, A_F + \mathrm{diag}(l_2)\right) p = -\nabla_F P(w)

by Cholesky factors when the coordinates, or the rows with h not 0, are few, else by conjugate gradients.
Coordinates that the step would carry through zero or through a bound stop there, and the step is taken only
if P falls. Longer steps are tried first: one that ended at the first of a thousand kinks would move little.
Coordinate descent finds the support; this makes the end of the run fast on correlated columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.design.base import Design
from fenchel.numerics.semidefinite import conjugate_gradients, solve_semidefinite
from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.newton_rows import solve_by_rows
from fenchel.typing import FloatArray, IndexArray

__all__ = ["Move", "newton_move"]

_DIRECT = 500
"""Up to this many coordinates the Hessian is formed and factored."""
_FEW_ROWS = 0.5
"""At most this share of the rows with curvature: they are copied, and the others not read."""
_BISECTIONS = 40
_HALVINGS = 16
"""Projected steps beyond the first kink, from 1 down, until they have become better and worse again."""
_ROUNDING = 64 * float(np.finfo(float).eps)


class Move(NamedTuple):
    """The new point (None where no step was better), its scores, the fall of P, and the cost.

    ``exhausted`` says that conjugate gradients ended at their limit, not at their tolerance.
    """

    w: FloatArray | None
    z: FloatArray
    fall: float
    entries: int
    exhausted: bool


def newton_move(
    problem: Problem, centre: FloatArray, w: FloatArray, z: FloatArray, u: FloatArray, iterations: int
) -> Move:
    """Try one Newton step from ``w`` with scores ``z`` and loss derivatives ``u``.

    ``centre`` holds the column means that are moved into the intercept (0 for the others). Cost: the
    Gram matrix of at most 500 chosen columns, or of at most 500 rows with curvature where these are
    fewer, or two products with the chosen columns for each of at
    most ``iterations`` conjugate gradient steps.
    """
    form = problem.coordinate_form
    inside = (w > form.lower) & (w < form.upper)
    chosen = np.flatnonzero(inside & ((w != 0) | (form.l1 == 0))).astype(np.int64)
    if chosen.size == 0:
        return Move(None, z, 0.0, 0, False)
    part = _Part(problem, chosen, centre, w, u, z)
    if part.rows_are_fewer:
        (direction, entries), exhausted = part.by_rows(), False
    elif chosen.size <= _DIRECT:
        (direction, entries), exhausted = part.direct(), False
    else:
        direction, entries, exhausted = part.iterative(iterations)
    trial_w, trial_z, fall, trials = _search(problem, part.design, chosen, w, z, direction)
    return Move(trial_w, trial_z, fall, entries + trials * part.design.n_entries, exhausted)


class _Part:
    """The Hessian on the chosen coordinates, in coordinates whose dense columns are centred.

    With T the change of coordinates (a move of feature j takes the intercept along by -m_j), conjugate
    gradients solve T'HT q = -T'g, preconditioned by the diagonal, and p = T q.
    """

    def __init__(
        self,
        problem: Problem,
        chosen: IndexArray,
        centre: FloatArray,
        w: FloatArray,
        u: FloatArray,
        z: FloatArray,
    ) -> None:
        form = problem.coordinate_form
        everything = chosen.size == problem.n_coordinates
        self.design: Design = problem.design if everything else problem.design.restrict(chosen)
        self.centre = centre[chosen]
        self.l2 = form.l2[chosen]
        weight = problem.sample_weight / problem.n_samples
        h = weight * problem.loss.curvature(z, problem.b)
        # The rows without curvature, most of them under a hinge, are not in the Hessian.
        curved = np.flatnonzero(h).astype(np.int64)
        few = curved.size <= _FEW_ROWS * h.size
        self.curved = self.design.submatrix(curved, np.arange(chosen.size)) if few else self.design
        self.h = h[curved] if few else h
        self.rows_are_fewer = few and curved.size <= min(_DIRECT, chosen.size)
        penalty = form.l1[chosen] * np.sign(w[chosen]) + self.l2 * w[chosen]
        self.slope = self.design.rmatvec(weight * u) + penalty

    def direct(self) -> tuple[FloatArray, int]:
        """The Newton direction from the factored Hessian, and the entries that it took."""
        hessian = self.curved.gram(self.h) + np.diag(self.l2)
        # T'HT: subtract from each row and column its centre times the last (the intercept's).
        if self.centre.any():
            hessian -= np.outer(self.centre, hessian[-1])
            hessian -= np.outer(hessian[:, -1], self.centre)
        q = solve_semidefinite(hessian, -self._adjoint(self.slope))
        # Symmetric products of all pairs in a row: half the entries times the entries of a row.
        entries = self.curved.n_entries**2 // (2 * max(self.h.size, 1))
        return self._forward(q), entries

    def by_rows(self) -> tuple[FloatArray, int]:
        """The Newton direction from a system of the size of the rows with curvature, and its entries."""
        direction = solve_by_rows(self.curved, self.h, self.l2, -self.slope)
        counts = self.curved.column_counts
        return direction, int(counts @ counts) // 2 + 2 * self.curved.n_entries

    def iterative(self, iterations: int) -> tuple[FloatArray, int, bool]:
        """An inexact Newton direction, the entries that it took, and whether it ended at the limit."""

        def apply(q: FloatArray) -> FloatArray:
            p = self._forward(q)
            return self._adjoint(self.curved.rmatvec(self.h * self.curved.matvec(p)) + self.l2 * p)

        right = -self._adjoint(self.slope)
        q, count, exhausted = conjugate_gradients(apply, self._diagonal(), right, iterations)
        return self._forward(q), 2 * count * self.curved.n_entries, exhausted

    def _diagonal(self) -> FloatArray:
        """The diagonal of T'HT."""
        squares = self.curved.column_square_sums(self.h)
        if self.centre.any():
            sums = self.curved.column_sums(self.h)
            squares = squares - 2 * self.centre * sums + self.centre**2 * self.h.sum()
        return squares + self.l2

    def _forward(self, q: FloatArray) -> FloatArray:
        """``T q``: the last coordinate is the intercept wherever a centre is not zero."""
        if not self.centre.any():
            return q
        p = q.copy()
        p[-1] -= float(self.centre @ q)
        return p

    def _adjoint(self, p: FloatArray) -> FloatArray:
        """``T' p``."""
        return p - self.centre * p[-1] if self.centre.any() else p


def _search(
    problem: Problem, design: Design, chosen: IndexArray, w: FloatArray, z: FloatArray, direction: FloatArray
) -> tuple[FloatArray | None, FloatArray, float, int]:
    """Minimise P along the direction up to the first kink or bound; beyond it, try some projected steps.

    Returns the new point (None when none is better), its scores, the fall of P, and the products made.
    The search is exact because the curvature of a squared hinge jumps: Newton steps with halving can
    crawl there, with exact searches they end after finitely many.
    """
    form = problem.coordinate_form
    line = _Line(problem, form.l1[chosen], form.l2[chosen], w[chosen], z, direction, design.matvec(direction))
    first = line.first_end(form.lower[chosen], form.upper[chosen])
    value = problem.primal_at_scores(w, z)
    best_w, best_z, best, better, trials = None, z, value, 0, 0
    steps = [line.minimiser(first)]
    # Where the fall drowns in the rounding of P, slopes still tell: then the step that they gave is taken.
    rounding = _ROUNDING * abs(value)
    drowned = -0.5 * steps[0] * line.slope(0.0) <= rounding
    # A long direction may carry many coordinates to zero; stopping at the first takes a step for each.
    steps += [step for step in (0.5**halving for halving in range(_HALVINGS)) if step > first]
    for trials, step in enumerate(steps, start=1):
        new = line.point(step, form.lower[chosen], form.upper[chosen])
        trial_w = w.copy()
        trial_w[chosen] = new
        trial_z = z + design.matvec(new - w[chosen])
        trial = problem.primal_at_scores(trial_w, trial_z)
        if trial < best or (drowned and best_w is None and trial <= value + rounding):
            best_w, best_z, best, better = trial_w, trial_z, trial, trials
        elif better > 1:
            break
    return best_w, best_z, max(value - best, 0.0), 1 + trials


class _Line:
    """P on the ray from the coordinates ``old`` along ``direction``, which moves the scores by ``dz``."""

    def __init__(
        self,
        problem: Problem,
        l1: FloatArray,
        l2: FloatArray,
        old: FloatArray,
        z: FloatArray,
        direction: FloatArray,
        dz: FloatArray,
    ) -> None:
        self.problem, self.old, self.direction, self.z, self.dz = problem, old, direction, z, dz
        self.kinked = l1 > 0
        self.weight = problem.sample_weight / problem.n_samples
        self.constant = float(np.sum((l1 * np.sign(old) + l2 * old) * direction))
        self.linear = float(np.sum(l2 * direction**2))

    def first_end(self, lower: FloatArray, upper: FloatArray) -> float:
        """The step that brings the first coordinate to zero (if it has a kink there) or to a bound."""
        old, direction = self.old, self.direction
        end = np.where(direction > 0, upper, lower)
        end = np.where(
            self.kinked & (old * direction < 0),
            np.where(old > 0, np.maximum(end, 0), np.minimum(end, 0)),
            end,
        )
        moving = (direction != 0) & np.isfinite(end)
        return float(np.min((end[moving] - old[moving]) / direction[moving], initial=np.inf))

    def point(self, step: float, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """The point at ``step``, stopped at kinks and bounds."""
        new = np.clip(self.old + step * self.direction, lower, upper)
        # The margin brings the coordinate that defines the step to zero whatever the rounding.
        new[self.kinked & (new * np.sign(self.old) <= 1e-12 * np.abs(self.old))] = 0.0
        return new

    def slope(self, step: float) -> float:
        """The derivative of P at ``step``, valid up to the first kink."""
        gradient = self.problem.loss.gradient(self.z + step * self.dz, self.problem.b)
        return float(np.sum(self.weight * gradient * self.dz)) + self.constant + step * self.linear

    def minimiser(self, end: float) -> float:
        """The minimiser in [0, end] of the convex function, to a tenth of its first slope or better."""
        tolerance = 0.1 * abs(self.slope(0.0))
        low, high = 0.0, min(1.0, end)
        while (slope := self.slope(high)) < -tolerance and high < min(end, 1e3):
            low, high = high, min(2.0 * high, end)
        for _ in range(_BISECTIONS):
            if abs(slope) <= tolerance or (slope < 0 and high == end):
                break
            middle = 0.5 * (low + high)
            slope_middle = self.slope(middle)
            if slope_middle > 0:
                high, slope = middle, slope_middle
            else:
                low = middle
                if slope_middle >= -tolerance:
                    return middle
        return high
