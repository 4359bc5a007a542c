"""Accelerated dual coordinate ascent for interpolation problems, with restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.dual_ascent import accelerated_dual_ascent_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.interpolation.arguments import check_count
from fenchel.solvers.interpolation.sampling import row_shares
from fenchel.solvers.interpolation.setting import (
    CONSTRAINED,
    MIRRORED,
    UNSHIFTED,
    constraint_arrays,
    curvatures,
    dual_point,
    dual_variables,
    map_arrays,
    moving_rows,
)
from fenchel.solvers.mirror.arguments import check_choice
from fenchel.typing import FloatArray, IndexArray

__all__ = ["AcceleratedDualAscent", "AcceleratedState"]

SAMPLINGS = ("uniform", "proportional")
_EVEN = 0.5
"""The share of draws that are even: theta begins at the least probability, and must not be tiny."""


@dataclass
class AcceleratedState(State):
    """The sequences behind the iterate ``x = momentum[1] ** 2 * lag + lead``, and their images.

    ``value`` is the dual value at the last restart, ``done`` the passes since then, ``period`` how many they
    will be.
    """

    epoch: int
    momentum: FloatArray
    lag: FloatArray
    lead: FloatArray
    lag_image: FloatArray
    lead_image: FloatArray
    curvature: FloatArray
    value: float
    period: int
    done: int


@dataclass(frozen=True)
class AcceleratedDualAscent(Solver[AcceleratedState]):
    r"""Accelerated dual coordinate ascent, restarted.

    In the notation of :class:`~fenchel.DualAscent`, with rows drawn with probabilities :math:`p_i` and
    :math:`\theta_0 = \min_i p_i`,

    .. math::
        y = (1-\theta) x + \theta z, \qquad
        z_i^+ = \frac{\Pi_i(r) - r}{\theta L_i/p_i + 1/c_i}, \quad
        r = x_i^\top w(y) - \frac{\theta L_i}{p_i} z_i, \qquad
        x^+ = y + \frac{\theta}{p_i} (z^+ - z), \qquad
        \theta^+ = \tfrac12 \bigl(\sqrt{\theta^4 + 4 \theta^2} - \theta^2\bigr)

    The iterate is x, a convex combination of past z, and so a dual point; the paper's algorithm returns z,
    which need not settle. x, z and y never move as a whole: with :math:`y = \theta^2 \mathrm{lag} + z` a step
    changes one row of each.

    Parameters
    ----------
    sampling : {"proportional", "uniform"}, default "proportional"
        Half of the draws have probabilities proportional to :math:`\sqrt{L_i}`, or all are even.
    restart_passes : int, default 20
        After so many passes the method begins again from x, if they have raised the dual value; else it goes
        on for as many again, and so it is from then on.

    Notes
    -----
    Serves what :class:`~fenchel.DualAscent` serves. Cost of a step: the stored entries of the row, times the
    outputs, for p = 2. For p < 2 and the entropy the norm of the image of y changes with theta, and
    a step costs O(D) powers or exponentials for D features: there :class:`~fenchel.DualAscent`, whose Newton
    steps also gain more, is the method to prefer. From :math:`a = 0`, until the first restart, the expected
    distance to the optimal dual value after t even draws is at most
    :math:`\frac{4 n^2}{(t + 2n)^2} ((1 - \frac1n)(G^* - G(0)) + \frac12 \sum_i L_i \|a_i^*\|^2)`.

    References
    ----------
    Raj and Bach, Explicit regularization of stochastic gradient methods through duality, AISTATS 2021,
    Algorithm 2, corrected; Fercoq and Richtarik, Accelerated, parallel, and proximal coordinate descent, SIAM
    Journal on Optimization 25, 2015. Restarts: O'Donoghue and Candes, Adaptive restart for accelerated
    gradient schemes, Foundations of Computational Mathematics 15, 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import AcceleratedDualAscent, MaxPasses, Problem, solve
    >>> from fenchel.losses import EqualityConstraint
    >>> from fenchel.regularizers import SquaredLp
    >>> A, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([1.0, 2.0])
    >>> problem = Problem(A, b, EqualityConstraint(), SquaredLp(2.0))
    >>> result = solve(problem, AcceleratedDualAscent(), stopping=MaxPasses(400))
    >>> bool(np.allclose(problem.primal_point(result.u), np.linalg.pinv(A) @ b))
    True
    """

    name: ClassVar[str] = "accelerated_dual_ascent"
    requires: ClassVar[tuple[Requirement, ...]] = (CONSTRAINED, MIRRORED, UNSHIFTED)

    sampling: str = "proportional"
    restart_passes: int = 20

    def __post_init__(self) -> None:
        check_choice("sampling", self.sampling, SAMPLINGS)
        check_count("restart_passes", self.restart_passes, least=1)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> AcceleratedState:
        """Start from the dual point of ``start``, or from zero."""
        a, curvature = dual_variables(problem, start), curvatures(problem)
        image = np.ascontiguousarray(problem.design.rmatvec(a))
        rows = moving_rows(problem, constraint_arrays(problem), curvature)
        return AcceleratedState(
            rng=rng,
            entries_read=0,
            epoch=0,
            momentum=np.array([self._shares(curvature, rows)[rows].min(initial=1.0), 0.0]),
            lag=np.zeros_like(a),
            lead=a,
            lag_image=np.zeros_like(image),
            lead_image=image,
            curvature=curvature,
            value=_dual_value(problem, a, image),
            period=self.restart_passes,
            done=0,
        )

    def _shares(self, curvature: FloatArray, rows: IndexArray) -> FloatArray:
        return row_shares(curvature, rows, 0.5, even=1.0 if self.sampling == "uniform" else _EVEN)

    def run_epoch(self, problem: Problem, state: AcceleratedState) -> None:
        """Some passes over the rows (one at first, up to ten later), and a restart when its time has come."""
        sets, mirror = constraint_arrays(problem), map_arrays(problem)
        rows = moving_rows(problem, sets, state.curvature)
        state.epoch += 1
        if rows.size == 0:
            return
        shares = self._shares(state.curvature, rows)
        for _ in range(min(epoch_length(state.epoch - 1), state.period - state.done)):
            state.entries_read += accelerated_dual_ascent_pass(
                problem.design.rows,
                state.rng.choice(rows, size=rows.size, p=shares[rows]),
                sets,
                curvature=state.curvature,
                share=shares,
                mirror=mirror,
                momentum=state.momentum,
                lag=state.lag,
                lead=state.lead,
                lag_image=state.lag_image,
                lead_image=state.lead_image,
            )
            state.done += 1
        if state.done >= state.period:
            self._restart(problem, state, float(shares[rows].min()))

    def _restart(self, problem: Problem, state: AcceleratedState, least: float) -> None:
        """Begin again from x if the dual value has risen; else wait as long again."""
        x = _iterate(state)
        image = problem.design.rmatvec(x)
        value = _dual_value(problem, x, image)
        if value <= state.value:
            state.period *= 2
            return
        state.value, state.done = value, 0
        state.lead[:], state.lead_image[:] = x, image
        state.lag[:], state.lag_image[:] = 0.0, 0.0
        state.momentum[:] = least, 0.0

    def extract(self, problem: Problem, state: AcceleratedState) -> tuple[FloatArray, FloatArray]:
        """The best response to the iterate, and that dual point."""
        u = dual_point(problem, _iterate(state))
        return problem.primal_point(u), u


def _iterate(state: AcceleratedState) -> FloatArray:
    """``x``, by the theta of the last step."""
    result: FloatArray = float(state.momentum[1]) ** 2 * state.lag + state.lead
    return result


def _dual_value(problem: Problem, a: FloatArray, t: FloatArray) -> float:
    return -problem.mean_conjugate(dual_point(problem, a)) - problem.conjugate(t)
