"""Accelerated proximal gradient: full passes, for any smooth loss and any proximal regularizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.requirements import PROXIMABLE, SMOOTH, UNFACTORED
from fenchel.typing import FloatArray

__all__ = ["ProximalGradient", "ProximalGradientState"]

_ROUNDING = 4 * float(np.finfo(float).eps)


@dataclass
class ProximalGradientState(State):
    """Two iterates with their scores, the momentum, and the step."""

    w: FloatArray
    z: FloatArray
    previous_w: FloatArray
    previous_z: FloatArray
    momentum: float
    lipschitz: float


@dataclass(frozen=True)
class ProximalGradient(Solver[ProximalGradientState]):
    r"""FISTA with backtracking and restarts.

    .. math::
        y = w^t + \tfrac{\theta_t - 1}{\theta_{t+1}} (w^t - w^{t-1}), \qquad
        w^{t+1} = \mathrm{prox}_{g/L}\!\left(y - \tfrac1L \nabla f(y)\right)

    The momentum restarts when it points uphill (:math:`\langle y - w^{t+1}, w^{t+1} - w^t \rangle > 0`).
    L grows by 2 until the quadratic bound holds at the new point, and shrinks by 0.9 after a step.

    Notes
    -----
    The solver for losses with vector outputs and for sets that are not separable. An epoch is five
    steps; a step reads A twice, and once more for each backtracking. Memory O((n + d) k).

    References
    ----------
    Beck and Teboulle, A fast iterative shrinkage-thresholding algorithm for linear inverse problems,
    2009; O'Donoghue and Candes, Adaptive restart for accelerated gradient schemes, 2015.
    """

    name: ClassVar[str] = "proximal_gradient"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, PROXIMABLE, UNFACTORED)

    steps_per_epoch: int = 5

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> ProximalGradientState:
        """Start from ``start.w``, or from the point nearest zero."""
        w = np.zeros(problem.primal_shape) if start.w is None else np.array(start.w, dtype=np.float64)
        w = minimise_free(problem, problem.prox(w, 1.0 if start.w is None else 0.0))
        z = problem.scores(w)
        # The mean column mean square is a lower bound on the largest curvature; backtracking does the rest.
        lipschitz = problem.loss.smoothness * float(np.mean(problem.column_norms**2))
        return ProximalGradientState(
            rng=rng,
            entries_read=0,
            w=w,
            z=z,
            previous_w=w.copy(),
            previous_z=z.copy(),
            momentum=1.0,
            lipschitz=max(lipschitz, np.finfo(float).tiny),
        )

    def run_epoch(self, problem: Problem, state: ProximalGradientState) -> None:
        """Some accelerated steps."""
        for _ in range(self.steps_per_epoch):
            self._step(problem, state)

    def extract(self, problem: Problem, state: ProximalGradientState) -> tuple[FloatArray, None]:
        """The last iterate."""
        return state.w.copy(), None

    def _step(self, problem: Problem, state: ProximalGradientState) -> None:
        momentum = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * state.momentum**2))
        ahead = (state.momentum - 1.0) / momentum
        y = state.w + ahead * (state.w - state.previous_w)
        z_y = state.z + ahead * (state.z - state.previous_z)
        w, z = self._backtrack(problem, state, y, z_y)
        uphill = float(np.sum((y - w) * (w - state.w))) > 0
        state.previous_w, state.previous_z = state.w, state.z
        state.w, state.z = w, z
        state.momentum = 1.0 if uphill else float(momentum)

    def _backtrack(
        self, problem: Problem, state: ProximalGradientState, y: FloatArray, z_y: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Take the largest step whose quadratic bound holds."""
        gradient = problem.loss.gradient(z_y, problem.b)
        slope = problem.correlation(gradient)
        state.entries_read += problem.design.n_entries
        state.lipschitz *= 0.9
        while True:
            w = problem.prox(y - slope / state.lipschitz, 1.0 / state.lipschitz)
            z = problem.scores(w)
            state.entries_read += problem.design.n_entries
            moved = float(np.sum((w - y) ** 2))
            # A move of rounding size tells nothing about the curvature: take it, or this would never end.
            drowned = moved <= _ROUNDING**2 * float(np.sum(y**2))
            if drowned or _divergence(problem, z, z_y, gradient) <= 0.5 * state.lipschitz * moved:
                return w, z
            state.lipschitz *= 2.0


def _divergence(problem: Problem, z: FloatArray, z_y: FloatArray, gradient: FloatArray) -> float:
    """Half of ``<f'(w) - f'(y), w - y>``: the Bregman divergence of f, symmetrised.

    Equal to the divergence for a squared loss; for the others it measures the curvature between the
    two points as well, and stays exact where a difference of values would cancel.
    """
    change = (problem.loss.gradient(z, problem.b) - gradient) * (z - z_y)
    rows = change if change.ndim == 1 else change.sum(axis=1)
    return 0.5 * float(np.mean(problem.sample_weight * rows))
