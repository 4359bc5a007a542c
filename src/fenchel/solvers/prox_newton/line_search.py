r"""Steps along the direction of a model that lower the objective, by Armijo's rule.

.. math:: P(w + t d) \le P(w) + 10^{-4}\, t\, \Delta, \qquad
          \Delta = \langle \nabla f(w), d \rangle + g(w + d) - g(w) \le 0

A step that the rounding of P drowns is taken whole when P does not rise by more than that.
"""

from __future__ import annotations

from typing import NamedTuple

from fenchel._kernels.prox_newton import line_search
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["Direction", "Step", "search"]


class Direction(NamedTuple):
    """A move of some coordinates, what it does to the scores, and the slope of the smooth part along it."""

    form: CoordinateForm
    w: FloatArray
    dw: FloatArray
    dz: FloatArray
    slope: float


class Step(NamedTuple):
    """The length of the step, 0 when none was found, the fall of P, and what the whole move does to g."""

    length: float
    fall: float
    penalty: float


def search(problem: Problem, z: FloatArray, value: float, direction: Direction) -> Step:
    """Halve the step until it falls enough. ``value`` is the mean loss at ``z``. Cost O(n) a trial."""
    loss, (form, w, dw, dz, slope) = problem.kernel_loss, direction
    return Step(*line_search(loss, problem.b, problem.sample_weight, form, w, dw, z, dz, slope, value))
