r"""A Newton step on the coordinates that can move: the support, and what no l1 part holds at zero.

There the regularizer is quadratic, so with :math:`h_i = s_i \phi_i''(z_i)` the step solves

.. math:: \left(\tfrac1n A_F' \,\mathrm{diag}(h)\, A_F + \mathrm{diag}(l_2)\right) p = -\nabla_F P(w)

by Cholesky factors when the coordinates are few, else by conjugate gradients. Coordinates that the step would carry through zero or through a bound stop
there, and the step is taken only if P falls. Coordinate descent finds the support; this makes the
end of the run fast on columns that are correlated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg

from fenchel.design.base import Design
from fenchel.problem.problem import Problem
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["Move", "newton_move"]

_DIRECT = 500
"""Up to this many coordinates the Hessian is formed and factored."""
_JITTER = 1e-10
"""Keeps the factors of a singular Hessian finite; the long step that follows ends at a kink."""
_HALVINGS = 12


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
    Gram matrix of at most 500 chosen columns, or two products with the chosen columns for each of at
    most ``iterations`` conjugate gradient steps.
    """
    form = problem.coordinate_form
    inside = (w > form.lower) & (w < form.upper)
    chosen = np.flatnonzero(inside & ((w != 0) | (form.l1 == 0))).astype(np.int64)
    if chosen.size == 0:
        return Move(None, z, 0.0, 0, False)
    part = _Part(problem, chosen, centre, w, u, z)
    if chosen.size <= _DIRECT:
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
        self, problem: Problem, chosen: IndexArray, centre: FloatArray, w: FloatArray, u: FloatArray, z: FloatArray
    ) -> None:
        form = problem.coordinate_form
        everything = chosen.size == problem.n_coordinates
        self.design: Design = problem.design if everything else problem.design.restrict(chosen)
        self.centre = centre[chosen]
        self.l2 = form.l2[chosen]
        weight = problem.sample_weight / problem.n_samples
        self.h = weight * problem.loss.curvature(z, problem.b)
        penalty = form.l1[chosen] * np.sign(w[chosen]) + self.l2 * w[chosen]
        self.slope = self.design.rmatvec(weight * u) + penalty

    def direct(self) -> tuple[FloatArray, int]:
        """The Newton direction from the factored Hessian, and the entries that it took."""
        hessian = self.design.gram(self.h) + np.diag(self.l2)
        # T'HT: subtract from each row and column its centre times the last (the intercept's).
        if self.centre.any():
            hessian -= np.outer(self.centre, hessian[-1])
            hessian -= np.outer(hessian[:, -1], self.centre)
        diagonal = np.sqrt(self._floored(np.diag(hessian)))
        scaled = hessian / np.outer(diagonal, diagonal)
        right = -self._adjoint(self.slope) / diagonal
        scaled[np.diag_indices_from(scaled)] += _JITTER
        try:
            q = cho_solve(cho_factor(scaled), right) / diagonal
        except LinAlgError:
            q = np.linalg.lstsq(scaled, right, rcond=None)[0] / diagonal
        # Symmetric products of all pairs in a row: half the entries times the entries of a row.
        entries = self.design.n_entries**2 // (2 * self.h.size)
        return self._forward(q), entries

    def iterative(self, iterations: int) -> tuple[FloatArray, int, bool]:
        """An inexact Newton direction, the entries that it took, and whether it ended at the limit."""
        size = self.slope.size
        count = 0

        def apply(q: FloatArray) -> FloatArray:
            nonlocal count
            count += 1
            p = self._forward(q)
            return self._adjoint(self.design.rmatvec(self.h * self.design.matvec(p)) + self.l2 * p)

        diagonal = self._diagonal()
        right = -self._adjoint(self.slope)
        q, left = cg(
            LinearOperator((size, size), matvec=apply, dtype=np.float64),
            right,
            rtol=0.03,
            maxiter=iterations,
            M=LinearOperator((size, size), matvec=lambda r: r / diagonal, dtype=np.float64),
        )
        return self._forward(q), 2 * count * self.design.n_entries, left > 0

    def _diagonal(self) -> FloatArray:
        """The diagonal of T'HT, kept away from zero."""
        squares = self.design.column_square_sums(self.h)
        if self.centre.any():
            sums = self.design.column_sums(self.h)
            squares = squares - 2 * self.centre * sums + self.centre**2 * self.h.sum()
        return self._floored(squares + self.l2)

    @staticmethod
    def _floored(diagonal: FloatArray) -> FloatArray:
        result: FloatArray = np.maximum(diagonal, 1e-10 * diagonal.max(initial=0.0) + np.finfo(float).tiny)
        return result

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
    """Take the first step that lowers P; clip at zero (where an l1 part has its kink) and at the bounds.

    Full, half and quarter steps may carry many coordinates to zero at once. When none of them helps,
    the step that brings the first coordinate to zero is tried, and then its halves: the direction
    goes downhill at least that far on a quadratic.
    """
    form = problem.coordinate_form
    value = problem.primal_at_scores(w, z)
    old, lower, upper = w[chosen], form.lower[chosen], form.upper[chosen]
    kinked = form.l1[chosen] > 0
    steps = _steps(old, direction, kinked)
    for tries, step in enumerate(steps, start=1):
        new = np.clip(old + step * direction, lower, upper)
        # The margin brings the coordinate that defines the step to zero whatever the rounding.
        new[kinked & (new * np.sign(old) <= 1e-12 * np.abs(old))] = 0.0
        trial_w = w.copy()
        trial_w[chosen] = new
        trial_z = z + design.matvec(new - old)
        fall = value - problem.primal_at_scores(trial_w, trial_z)
        if fall > 0:
            return trial_w, trial_z, fall, tries
    return None, z, 0.0, len(steps)


def _steps(old: FloatArray, direction: FloatArray, kinked: BoolArray) -> list[float]:
    """The step lengths to try, in order."""
    toward = kinked & (old * direction < 0)
    first = float(np.min(-old[toward] / direction[toward], initial=1.0))
    return [1.0, 0.5, 0.25, *(first * 0.5**halving for halving in range(_HALVINGS))]
