"""Steps in the plane of what some passes have moved and of the step before, as conjugate gradients take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fenchel.losses.domains import dual_point
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.simplex import project_simplex
from fenchel.problem.problem import Problem
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["ConjugateSteps", "Move"]

_MOST_HALVINGS = 2
_ROUNDING = 2**14 * float(np.finfo(float).eps)
"""With a smaller promise than this share of h* there is no step: the rounding that such moves leave in t is
as large, and passes stalled at relative gaps of 2e-12 for it."""
_LONGEST, _PARALLEL = 64.0, 1e-4
"""Bounds of theta, whose rounding is theirs times that of the moves: on its size, and on the share of the
curvature that is taken for none."""
_NEARLY = 0.75
"""A whole step with this share of what the model promised is taken: half of it cannot promise more."""


class Move(NamedTuple):
    """A change of the dual blocks of some rows, and that of t."""

    u: FloatArray
    t: FloatArray


@dataclass
class ConjugateSteps:
    r"""Speeds up the passes over some rows of :class:`~fenchel.MulticlassSDCA` under the hinge.

    With D the dual value that the passes ascend, x the point where they began, :math:`d_1` what they have
    moved and :math:`d_2` the step that led to x, each call goes on from :math:`x + d_1` by

    .. math:: \theta_1 d_1 + \theta_2 d_2, \qquad
        \theta = \arg\max_\theta \; D(x + d_1 + \theta_1 d_1 + \theta_2 d_2),

    by the second-order model of D, which is exact for a ridge. Blocks that leave the simplex are projected
    back; of the whole step, its half and its quarter the one that raises D the most is taken, or none. With
    the passes in the place of the preconditioned gradient this is the recurrence of conjugate gradients.

    Attributes
    ----------
    rows : the m rows that move; ``b`` (m, k) their targets and ``weight`` (m, 1) their shares ``s_i / n``.
    form : the regularizer with the proximal term, by coordinates; it has curvature everywhere.
    u, t : where the passes began.
    last : the step that led there.

    References
    ----------
    A. V. Knyazev, Toward the optimal preconditioned eigensolver: locally optimal block preconditioned
    conjugate gradient method, SIAM Journal on Scientific Computing 23, 2001. G. Narkiss and M. Zibulevsky,
    Sequential subspace optimization method for large-scale unconstrained problems, Technion, 2005.
    """

    rows: IndexArray
    b: FloatArray
    weight: FloatArray
    form: CoordinateForm
    u: FloatArray
    t: FloatArray
    last: Move | None = None

    @classmethod
    def begin(
        cls, problem: Problem, rows: IndexArray, alpha: FloatArray, u: FloatArray, t: FloatArray
    ) -> ConjugateSteps:
        """Start at the dual point u, with ``t = alpha anchor - A'(s u) / n``."""
        form = problem.coordinate_form
        weight = problem.sample_weight[rows, None] / problem.n_samples
        return cls(rows, problem.b[rows], weight, replace(form, l2=form.l2 + alpha), u[rows], t.copy())

    @cached_property
    def linear(self) -> bool:
        """Whether w is linear in t, and h* quadratic."""
        return not (self.form.bounded or self.form.l1.any())

    def advance(self, problem: Problem, u: FloatArray, t: FloatArray) -> int:
        """Take a step from (u, t), where the passes ended, in place; return the entries of A read."""
        passes = Move(u[self.rows] - self.u, t - self.t)
        plane = [passes] if self.last is None else [passes, self.last]
        aim, promised = self._aim(t, plane)
        step, entries = self._best(problem, u[self.rows], t, aim, promised)
        if step is not None:
            u[self.rows] += step.u
            t += step.t
        now = u[self.rows]
        self.last = Move(now - self.u, np.subtract(t, self.t, out=passes.t))
        self.u = now
        np.copyto(self.t, t)
        return entries

    def _aim(self, t: FloatArray, plane: list[Move]) -> tuple[Move, float]:
        """The maximiser of the second-order model in the plane, and the rise that it promises."""
        moves = [move.t for move in plane]
        if self.linear:
            along = [self._product(t, move) for move in moves]
            curved = moves
        else:
            w = self.form.lmo(-t)
            along = [float(np.vdot(w, move)) for move in moves]
            curved = [move * self._curved(w) for move in moves]
        slopes = -np.array([self._mean_conjugate(move.u) for move in plane]) - along
        curvature = np.array([[self._product(one, other) for other in moves] for one in curved])
        size = np.sqrt(np.diag(curvature))
        size[size == 0.0] = 1.0
        theta = np.linalg.lstsq(curvature / np.outer(size, size), slopes / size, _PARALLEL)[0] / size
        theta *= _LONGEST / max(_LONGEST, float(np.abs(theta).max()))
        aim = Move(*(_combined(theta, parts) for parts in zip(*plane, strict=True)))
        return aim, float(slopes @ theta - 0.5 * theta @ curvature @ theta)

    def _best(
        self, problem: Problem, u: FloatArray, t: FloatArray, aim: Move, promised: float
    ) -> tuple[Move | None, int]:
        """The scaled and projected step that raises the dual value the most, None if none does."""
        best, rise, entries = None, 0.0, 0
        if promised <= _ROUNDING * self._conjugate(t):
            return None, 0
        for halvings in range(_MOST_HALVINGS + 1):
            if halvings > 0:
                aim = Move(0.5 * aim.u, 0.5 * aim.t)
            move, read = self._projected(problem, u, aim)
            entries += read
            gain = -self._conjugate_change(t, move.t) - self._mean_conjugate(move.u)
            if gain <= rise and best is not None:
                break
            if gain > rise:
                best, rise = move, gain
            if gain >= _NEARLY * promised:
                break
        return best, entries

    def _projected(self, problem: Problem, u: FloatArray, move: Move) -> tuple[Move, int]:
        """The move with its blocks projected onto the simplex, and the entries of A that this took."""
        aim = dual_point(u + self.b + move.u, self.b) + self.b
        out = np.flatnonzero(aim.min(axis=1) < 0.0)
        # A class without weight, and without a move, keeps an exact zero: the lists may lack it.
        aim[out] = np.where(aim[out] == 0.0, 0.0, project_simplex(aim[out]))
        inside = dual_point(aim, self.b) - u
        part = problem.design.submatrix(self.rows[out], np.arange(problem.n_coordinates))
        back = part.rmatvec(self.weight[out] * (inside[out] - move.u[out]))
        return Move(inside, np.subtract(move.t, back, out=back)), part.n_entries

    def _curved(self, w: FloatArray) -> BoolArray:
        """Where h* has curvature: where w rests neither at zero nor at a bound."""
        inside = (w > self.form.lower[:, None]) & (w < self.form.upper[:, None])
        return inside & (w != 0.0) if self.form.l1.any() else inside

    def _product(self, one: FloatArray, other: FloatArray) -> float:
        """The inner product that the curvature of h* gives."""
        return float(np.einsum("jk,jk->j", one, other) @ (1.0 / self.form.l2))

    def _conjugate(self, t: FloatArray) -> float:
        """``h*(t)``."""
        return 0.5 * self._product(t, t) if self.linear else self.form.conjugate(t)

    def _conjugate_change(self, t: FloatArray, move: FloatArray) -> float:
        """``h*(t + move) - h*(t)``."""
        if self.linear:
            return self._product(t, move) + 0.5 * self._product(move, move)
        return self.form.conjugate(t + move) - self.form.conjugate(t)

    def _mean_conjugate(self, change: FloatArray) -> float:
        """The change of ``(1/n) sum_i s_i phi_i*``: linear for the hinge, ``phi_i*(u) = <u, b_i>``."""
        return float(np.sum(self.weight * change * self.b))


def _combined(theta: FloatArray, parts: Sequence[FloatArray]) -> FloatArray:
    """``sum_i theta_i parts_i``."""
    total = theta[0] * parts[0]
    for factor, part in zip(theta[1:], parts[1:], strict=True):
        total += factor * part
    result: FloatArray = total
    return result
