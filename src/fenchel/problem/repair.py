r"""Make a dual point orthogonal to the columns of the coordinates that nothing penalises.

A coordinate without penalty makes :math:`g^*` the indicator of zero there, so a dual point proves
something only when :math:`A_j'(s \circ u) = 0`. With C the columns of those coordinates, the
repaired point is

.. math:: u'(\delta) = \Pi_{\mathrm{dom}}\,(u - h \circ C\delta),
          \qquad C'(s \circ u'(\delta)) = 0,

a small piecewise linear system in delta that a semismooth Newton method solves. The weights h are
the room that each entry has before it meets the end of its domain: entries on the boundary stay
there, the others move in proportion. When no entry has room, h = 1. For a single constant column
(an intercept) the domain may know a direct way, and then that is taken.
"""

from __future__ import annotations

import numpy as np

from fenchel.losses.base import DualDomain
from fenchel.numerics.tall import gram, transposed_product
from fenchel.typing import FloatArray

__all__ = ["orthogonalise"]

_ITERATIONS = 40
_HALVINGS = 8


def orthogonalise(
    u: FloatArray, columns: FloatArray, sample_weight: FloatArray, domain: DualDomain
) -> FloatArray:
    """Return a point of ``domain`` near ``u`` with ``columns' (sample_weight * u) = 0`` up to rounding.

    Where that is not reached the best point found is returned; the caller charges its residual.
    Cost O(n m^2) a Newton step, with m columns.
    """
    scales = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    columns = columns[:, scales > 0] / scales[scales > 0]
    if columns.shape[1] == 1 and np.ptp(columns) == 0.0:
        balanced = domain.balance(u, sample_weight)
        if balanced is not None:
            return balanced
    moves = _Moves(u, columns, sample_weight, domain)
    first = moves.newton(domain.room(u))
    if moves.solved(first):
        return first
    second = moves.newton(np.ones_like(u))
    return min(first, second, key=moves.size)


class _Moves:
    """The map from delta to the moved point, its residual and its Newton step."""

    def __init__(
        self, u: FloatArray, columns: FloatArray, sample_weight: FloatArray, domain: DualDomain
    ) -> None:
        self.u, self.columns, self.domain = u, columns, domain
        self.sample_weight = sample_weight if u.ndim == 1 else sample_weight[:, None]
        weighted = np.abs(self.sample_weight * u)
        # The rounding error of the residual: eps times the sum of magnitudes, with a margin of 8.
        self.rounding = (
            8
            * np.finfo(float).eps
            * float(np.max(transposed_product(np.abs(columns), weighted), initial=0.0))
        )

    def residual(self, u: FloatArray) -> FloatArray:
        return transposed_product(self.columns, self.sample_weight * u)

    def size(self, u: FloatArray) -> float:
        return float(np.max(np.abs(self.residual(u)), initial=0.0))

    def solved(self, u: FloatArray) -> bool:
        return bool(self.size(u) <= self.rounding)

    def newton(self, room: FloatArray) -> FloatArray:
        """Semismooth Newton on delta with step halving; each output of ``u`` has its own delta."""
        current = self.u
        delta = np.zeros((self.columns.shape[1], *self.u.shape[1:]))
        for _ in range(_ITERATIONS):
            if self.solved(current):
                break
            step = self._step(current, delta, room)
            best, best_delta = current, delta
            for halving in range(_HALVINGS):
                trial_delta = delta + step * 0.5**halving
                trial = self.domain.project(self.u - room * (self.columns @ trial_delta))
                if self.size(trial) < self.size(best):
                    best, best_delta = trial, trial_delta
                    break
            if best is current:
                break
            current, delta = best, best_delta
        return current

    def _step(self, current: FloatArray, delta: FloatArray, room: FloatArray) -> FloatArray:
        """Solve ``C' diag(s h 1[inside]) C step = residual`` for every output; an end counts as inside."""
        point = self.u - room * (self.columns @ delta)
        moving = (self.sample_weight * room) * (self.domain.project(point) == point)
        residual = self.residual(current)
        if current.ndim == 1:
            return self._solve(moving, residual)
        return np.stack([self._solve(moving[:, k], residual[:, k]) for k in range(current.shape[1])], axis=1)

    def _solve(self, moving: FloatArray, residual: FloatArray) -> FloatArray:
        matrix = gram(self.columns, moving)
        return np.asarray(np.linalg.lstsq(matrix, residual, rcond=None)[0], dtype=np.float64)
