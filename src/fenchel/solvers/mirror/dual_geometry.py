r"""The distances that the dual side of a multiclass game can be measured in.

The dual rows :math:`p_i = u_i + b_i` lie in the simplex. A geometry is a distance-generating function of one
row, 1-strongly convex in a norm of the classes, and a place for the rows in which its steps are exact. Sums
over rows carry the sample weights, so that every step of a row is free of its weight:

.. math:: \arg\min_q \; \gamma \, s_i \bigl(\phi_i^*(q - b_i) - \langle q, z_i \rangle\bigr)
          + s_i \, D(q, p_i) / c
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.losses.base import EntropicallyProximable, Loss
from fenchel.losses.domains import dual_point
from fenchel.numerics.entropy import kullback_leibler
from fenchel.typing import FloatArray

__all__ = ["DualGeometry", "EntropyDual", "EuclideanDual"]

_INSIDE = 0.5
"""A starting point is moved this share of the way to the centre, so that every entry can grow."""


@dataclass(frozen=True)
class DualGeometry(ABC):
    """A distance between probability rows; positions are arrays of shape (n, k)."""

    norm: ClassVar[str]

    @abstractmethod
    def size(self, n_classes: int) -> float:
        """At least the divergence of any row from the centre, and at least 1, the square of its norm."""

    @abstractmethod
    def position(self, p: FloatArray) -> FloatArray:
        """The position of rows of the simplex, all of whose entries are positive."""

    @abstractmethod
    def point(self, x: FloatArray, b: FloatArray) -> FloatArray:
        """The dual point ``u = p - b`` at a position."""

    @abstractmethod
    def step(self, loss: Loss, x: FloatArray, z: FloatArray, b: FloatArray, step: float) -> FloatArray:
        """The position of the minimiser of ``step * (conjugate(q - b) - <q, z>) + D(q, p)``."""

    @abstractmethod
    def divergence(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """``D(x, y)`` of every row, shape (n,)."""

    def start(self, shape: tuple[int, ...], p: FloatArray | None) -> FloatArray:
        """The position of the centre, or of a point inside near rows ``p`` of the simplex."""
        centre = np.full(shape, 1.0 / shape[1])
        return self.position(centre if p is None else (1.0 - _INSIDE) * p + _INSIDE * centre)


@dataclass(frozen=True)
class EntropyDual(DualGeometry):
    r"""The entropy, 1-strongly convex in :math:`\|\cdot\|_1`; positions are logarithms."""

    norm: ClassVar[str] = "2x1"

    def size(self, n_classes: int) -> float:
        return max(1.0, float(np.log(n_classes)))

    def position(self, p: FloatArray) -> FloatArray:
        result: FloatArray = np.log(p)
        return result

    def point(self, x: FloatArray, b: FloatArray) -> FloatArray:
        return dual_point(np.exp(x), b)

    def step(self, loss: Loss, x: FloatArray, z: FloatArray, b: FloatArray, step: float) -> FloatArray:
        assert isinstance(loss, EntropicallyProximable)
        return loss.prox_conjugate_entropic(x, z, b, step)

    def divergence(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return kullback_leibler(x, y)


@dataclass(frozen=True)
class EuclideanDual(DualGeometry):
    r"""Half the square of :math:`\|\cdot\|_2`; positions are the rows themselves."""

    norm: ClassVar[str] = "2x2"

    def size(self, n_classes: int) -> float:
        return 1.0

    def position(self, p: FloatArray) -> FloatArray:
        return p

    def point(self, x: FloatArray, b: FloatArray) -> FloatArray:
        return dual_point(x, b)

    def step(self, loss: Loss, x: FloatArray, z: FloatArray, b: FloatArray, step: float) -> FloatArray:
        # In u = q - b the linear term is <u, z>, and the distance is the same.
        return loss.prox_conjugate(x - b + step * z, b, step) + b

    def divergence(self, x: FloatArray, y: FloatArray) -> FloatArray:
        result: FloatArray = 0.5 * np.sum((x - y) ** 2, axis=1)
        return result
