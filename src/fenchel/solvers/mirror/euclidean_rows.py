r"""Stochastic subgradient steps in the Euclidean geometry, with a lazy soft threshold.

.. math:: w \leftarrow \Pi_R\bigl(\mathrm{soft}(w - \gamma\, a_i u_i^\top, \gamma\lambda)\bigr), \qquad
          u_i \in \partial \phi_i(w^\top a_i)

A row of w that ``a_i`` does not meet only shrinks: after m steps it is ``soft(w, m gamma lambda)``, and the
sum of those m points has a closed form. The projection onto the ball needs all of w, and is made when a bound
on the norm, kept up to date, passes the radius.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fenchel._kernels.subgradient_rows import SubgradientRows, euclidean_subgradient_steps
from fenchel.numerics.coordinate import soft_threshold
from fenchel.numerics.projections import project_l1_ball
from fenchel.problem.problem import Problem
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.solvers.mirror.radius import first_radius, l1_strength
from fenchel.solvers.mirror.row_geometry import RowGeometry, SSMState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["EuclideanGeometry", "EuclideanRows", "shrinking_sum"]


def shrinking_sum(w: FloatArray, count: IndexArray, threshold: float) -> FloatArray:
    r"""Return :math:`\sum_{m=0}^{M-1} \mathrm{soft}(w, m \theta)` with M = ``count``, which broadcasts.

    The first :math:`K = \min(M, \lceil |w| / \theta \rceil)` terms are not zero:
    :math:`K |w| - \theta K (K - 1) / 2`.
    """
    size = np.abs(w)
    if threshold > 0.0:
        count = np.minimum(count, np.ceil(size / threshold))
    result: FloatArray = np.sign(w) * (count * size - 0.5 * threshold * count * (count - 1.0))
    return result


@dataclass
class EuclideanRows:
    """The point during some steps of one size; ``seen`` counts the steps that a row of ``w`` has had.

    ``norm`` is not below the l1 norm of the point; a row that has missed steps would only be smaller.
    """

    w: FloatArray
    w_total: FloatArray
    gamma: float
    threshold: float
    radius: float
    seen: IndexArray
    norm: float
    time: int = 0

    def take(self, game: SubgradientRows, order: IndexArray) -> None:
        """A step for every row."""
        while order.size:
            taken, self.norm = euclidean_subgradient_steps(
                game, order, self.gamma, self.threshold, self.radius, self.time, self.w, self.w_total,
                self.seen, self.norm,
            )  # fmt: skip
            self.time += taken
            order = order[taken:]
            if self.norm > self.radius:
                self.finish()
                self.w[:] = project_l1_ball(self.w, self.radius)
                self.norm = float(np.abs(self.w).sum())

    def finish(self) -> float:
        """Bring all rows up to date; there is no scale."""
        missed = (self.time - self.seen)[:, None]
        self.w_total += self.gamma * shrinking_sum(self.w, missed, self.threshold)
        self.w[:] = soft_threshold(self.w, missed * self.threshold)
        self.seen[:] = self.time
        return 0.0


@dataclass(frozen=True)
class EuclideanGeometry(RowGeometry):
    """Prox steps of l1 and the ball; the radius bounds the optimum, and is never searched for."""

    def first_radius(self, problem: Problem, wanted: float | None) -> float:
        """The bound that the user, the ball or the penalty gives."""
        return first_radius(problem, math.inf if wanted is None else wanted)

    def start(self, problem: Problem, w: FloatArray, radius: float) -> tuple[FloatArray, float]:
        """The nearest point of the ball."""
        return project_l1_ball(w, _ball(problem)), 0.0

    def unit_step(self, problem: Problem, radius: float) -> float:
        """Return ``R_2 / G``."""
        rows = problem.design.row_squares
        size = math.sqrt(2.0 * float(problem.sample_weight @ rows) / problem.n_samples)
        return radius / size if size > 0.0 else 1.0

    def begin(self, problem: Problem, state: SSMState, gamma: float) -> EuclideanRows:
        """All rows are up to date between epochs."""
        seen = np.zeros(len(state.point), dtype=np.int64)
        norm = float(np.abs(state.point).sum())
        threshold = gamma * l1_strength(problem)
        return EuclideanRows(state.point, state.w_total, gamma, threshold, _ball(problem), seen, norm)

    def widen(self, problem: Problem, state: SSMState) -> None:
        """Nothing to widen."""


def _ball(problem: Problem) -> float:
    g = problem.regularizer
    return g.radius if isinstance(g, L1Ball) else math.inf
