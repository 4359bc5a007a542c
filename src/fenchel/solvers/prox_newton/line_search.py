r"""Steps along the direction of a model that lower the objective, by Armijo's rule.

.. math:: P(w + t d) \le P(w) + 10^{-4}\, t\, \Delta, \qquad
          \Delta = \langle \nabla f(w), d \rangle + g(w + d) - g(w) \le 0

A step that the rounding of P drowns is taken whole when P does not rise by more than that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.prox_newton import mean_value_along
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["Direction", "Step", "search"]

_SHARE = 1e-4
_HALVINGS = 30
_ROUNDING = 16 * float(np.finfo(float).eps)


class Direction(NamedTuple):
    """A move of some coordinates, what it does to the scores, and the slope of the smooth part along it."""

    form: CoordinateForm
    w: FloatArray
    dw: FloatArray
    dz: FloatArray
    slope: float

    def penalty_change(self, step: float) -> float:
        """``g(w + step dw) - g(w)``."""
        move = step * self.dw
        new = self.w + move
        l1 = self.form.l1 @ (np.abs(new) - np.abs(self.w))
        return float(l1 + 0.5 * self.form.l2 @ (move * (new + self.w)))


class Step(NamedTuple):
    """The length of the step, 0 when none was found, and the fall of P."""

    length: float
    fall: float


def search(problem: Problem, z: FloatArray, value: float, objective: float, direction: Direction) -> Step:
    """Halve the step until it falls enough. ``value`` is the mean loss at ``z``, ``objective`` is P.

    Cost O(n) a trial.
    """
    loss = KernelLoss.of(problem.loss)
    expected = direction.slope + direction.penalty_change(1.0)
    rounding = _ROUNDING * abs(objective)
    if not expected < 0.0:
        return Step(0.0, 0.0)
    length = 1.0
    for _ in range(_HALVINGS):
        new = mean_value_along(loss, z, direction.dz, length, problem.b, problem.sample_weight)
        change = new - value + direction.penalty_change(length)
        drowned = -length * expected <= rounding
        if change <= _SHARE * length * expected or (drowned and change <= rounding):
            return Step(length, max(-change, 0.0))
        length *= 0.5
    return Step(0.0, 0.0)
