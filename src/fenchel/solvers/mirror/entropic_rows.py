r"""Stochastic subgradient steps in the entropic geometry, with one scale for what a row does not meet.

With :math:`w = \alpha (e^H - e^{-H})` and :math:`\alpha \sum (e^H + e^{-H}) \le R`,

.. math:: H \leftarrow H - \tfrac{\gamma}{R} a_i u_i^\top, \qquad
          \alpha \leftarrow \min\bigl(\alpha e^{-\gamma\lambda/R},\; R / \textstyle\sum (e^H + e^{-H})\bigr).

A step changes the rows of H that :math:`a_i` meets. The sum of the points of the others is
:math:`e^H - e^{-H}` times a sum of scales: it is brought up to date when the row is met, and for all rows
whenever the scale has moved by a factor of 1024, so that no small term is added to a large sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fenchel._kernels.subgradient_rows import SubgradientRows, entropic_subgradient_steps
from fenchel.problem.problem import Problem
from fenchel.solvers.mirror.averaged import wider_radius
from fenchel.solvers.mirror.entropic_sampling import row_maxima
from fenchel.solvers.mirror.radius import first_radius, l1_strength
from fenchel.solvers.mirror.row_geometry import RowGeometry, SSMState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["EntropicGeometry", "EntropicRows"]

_BAND = 1024.0
_RANGE = 300.0
_MIXED = 0.1
"""The share of the mass of a starting point that is spread evenly: an entropic step cannot leave a zero."""


@dataclass
class EntropicRows:
    """The point during some steps of one size, on the scale of its largest entry.

    ``offset`` is subtracted from H and from -H before the exponential; ``scale`` is alpha times its
    exponential, ``scales`` the sum of the scales, and ``seen`` the part of it that a row has had.
    """

    H: FloatArray
    w_total: FloatArray
    gamma: float
    radius: float
    shrinkage: float
    seen: FloatArray
    offset: float = 0.0
    scale: float = 1.0
    scales: float = 0.0
    mass: float = 0.0
    base: float = 1.0

    def take(self, game: SubgradientRows, order: IndexArray) -> None:
        """A step for every row."""
        while order.size:
            limits = self.offset, self.base, _BAND, _RANGE
            scalars = np.array([self.scale, self.scales, self.mass, 0.0])
            taken = entropic_subgradient_steps(
                game, order, self.gamma, self.shrinkage, self.radius, limits, self.H, self.w_total, self.seen,
                scalars,
            )  # fmt: skip
            self.scale, self.scales, self.mass = map(float, scalars[:3])
            order = order[taken:]
            if scalars[3]:
                self.rebase(math.log(self.scale) - self.offset)

    def finish(self) -> float:
        """Bring the sums of all rows up to date; the logarithm of alpha."""
        self._flush()
        return math.log(self.scale) - self.offset

    def _flush(self) -> None:
        late = np.flatnonzero(self.seen < self.scales)
        up, down = self._powers(late)
        self.w_total[late] += self.gamma * (self.scales - self.seen[late])[:, None] * (up - down)
        self.seen[:] = self.scales

    def rebase(self, log_alpha: float) -> None:
        """Begin the sum of scales anew, with the largest entry of H for the offset."""
        self._flush()
        self.offset = float(np.abs(self.H).max(initial=0.0))
        self.mass = self._mass(slice(None))
        self.scale = math.exp(min(log_alpha + self.offset, math.log(self.radius / self.mass)))
        self.base, self.scales = self.scale, 0.0
        self.seen[:] = 0.0

    def _mass(self, features: IndexArray | slice) -> float:
        up, down = self._powers(features)
        return float(up.sum() + down.sum())

    def _powers(self, features: IndexArray | slice) -> tuple[FloatArray, FloatArray]:
        H = self.H[features]
        return np.exp(H - self.offset), np.exp(-H - self.offset)


@dataclass(frozen=True)
class EntropicGeometry(RowGeometry):
    """Multiplicative steps on the two parts of w, in a ball whose radius may have to be searched for."""

    def first_radius(self, problem: Problem, wanted: float | None) -> float:
        """That of the ball, or the first one of the search."""
        return first_radius(problem, wanted)

    def start(self, problem: Problem, w: FloatArray, radius: float) -> tuple[FloatArray, float]:
        r"""H and :math:`\log\alpha` with :math:`2 \alpha \sinh H` nine tenths of w, or of the radius."""
        norm = float(np.abs(w).sum())
        inside = (1.0 - _MIXED) * w * (min(1.0, radius / norm) if norm > 0.0 else 1.0)
        share = radius if norm == 0.0 else _MIXED * radius
        alpha = share / (2 * max(w.size, 1))
        return np.arcsinh(inside / (2.0 * alpha)), math.log(alpha)

    def unit_step(self, problem: Problem, radius: float) -> float:
        """Return ``R sqrt(2 L) / M``."""
        squares = problem.sample_weight @ row_maxima(problem.design.rows) ** 2 / problem.n_samples
        entropy = max(1.0, math.log(2 * max(math.prod(problem.primal_shape), 1)))
        return radius * math.sqrt(2.0 * entropy / float(squares)) if squares > 0.0 else 1.0

    def begin(self, problem: Problem, state: SSMState, gamma: float) -> EntropicRows:
        """Choose the offset for H as it is."""
        shrinkage = math.exp(-gamma * l1_strength(problem) / state.radius)
        seen = np.zeros(len(state.point))
        point = EntropicRows(state.point, state.w_total, gamma, state.radius, shrinkage, seen)
        point.rebase(state.log_scale)
        return point

    def widen(self, problem: Problem, state: SSMState) -> None:
        """The same point in a larger ball, where it grows; the averages begin anew."""
        radius = wider_radius(problem, state)
        if radius > state.radius:
            state.log_scale += math.log(radius / state.radius)
            state.radius, state.weight, state.begun = radius, 0.0, state.time
            state.w_total[:], state.u_total[:], state.u_weight[:] = 0.0, 0.0, 0.0
