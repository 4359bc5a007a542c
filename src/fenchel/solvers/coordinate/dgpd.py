"""Doubly greedy primal-dual coordinate descent: the best column, then the best row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.doubly_greedy import dgpd_steps
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.centred_game import CentredGame
from fenchel.solvers.coordinate.dual_curvature import dual_curvature, square_radius
from fenchel.solvers.coordinate.dual_start import dual_start
from fenchel.solvers.coordinate.moving_centre import CentredState, move_centre
from fenchel.solvers.requirements import COMPILED, CURVED, SEPARABLE
from fenchel.typing import FloatArray

__all__ = ["DGPD", "DGPDState"]

_SEARCH = 200_000_000
"""Coordinates that the searches of one epoch may look at, so that an epoch stays short."""
_PATIENCE = 10.0
"""Rounds of n + d iterations without a new smallest gap, after which the step is halved."""
_LEAST = 2.0**-10
"""The smallest step, as a share of the first."""
_EPOCHS_A_CENTRE = 3
"""The proximal term is doubled after a centre that took more epochs."""


@dataclass
class DGPDState(CentredState):
    """Both points and their products with A; the step, and the best points so far to fall back on.

    ``gap`` is the smallest in the game with the present proximal term, whose centre is ``epochs`` old.
    """

    w: FloatArray
    z: FloatArray
    unit_step: FloatArray
    factor: float
    best_w: FloatArray
    best_u: FloatArray
    gap: float
    since_best: float
    epochs: int

    @property
    def game(self) -> CentredGame:
        """The game whose steps are being made."""
        return CentredGame(np.zeros_like(self.w), self.beta, self.w, self.centre)


@dataclass(frozen=True)
class DGPD(Solver[DGPDState]):
    r"""Algorithm 1 of the doubly greedy paper, corrected: greedy on both sides.

    An iteration moves one column and one row. The column is the one whose best response lowers the
    Lagrangian most; the row has the largest projected gradient at the new scores:

    .. math::
        j = \arg\max_k \; v_k (w_k - \bar w_k) + g_k(w_k) - g_k(\bar w_k), \qquad
        w_j \leftarrow \bar w_j = \arg\min_x v_j x + g_j(x),

    .. math::
        i = \arg\max_k \; s_k \, \mathrm{dist}\bigl(z_k, \partial \phi_k^*(u_k)\bigr), \qquad
        u_i \leftarrow \mathrm{prox}_{c_i \phi_i^*}(u_i + c_i z_i), \qquad
        c_i = \frac{\theta\, n}{s_i \sum_j a_{ij}^2 / l_{2j}},

    with :math:`z = A w` and :math:`v = A'(s \circ u)/n` kept up to date. The rule for the row as it is
    printed, without the projection, keeps choosing a row that wants to leave its domain, and stalls.

    A loss with kinks has a dual without curvature, along which these steps hardly converge. There
    :math:`\phi_i^*` has a proximal term with a centre,

    .. math:: \psi_i(u) = \phi_i^*(u) + \tfrac\beta2 (u - \bar u_i)^2, \qquad
        \mathrm{prox}_{c \psi_i}(y) = \mathrm{prox}_{\frac{c}{1 + c\beta} \phi_i^*}
        \Bigl( \frac{y + c \beta \bar u_i}{1 + c \beta} \Bigr), \qquad
        \beta = \frac{1}{16 n} \max_i s_i \sum_j \frac{a_{ij}^2}{l_{2j}},

    in both rules for the rows. When the gap of that game is below
    :math:`\frac\beta{2n} \sum_i s_i (u_i - \bar u_i)^2`, the centre moves to u, and beyond it by the
    momentum of accelerated proximal points (``fenchel.solvers.coordinate.moving_centre``); where that
    takes more than three epochs, :math:`\beta` is doubled. The certificate is always that of the problem
    itself.

    Parameters
    ----------
    step_factor : float, default 2.0
        :math:`\theta`. 1 is the step of SDCA. When the gap has had no new minimum
        over 10 (n + d) iterations, the run goes back to the best points and halves it; halving it at
        every rise of the gap would stop runs that converge.
    common_step : bool, default False
        Give all rows the step of the longest, as in the paper. Where the rows differ in length by a
        factor of ten that takes tens of times more iterations.

    Notes
    -----
    Serves scalar losses, with kinks too, and separable regularizers that have an l2 part on every
    coordinate. No rate is known (the theorem of the paper fails); the certificate tells what was reached.
    With the epsilon-insensitive loss 80 of 80 problems of up to 200 x 400 came to a relative gap of 1e-6,
    half of them within 1,000 passes, two after more than 20,000; weak l2 parts take long, and longer where
    the rows differ much in length.

    Cost of an iteration: O(n + d) to find the pair, and the entries of one column and one row.
    ``entries_read`` counts the entries alone: on sparse data the search costs more than they do. An
    epoch is n + d iterations, fewer where the search would take long. Memory O(n + d) beside the rows
    and the columns.

    References
    ----------
    Lei, Yen, Wu, Dhillon and Ravikumar, Doubly greedy primal-dual coordinate descent for sparse
    empirical risk minimization, ICML 2017, Algorithm 1. Güler, New proximal point algorithms for convex
    minimization, SIAM Journal on Optimization 2, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import DGPD, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.75, 0.5))
    >>> solve(problem, DGPD()).w.round(2)
    array([0.75, 0.  ])
    """

    name: ClassVar[str] = "dgpd"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE, CURVED)

    step_factor: float = 2.0
    common_step: bool = False

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> DGPDState:
        """Start from ``start``, or from zero (from the derivatives at zero for the logistic loss)."""
        form = problem.coordinate_form
        u = np.ascontiguousarray(dual_start(problem, start))
        w = start.primal_within(form)
        state = DGPDState(
            rng=rng,
            entries_read=0,
            u=u,
            v=problem.correlation(u),
            beta=0.0 if problem.loss.smooth else dual_curvature(problem, square_radius(problem)),
            centre=u.copy(),
            previous=u.copy(),
            value=-np.inf,
            momentum=1.0,
            w=w,
            z=problem.scores(w),
            unit_step=self._unit_steps(problem),
            factor=self.step_factor,
            best_w=w.copy(),
            best_u=u.copy(),
            gap=np.inf,
            since_best=0.0,
            epochs=0,
        )
        state.gap = _gap(problem, state)
        return state

    def run_epoch(self, problem: Problem, state: DGPDState) -> None:
        """Up to n + d iterations; then take both products afresh, and look at the gap."""
        size = problem.n_samples + problem.n_coordinates
        steps = min(size, max(1, _SEARCH // size))
        entries = dgpd_steps(
            problem.design.rows,
            problem.design.columns,
            steps,
            problem.kernel_loss,
            b=problem.b,
            sample_weight=problem.sample_weight,
            step=state.factor * state.unit_step,
            beta=state.beta,
            centre=state.centre,
            form=problem.coordinate_form,
            w=state.w,
            z=state.z,
            u=state.u,
            v=state.v,
        )
        state.entries_read += entries
        # The increments of a whole epoch have rounded.
        state.z[:], state.v[:] = problem.scores(state.w), problem.correlation(state.u)
        state.epochs += 1
        gap, moved = _gap(problem, state), state.game.moved(problem, state.w, state.u)
        # Near its end a move is worth less than rounding; then no step is left either.
        if not state.game.plain and (entries == 0 or gap <= max(moved, problem.rounding)):
            gap = _begin_anew(problem, state)
        self._shorten(problem, state, gap, steps / size)

    def _unit_steps(self, problem: Problem) -> FloatArray:
        """``n / (s_i sum_j a_ij^2 / l2_j)``, or its smallest value; 1 for the rows that cannot move A'u."""
        spread = problem.sample_weight * problem.design.row_square_sums(1.0 / problem.coordinate_form.l2)
        if self.common_step:
            spread[:] = spread.max()
        return np.divide(problem.n_samples, spread, out=np.ones_like(spread), where=spread > 0)

    def _shorten(self, problem: Problem, state: DGPDState, gap: float, rounds: float) -> None:
        """Go back to the best points and halve the step when the gap has had no new minimum for long."""
        if gap < state.gap:
            state.best_w[:], state.best_u[:] = state.w, state.u
            state.gap, state.since_best = gap, 0.0
            return
        state.since_best += rounds
        if state.since_best >= _PATIENCE and state.gap > problem.rounding:
            state.w[:], state.u[:] = state.best_w, state.best_u
            state.z[:], state.v[:] = problem.scores(state.w), problem.correlation(state.u)
            state.factor = max(0.5 * state.factor, _LEAST * self.step_factor)
            state.since_best = 0.0

    def extract(self, problem: Problem, state: DGPDState) -> tuple[FloatArray, FloatArray]:
        """Both points as they are."""
        return state.w.copy(), state.u.copy()


def _gap(problem: Problem, state: DGPDState) -> float:
    """The gap of both points in the game whose steps are being made."""
    return state.game.gap(problem, state.w, state.u, state.z, state.v)


def _begin_anew(problem: Problem, state: DGPDState) -> float:
    """Move the centre, with a stronger proximal term if the last one took long; the gap of the new game."""
    if state.epochs > _EPOCHS_A_CENTRE:
        state.beta *= 2.0
    move_centre(problem, state)
    state.gap, state.epochs = np.inf, 0
    return _gap(problem, state)
