r"""Twin of mirror descent and mirror prox: the naive form, on the lifted coefficients and without logarithms.

With Xh = [X, -X], U >= 0 of shape (2d, k) and V of rows in the simplex, one proximal step of size gamma from
(U, V) against the linear terms S and M is

    U+ = W min(exp(-2 gamma lam R L), R / sum(W)),     W = U exp(-2 gamma R L S)
    V+ ~ V exp(2 gamma lk (M - Y))                     hinge
    V+ ~ V^(1-s) exp(s M),  s = 2 gamma lk / (1 + 2 gamma lk)      softmax

with L = max(1, log(2 d k)) and lk = max(1, log k). Babichev, Ostrovskii and Bach (2019), equations (24)-(25),
with the constants corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["LiftedGame", "Pair", "mirror_descent", "mirror_prox"]


class Pair(NamedTuple):
    """A primal and a dual array: points (U, V), or linear terms (S, M)."""

    primal: FloatArray
    dual: FloatArray


@dataclass(frozen=True, eq=False)
class LiftedGame:
    """``min_U max_V`` over the solid simplex of sum R and rows of simplices; sample weights of mean 1."""

    X: FloatArray
    Y: FloatArray
    sample_weight: FloatArray
    loss: str
    radius: float
    l1: float

    @property
    def lifted(self) -> FloatArray:
        """``[X, -X]``."""
        return np.hstack([self.X, -self.X])

    @property
    def sizes(self) -> tuple[float, float]:
        """L and lk."""
        d, k = self.X.shape[1], self.Y.shape[1]
        return max(1.0, float(np.log(2 * d * k))), max(1.0, float(np.log(k)))

    @property
    def lipschitz(self) -> float:
        """``2 Lc sqrt(Omega_U Omega_V)``, the constant of the operator in the joint norm."""
        (n, _), (size_u, size_v) = self.X.shape, self.sizes
        largest = np.sqrt(np.max(self.sample_weight @ self.X**2)) / n
        return 2.0 * float(largest * np.sqrt(self.radius**2 * size_u * n * size_v))

    def start(self) -> Pair:
        """The centres."""
        (n, k), d = self.Y.shape, self.X.shape[1]
        return Pair(np.full((2 * d, k), self.radius / (2 * d * k)), np.full((n, k), 1.0 / k))

    def operator(self, at: Pair) -> Pair:
        """``S = Xh'(s (V - Y)) / n`` and ``M = Xh U``."""
        weighted = self.sample_weight[:, None] * (at.dual - self.Y)
        return Pair(self.lifted.T @ weighted / len(self.X), self.lifted @ at.primal)

    def prox(self, at: Pair, against: Pair, gamma: float) -> Pair:
        """The step of the module's formulas."""
        size_u, size_v = self.sizes
        pull, push = 2.0 * gamma * self.radius * size_u, 2.0 * gamma * size_v
        W = at.primal * np.exp(-pull * against.primal)
        U = W * min(np.exp(-pull * self.l1), self.radius / W.sum())
        if self.loss == "softmax":
            s = push / (1.0 + push)
            V = at.dual ** (1.0 - s) * np.exp(s * against.dual)
        else:
            V = at.dual * np.exp(push * (against.dual - self.Y))
        return Pair(U, V / V.sum(axis=1, keepdims=True))

    def distance(self, to: Pair, at: Pair) -> float:
        """``D_U / (2 Omega_U) + D_V / (2 Omega_V)``."""
        size_u, size_v = self.sizes
        primal = np.sum(to.primal * np.log(to.primal / at.primal) - to.primal + at.primal)
        rows = np.sum(to.dual * np.log(to.dual / at.dual), axis=1)
        weighted = float(np.mean(self.sample_weight * rows))
        return float(primal) / (2.0 * self.radius * size_u) + weighted / (2.0 * size_v)

    def accepts(self, at: Pair, middle: Pair, new: Pair, gamma: float) -> bool:
        """The test of the adaptive step."""
        before, after = self.operator(at), self.operator(middle)
        turned = float(np.sum((after.primal - before.primal) * (middle.primal - new.primal)))
        rows = np.sum((after.dual - before.dual) * (middle.dual - new.dual), axis=1)
        turned -= float(np.mean(self.sample_weight * rows))
        return gamma * turned <= self.distance(middle, at) + self.distance(new, middle)


def mirror_descent(game: LiftedGame, gamma: float, steps: int) -> tuple[Pair, Pair]:
    """The last point, and the average of the points before it."""
    at, total = game.start(), [np.zeros_like(part) for part in game.start()]
    for _ in range(steps):
        total = [old + part for old, part in zip(total, at, strict=True)]
        at = game.prox(at, game.operator(at), gamma)
    return at, Pair(*(part / steps for part in total))


def mirror_prox(
    game: LiftedGame, gamma: float, steps: int, *, growth: float | None = None
) -> tuple[Pair, Pair, float]:
    """The last point, the average of the middle points with weights gamma, and the sum of these.

    With ``growth`` the step adapts: it halves until accepted, or down to that of the theory, and grows after;
    it doubles up to the first refusal.
    """
    at, weight, factor = game.start(), 0.0, 2.0
    total = [np.zeros_like(part) for part in at]
    for _ in range(steps):
        while True:
            middle = game.prox(at, game.operator(at), gamma)
            new = game.prox(at, game.operator(middle), gamma)
            if growth is None or gamma <= 1.0 / game.lipschitz or game.accepts(at, middle, new, gamma):
                break
            gamma, factor = max(0.5 * gamma, 1.0 / game.lipschitz), growth
        total = [old + gamma * part for old, part in zip(total, middle, strict=True)]
        at, weight = new, weight + gamma
        gamma *= 1.0 if growth is None else factor
    return at, Pair(*(part / weight for part in total)), weight
