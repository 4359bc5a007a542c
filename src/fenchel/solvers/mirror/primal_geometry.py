r"""The distances that the primal side can be measured in: the norm of the regularizer decides.

A geometry is a distance-generating function, 1-strongly convex in the norm on the set, and positions in
which its proximal steps are exact:

.. math:: \arg\min_w \; \gamma \bigl(\langle v, w \rangle + g(w)\bigr) + D(w, w')/c
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from fenchel.typing import FloatArray

__all__ = ["Ball", "PrimalGeometry"]


@dataclass(frozen=True)
class Ball:
    """What g is on the ball of a norm: ``l1`` times the norm, inside ``radius``."""

    radius: float
    l1: float


@dataclass(frozen=True)
class PrimalGeometry(ABC):
    """A distance between points of a ball; the shape of positions is the geometry's own."""

    @abstractmethod
    def size(self, n_features: int, n_outputs: int) -> float:
        """``Omega_U / R^2``: at least 1, and the largest divergence from the centre in the unit ball."""

    @abstractmethod
    def start(self, shape: tuple[int, ...], radius: float, w: FloatArray | None) -> FloatArray:
        """The position of the centre, or of a point near ``w`` inside the ball."""

    @abstractmethod
    def point(self, x: FloatArray) -> FloatArray:
        """The coefficients at a position."""

    @abstractmethod
    def step(self, x: FloatArray, v: FloatArray, step: float, ball: Ball) -> FloatArray:
        """The position of the minimiser of ``step * (<v, w> + g(w)) + D(w, w')``."""

    @abstractmethod
    def divergence(self, x: FloatArray, y: FloatArray, radius: float) -> float:
        """``D(x, y)``."""
