"""Sets whose vertices have one coordinate that is not zero: the l1 ball and the simplex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["Ray", "Vertices"]


@dataclass(frozen=True)
class Vertices:
    r"""The points :math:`\pm r e_k` and zero (signed), or :math:`r e_k` alone, and what each costs.

    With d coordinates they are numbered: the d positive ones, and where signed the d negative ones and zero.
    All but zero cost :math:`\lambda r`, the value of the penalty there. On the hull of the pairs (vertex,
    cost) the least cost at w is :math:`\lambda\|w\|_1`, so that a penalty is linear in the weights.

    Attributes
    ----------
    radius : float
        The factor r.
    penalty : float
        The strength :math:`\lambda` of the l1 penalty.
    signed : bool
        Whether the set is symmetric.
    """

    radius: float
    penalty: float
    signed: bool

    def values(self, v: FloatArray) -> FloatArray:
        """``<v, s> + cost(s)`` for every vertex s."""
        along, cost = self.radius * v, self.radius * self.penalty
        return np.concatenate([cost + along, cost - along, [0.0]]) if self.signed else along

    def point(self, weights: FloatArray) -> FloatArray:
        """The combination of the vertices with these weights."""
        if not self.signed:
            return self.radius * weights
        d = weights.size // 2
        return self.radius * (weights[:d] - weights[d : 2 * d])

    def costs(self, count: int) -> FloatArray:
        """The cost of each of the ``count`` vertices."""
        costs = np.full(count, self.radius * self.penalty)
        costs[count - 1 :] *= not self.signed
        return costs

    def cost(self, weights: FloatArray) -> float:
        """The combination of the costs; at least the penalty at the point."""
        return float(self.costs(weights.size) @ weights)

    def weights(self, w: FloatArray) -> FloatArray:
        """Weights whose point is ``w``, for a w in the set."""
        if not self.signed:
            return w / float(w.sum())
        parts = np.concatenate([np.maximum(w, 0.0), np.maximum(-w, 0.0)]) / self.radius
        total = float(parts.sum())
        return np.append(parts / max(total, 1.0), max(1.0 - total, 0.0))

    def vertex(self, number: int, d: int) -> tuple[int, float]:
        """The coordinate and the value of a vertex; the value is 0 for the vertex at zero."""
        if number == 2 * d:
            return 0, 0.0
        return (number, self.radius) if number < d else (number - d, -self.radius)


@dataclass(frozen=True)
class Ray:
    r"""The ball of radius r (possibly infinite) with :math:`\frac{\mu}{2}\|w\|^2` inside.

    Its best response to v is :math:`-t\, v / \|v\|` with :math:`t = \min(\|v\| / \mu, r)`.
    """

    radius: float
    l2: float
