r"""The game between w on a ball and dual rows in simplices, with a distance on each side.

Mirror descent and mirror prox move both players at once against the operator

.. math:: F(w, u) = (v, -z), \qquad z = A w, \quad v = A^\top (s \circ u) / n,

in the joint distance :math:`D_U / c_U + \frac1n \sum_i s_i D_V / c_V`. With
:math:`c_U = 2 \Omega_U` and :math:`c_V = 2 \Omega_V / n` it is at most 1 from the centre to any point, and
F is Lipschitz with the constant :math:`2 \mathcal L \sqrt{\Omega_U \Omega_V}`, where
:math:`\mathcal L = \max_j (\sum_i s_i a_{ij}^2)^{1/2} / n`: sample weights weigh the rows' distances too, so
that all bounds hold with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.mirror.dual_geometry import DualGeometry
from fenchel.solvers.mirror.primal_geometry import Ball, PrimalGeometry
from fenchel.typing import FloatArray

__all__ = ["Game", "Play", "Positions", "Scales"]


class Play(NamedTuple):
    """A point of both players, with the scores and the correlation that belong to it."""

    w: FloatArray
    u: FloatArray
    z: FloatArray
    v: FloatArray


class Positions(NamedTuple):
    """Where both players are, in the positions of their geometries."""

    x: FloatArray
    y: FloatArray


class Scales(NamedTuple):
    """The divisors of the two distances."""

    primal: float
    dual: float


@dataclass(frozen=True, eq=False)
class Game:
    """The moves of both players; the radius belongs to the ball."""

    problem: Problem
    primal: PrimalGeometry
    dual: DualGeometry
    ball: Ball

    @property
    def omegas(self) -> tuple[float, float]:
        """``Omega_U`` and ``Omega_V / n``."""
        size = self.primal.size(self.problem.n_features, self.problem.b.shape[1])
        return self.ball.radius**2 * size, self.dual.size(self.problem.b.shape[1])

    @property
    def scales(self) -> Scales:
        """The divisors with which the joint distance is at most 1."""
        omega_u, omega_v = self.omegas
        return Scales(2.0 * omega_u, 2.0 * omega_v)

    @property
    def lipschitz(self) -> float:
        """``2 L sqrt(Omega_U Omega_V)``; the smallest positive number where A is zero."""
        largest = float(self.problem.column_norms.max(initial=0.0))
        return max(2.0 * largest * float(np.sqrt(np.prod(self.omegas))), np.finfo(float).tiny)

    def start(self, w: FloatArray | None, u: FloatArray | None) -> Positions:
        """The centres, or interior points near ``w`` and ``u``."""
        b, p = self.problem.b, None
        if u is not None:
            p = np.maximum(self.problem.loss.dual_domain(b).project(u) + b, 0.0)
        x = self.primal.start(self.problem.primal_shape, self.ball.radius, w)
        return Positions(x, self.dual.start(b.shape, p))

    def play(self, at: Positions) -> Play:
        """The operator at a point: two products with A."""
        w, u = self.primal.point(at.x), self.dual.point(at.y, self.problem.b)
        return Play(w, u, self.problem.scores(w), self.problem.correlation(u))

    def prox(self, at: Positions, play: Play, gamma: float, scales: Scales) -> Positions:
        """Both players' proximal steps from ``at``, against the operator at ``play``."""
        x = self.primal.step(at.x, play.v, gamma * scales.primal, self.ball)
        loss, b = self.problem.loss, self.problem.b
        return Positions(x, self.dual.step(loss, at.y, play.z, b, gamma * scales.dual))

    def distances(self, to: Positions, at: Positions) -> tuple[float, float]:
        """The divergences of the two sides, not divided."""
        rows = self.dual.divergence(to.y, at.y)
        return (
            self.primal.divergence(to.x, at.x, self.ball.radius),
            float(np.mean(self.problem.sample_weight * rows)),
        )

    def distance(self, to: Positions, at: Positions, scales: Scales) -> float:
        """The joint divergence."""
        primal, dual = self.distances(to, at)
        return primal / scales.primal + dual / scales.dual

    def turned(self, half: Play, play: Play, new: Positions) -> float:
        """``<F(half) - F(play), half - new>``: what the operator's change costs the step."""
        w, u = self.primal.point(new.x), self.dual.point(new.y, self.problem.b)
        rows = np.sum((half.z - play.z) * (half.u - u), axis=1)
        return float(np.sum((half.v - play.v) * (half.w - w)) - np.mean(self.problem.sample_weight * rows))
