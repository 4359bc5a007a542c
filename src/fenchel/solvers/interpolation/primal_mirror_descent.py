"""Stochastic mirror descent on the distances of the scores from their sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.primal_mirror import primal_mirror_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.interpolation.image_state import (
    HARD,
    ImageState,
    first_state,
    passes_of,
    response,
)
from fenchel.solvers.interpolation.setting import (
    CONSTRAINED,
    MIRRORED,
    UNSHIFTED,
    constraint_arrays,
    dual_point,
    map_arrays,
)
from fenchel.typing import FloatArray

__all__ = ["PrimalMirrorDescent"]


@dataclass(frozen=True)
class PrimalMirrorDescent(Solver[ImageState]):
    r"""Stochastic mirror descent for interpolation: a random row moves the image towards its set.

    .. math::
        F(w) = \frac1{2n} \sum_i \mathrm{dist}(z_i, Y_i)^2, \qquad z_i = w^\top x_i, \qquad
        t \leftarrow t + \gamma\, x_i \bigl(\Pi_i(z_i) - z_i\bigr)^\top, \qquad w = \nabla g^*(t)

    F is 0 where all constraints hold, and among those w the method goes to the one with the smallest g.
    :math:`\gamma = 1 / \max_i L_i`, with the :math:`L_i` of :class:`~fenchel.DualAscent`. The moves of a row,
    added up, are a dual variable :math:`a_i`, because :math:`t = \sum_i x_i a_i^\top` at all times: the dual
    value of its best multiple bounds the optimum from below. Unlike dual ascent, a row forgets what it has
    moved before.

    Parameters
    ----------
    common_step : bool, default True
        One step for all rows, that of the theorem; False gives each its own :math:`1 / L_i`. For equalities
        that is :class:`~fenchel.DualAscent` without its Newton steps.

    Notes
    -----
    Serves the constraints of ``fenchel.losses`` without slack, under ``SquaredLp``, ``Ridge`` without weights
    and ``RelativeEntropy``, without a free intercept. Rows are drawn with replacement. For every w* that
    meets the constraints, with D the Bregman divergence of g,

    .. math::
        D(w^*, w_t) \le D(w^*, w_{t-1}) - \tfrac\gamma2 (2 - \gamma L_i)\, \mathrm{dist}(z_i, Y_i)^2, \qquad
        \mathbb E\, F(\bar w_t) \le \frac{\max_i L_i\, D(w^*, w_0)}t.

    Cost of a step: the stored entries of the row, twice, times the outputs; for p < 2 and the entropy two
    powers or exponentials of each. Memory O(n + d) times the outputs.

    References
    ----------
    .. [1] A. Raj and F. Bach, "Explicit regularization of stochastic gradient methods through duality",
       AISTATS 2021, equation (10) and Theorem 1, with the sign of the step turned.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MaxPasses, PrimalMirrorDescent, Problem, solve
    >>> from fenchel.losses import EqualityConstraint
    >>> from fenchel.regularizers import SquaredLp
    >>> A, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([1.0, 2.0])
    >>> problem = Problem(A, b, EqualityConstraint(), SquaredLp(2.0))
    >>> state = solve(problem, PrimalMirrorDescent(), stopping=MaxPasses(400)).state
    >>> bool(np.allclose(state.t, np.linalg.pinv(A) @ b))
    True
    """

    name: ClassVar[str] = "primal_mirror_descent"
    requires: ClassVar[tuple[Requirement, ...]] = (CONSTRAINED, HARD, MIRRORED, UNSHIFTED)

    common_step: bool = True

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> ImageState:
        """Start from the dual point of ``start``, or from zero."""
        state = first_state(problem, start, rng)
        if self.common_step and state.step.any():
            state.step[state.step > 0.0] = state.step[state.step > 0.0].min()
        return state

    def run_epoch(self, problem: Problem, state: ImageState) -> None:
        """Some passes of random rows, one at first, up to ten later."""
        sets, mirror = constraint_arrays(problem), map_arrays(problem)
        for order in passes_of(state, np.flatnonzero(state.step)):
            state.entries_read += primal_mirror_pass(
                problem.design.rows, order, sets, step=state.step, mirror=mirror, a=state.a, t=state.t
            )
        state.epoch += 1

    def extract(self, problem: Problem, state: ImageState) -> tuple[FloatArray, FloatArray]:
        """The point, and the accumulated moves, whose best multiple the certificate takes."""
        return response(problem, state.t), dual_point(problem, state.a)
