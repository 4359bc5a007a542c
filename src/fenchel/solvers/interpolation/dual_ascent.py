"""Dual coordinate ascent for interpolation problems: constraints on the scores of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.dual_ascent import dual_ascent_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.interpolation.arguments import check_count
from fenchel.solvers.interpolation.sampling import row_shares
from fenchel.solvers.interpolation.setting import (
    CONSTRAINED,
    MIRRORED,
    UNSHIFTED,
    best_scale,
    constraint_arrays,
    curvatures,
    dual_point,
    dual_variables,
    map_arrays,
    moving_rows,
)
from fenchel.solvers.mirror.arguments import check_choice
from fenchel.typing import FloatArray, IndexArray

__all__ = ["DualAscent", "DualAscentState"]

SAMPLINGS = ("shuffled", "uniform", "proportional")


@dataclass
class DualAscentState(State):
    """The variables a, their image ``t = A'a``, the sum that the map needs of t, and ``L_i`` of every row."""

    epoch: int
    a: FloatArray
    t: FloatArray
    tilt: FloatArray
    curvature: FloatArray


@dataclass(frozen=True)
class DualAscent(Solver[DualAscentState]):
    r"""Randomised dual coordinate ascent: one row's constraint at a time, as Dykstra and Hildreth did.

    .. math::
        \min_w \{ g(w) : w^\top x_i \in Y_i \} = \max_a \; -\sum_i \sigma_i(-a_i) - g^*(t), \qquad
        t = \sum_i x_i a_i^\top, \quad w = \nabla g^*(t)

        a_i \leftarrow \frac{\Pi_i(y) - y}{L_i + 1/c_i}, \qquad y = z_i - L_i a_i, \qquad
        L_i = \frac{\|x_i\|_q^2}{\mu}

    with :math:`\sigma_i` the support function of :math:`Y_i`, :math:`\Pi_i` its projection, :math:`\mu` the
    strong convexity of g in its own norm and q the exponent dual to that norm. Slack adds
    :math:`\frac{c_i}2 \mathrm{dist}(z_i, Y_i)^2`; without it :math:`1/c_i = 0`. The dual value never falls,
    and bounds the distance to the optimum: :math:`D_g(w^*, w) \le G^* - G(a)`.

    Parameters
    ----------
    sampling : {"shuffled", "uniform", "proportional"}, default "shuffled"
        Every row once a pass in a random order, or rows drawn independently, evenly or with the probabilities
        :math:`L_i / \sum L`.
    newton_trials : int, default 3
        For one score a row and a g that is not Euclidean :math:`L_i` is pessimistic, by orders of magnitude
        for p near 1. A step then is that of Newton's method, with at most so many looks along the row, and
        never gains less than the step with :math:`L_i` is sure to. 0 gives the plain method of the paper.
    rescaling : bool, default True
        Multiply a by the best factor after every pass, for half a squared norm; it costs no pass.

    Notes
    -----
    Serves the constraints of ``fenchel.losses`` (points, half-lines, intervals; balls and the simplex for
    several outputs that share their features), with slack in ``SquaredDistance`` or without, under
    ``SquaredLp``, ``Ridge`` without weights and ``RelativeEntropy``, without a free intercept. Rows of weight
    zero are no constraints; other weights count with slack alone.

    Cost of a step: the stored entries of the row, times the outputs; for p < 2 and the entropy a power or
    exponential of each for every look. :math:`\sum_j |t_j|^q` is kept up to date and summed anew once a pass.
    The expected distance to the optimal dual value after t even draws is at most
    :math:`\frac n{n+t} (\frac12 \sum_i L_i \|a_i^*\|^2 + G^* - G(0))`. Where no w meets all constraints
    the dual value grows without end.

    References
    ----------
    Raj and Bach, Explicit regularization of stochastic gradient methods through duality, AISTATS 2021,
    Algorithm 1. Newton steps and rescaling are ours.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import DualAscent, MaxPasses, Problem, solve
    >>> from fenchel.losses import EqualityConstraint, SquaredDistance
    >>> from fenchel.regularizers import SquaredLp
    >>> A, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([1.0, 2.0])
    >>> hard = Problem(A, b, EqualityConstraint(), SquaredLp(2.0))
    >>> result = solve(hard, DualAscent(), stopping=MaxPasses(200))
    >>> bool(np.allclose(hard.primal_point(result.u), np.linalg.pinv(A) @ b))
    True
    >>> soft = Problem(A, b, SquaredDistance(EqualityConstraint(), strength=10.0), SquaredLp(1.5))
    >>> solve(soft, DualAscent()).status.solved
    True
    """

    name: ClassVar[str] = "dual_ascent"
    requires: ClassVar[tuple[Requirement, ...]] = (CONSTRAINED, MIRRORED, UNSHIFTED)

    sampling: str = "shuffled"
    newton_trials: int = 3
    rescaling: bool = True

    def __post_init__(self) -> None:
        check_choice("sampling", self.sampling, SAMPLINGS)
        check_count("newton_trials", self.newton_trials, least=0)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> DualAscentState:
        """Start from the dual point of ``start``, or from zero."""
        a = dual_variables(problem, start)
        return DualAscentState(
            rng=rng,
            entries_read=0,
            epoch=0,
            a=a,
            t=np.ascontiguousarray(problem.design.rmatvec(a)),
            tilt=np.zeros(2),
            curvature=curvatures(problem),
        )

    def run_epoch(self, problem: Problem, state: DualAscentState) -> None:
        """Some passes over the rows (one at first, up to ten later), and the best scale after each."""
        sets, mirror = constraint_arrays(problem), map_arrays(problem)
        rows = moving_rows(problem, sets, state.curvature)
        for _ in range(epoch_length(state.epoch)):
            state.entries_read += dual_ascent_pass(
                problem.design.rows,
                self._order(rows, state),
                sets,
                curvature=state.curvature,
                mirror=mirror,
                newton=self.newton_trials,
                a=state.a,
                t=state.t,
                tilt=state.tilt,
            )
            if self.rescaling:
                self._rescale(problem, state)
        state.epoch += 1
        # The increments of a whole epoch have rounded: take t afresh from a.
        state.t[:] = problem.design.rmatvec(state.a)
        state.tilt[:] = 0.0

    def _rescale(self, problem: Problem, state: DualAscentState) -> None:
        """Multiply a by its best factor; its image and the base of the powers go with it."""
        scale = best_scale(problem, state.a, state.t, state.tilt)
        state.a *= scale
        state.t *= scale
        state.tilt[0] *= scale

    def _order(self, rows: IndexArray, state: DualAscentState) -> IndexArray:
        """The rows of one pass."""
        if self.sampling == "shuffled" or rows.size == 0:
            return state.rng.permutation(rows)
        shares = row_shares(state.curvature, rows, 0.0 if self.sampling == "uniform" else 1.0)
        return state.rng.choice(rows, size=rows.size, p=shares[rows])

    def extract(self, problem: Problem, state: DualAscentState) -> tuple[FloatArray, FloatArray]:
        """The best response to the dual point, and that point."""
        u = dual_point(problem, state.a)
        return problem.primal_point(u), u
