"""The entropy on the primal side: over non-negative coefficients, and over signed ones by their two parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.numerics.entropy import kullback_leibler, solid_simplex_step
from fenchel.solvers.mirror.primal_geometry import Ball, PrimalGeometry
from fenchel.typing import FloatArray

__all__ = ["LiftedEntropy", "SimplexEntropy"]

_INSIDE = 0.5
"""A starting point is moved this share of the way to the centre, so that every entry can grow."""


@dataclass(frozen=True)
class SimplexEntropy(PrimalGeometry):
    r"""The entropy on the solid simplex; positions are logarithms.

    On :math:`w \ge 0, \; \sum w \le R` the function :math:`R \sum w (\log (w/R) - 1)` is 1-strongly convex in
    the l1 norm, its divergence is R times that of Kullback and Leibler, and the largest one from the centre,
    all of the N entries :math:`R / N`, is :math:`R^2 \max(1, \log N)`.
    """

    def size(self, n_features: int, n_outputs: int) -> float:
        return max(1.0, float(np.log(n_features * n_outputs)))

    def start(self, shape: tuple[int, ...], radius: float, w: FloatArray | None) -> FloatArray:
        centre = np.full(shape, radius / np.prod(shape))
        if w is None:
            return np.log(centre)
        inside = np.maximum(w, 0.0) * (radius / max(radius, float(w.sum())))
        result: FloatArray = np.log((1.0 - _INSIDE) * inside + _INSIDE * centre)
        return result

    def point(self, x: FloatArray) -> FloatArray:
        result: FloatArray = np.exp(x)
        return result

    def step(self, x: FloatArray, v: FloatArray, step: float, ball: Ball) -> FloatArray:
        pull = step / ball.radius
        return solid_simplex_step(x, pull * v, pull * ball.l1, ball.radius)

    def divergence(self, x: FloatArray, y: FloatArray, radius: float) -> float:
        return radius * float(kullback_leibler(x, y).sum())


@dataclass(frozen=True)
class LiftedEntropy(PrimalGeometry):
    r"""The entropy for :math:`\|\cdot\|_1`: :math:`w = w_+ - w_-`, the two parts stacked in one simplex.

    Positions are the logarithms of the parts, shape (2, d, k). A step moves them against v and -v, so that
    neither the product with A nor the gradient is taken twice.
    """

    def size(self, n_features: int, n_outputs: int) -> float:
        return SimplexEntropy().size(2 * n_features, n_outputs)

    def start(self, shape: tuple[int, ...], radius: float, w: FloatArray | None) -> FloatArray:
        parts = None if w is None else np.stack([np.maximum(w, 0.0), np.maximum(-w, 0.0)])
        return SimplexEntropy().start((2, *shape), radius, parts)

    def point(self, x: FloatArray) -> FloatArray:
        parts = np.exp(x)
        result: FloatArray = parts[0] - parts[1]
        return result

    def step(self, x: FloatArray, v: FloatArray, step: float, ball: Ball) -> FloatArray:
        return SimplexEntropy().step(x, np.stack([v, -v]), step, ball)

    def divergence(self, x: FloatArray, y: FloatArray, radius: float) -> float:
        return SimplexEntropy().divergence(x, y, radius)
