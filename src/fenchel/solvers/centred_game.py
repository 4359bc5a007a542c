r"""The game with proximal terms around a centre, which strongly convex-concave methods can play.

.. math:: \min_w \max_u \; g(w) + \tfrac12\|w - \bar w\|_\alpha^2
    + \tfrac1n \sum_i s_i \bigl(u_i \langle a_i, w\rangle - \phi_i^*(u_i)
    - \tfrac\beta2 (u_i - \bar u_i)^2\bigr)

With alpha = 0 and beta = 0 it is the game itself. Moving the centre to the solution again and again is
the proximal-point method, whose fixed points are the solutions of the game itself (Rockafellar, Monotone
operators and the proximal point algorithm, SIAM J. Control Optim. 14, 1976).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.numerics.coordinate import soft_threshold
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["CentredGame"]


@dataclass(frozen=True, eq=False)
class CentredGame:
    """The weights and the centre of the proximal terms; ``l2 + alpha > 0`` everywhere."""

    alpha: FloatArray
    beta: float
    centre_w: FloatArray
    centre_u: FloatArray

    @property
    def plain(self) -> bool:
        """Whether it is the game itself."""
        return self.beta == 0.0 and not self.alpha.any()

    def metric(self, problem: Problem) -> FloatArray:
        """The curvature of each coordinate of w."""
        total: FloatArray = problem.coordinate_form.l2 + self.alpha
        return total

    def gamma(self, problem: Problem) -> float:
        """The curvature of each row of u."""
        return self.beta + (1.0 / problem.loss.smoothness if problem.loss.smooth else 0.0)

    def gap(self, problem: Problem, w: FloatArray, u: FloatArray, z: FloatArray, v: FloatArray) -> float:
        """The duality gap of (w, u) in this game, with ``z = A w`` and ``v = A'(s u) / n``; O(n + D)."""
        form = problem.coordinate_form
        with np.errstate(over="ignore", invalid="ignore"):
            best = soft_threshold(self.alpha * self.centre_w - v, form.l1) / self.metric(problem)
            best = np.clip(best, form.lower, form.upper)
            rows = float(np.mean(problem.sample_weight * self._rows(problem, u, z)))
            return self._penalty(problem, w) - self._penalty(problem, best) - float(v @ best) + rows

    def moved(self, problem: Problem, w: FloatArray, u: FloatArray) -> float:
        """Half the squared distance from the centre, in the norms of the proximal terms."""
        in_u = self.beta * float(np.mean(problem.sample_weight * (u - self.centre_u) ** 2))
        return 0.5 * (float(np.sum(self.alpha * (w - self.centre_w) ** 2)) + in_u)

    def _penalty(self, problem: Problem, w: FloatArray) -> float:
        proximal = 0.5 * float(np.sum(self.alpha * (w - self.centre_w) ** 2))
        return problem.coordinate_form.value(w) + proximal

    def _rows(self, problem: Problem, u: FloatArray, z: FloatArray) -> FloatArray:
        """The best value of each row at its score, and what u costs it."""
        loss, b, centre = problem.loss, problem.b, self.centre_u
        cost: FloatArray = loss.conjugate(u, b) + 0.5 * self.beta * (u - centre) ** 2
        if self.beta == 0.0:
            return loss.value(z, b) + cost
        best = loss.prox_conjugate(centre + z / self.beta, b, 1.0 / self.beta)
        value = best * z - loss.conjugate(best, b) - 0.5 * self.beta * (best - centre) ** 2
        return value + cost
