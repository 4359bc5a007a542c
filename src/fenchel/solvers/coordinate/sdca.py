"""Proximal stochastic dual coordinate ascent, with a proximal-point mode for weak regularizers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Products, Requirement, Solver, Start
from fenchel.solvers.coordinate.dual_newton import dual_newton_move
from fenchel.solvers.coordinate.dual_pass import Limits, dual_round
from fenchel.solvers.coordinate.dual_start import start_entries, zero_start
from fenchel.solvers.coordinate.proximal_point import (
    DualModel,
    dual_steps,
    first_dual_point,
    move_anchor,
    ridge_steps,
)
from fenchel.solvers.coordinate.row_matrix import (
    ascend_by_matrix,
    matrix_is_possible,
    matrix_pays,
)
from fenchel.solvers.coordinate.running_mean import RunningMean
from fenchel.solvers.coordinate.sdca_proximal import FIRST_REACH, proximal_step, suits_proximal_steps
from fenchel.solvers.coordinate.sdca_state import SDCAState
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.proximal_weights import proximal_alpha
from fenchel.solvers.requirements import COMPILED, SEPARABLE
from fenchel.typing import FloatArray

__all__ = ["SDCA"]

_PRODUCT_SPEED = 5.0
"""How many entries a product reads while a pass reads one (measured on text data)."""
_LONGEST_WAIT = 16
"""Epochs."""
_REPEATS = 6
"""Passes over the rows that still move, after one over all: so many more in every epoch."""
_LONGEST_ASCENT = 5.0
"""Passes after which a round of passes over moving rows ends; the first rounds are shorter."""
_FIRST_ROUNDS, _FEW_FIRST_ROUNDS = 3, 2
"""Rounds before the first certificate under a ridge, which costs as much: after one no gap is small. Few rows
may be read by their matrix afterwards."""
_FRESH = 8
"""Epochs after which v is taken afresh even where w has its increments."""
_FIRST_NEWTON, _FIRST_UNDER_RIDGE = 5, 12
"""The epoch of the first Newton step, but of smooth losses without a ridge: before, passes are worth more."""
_SHORT_EPOCHS = 2
_FIRST_PROXIMAL = 5
"""The epoch of the first proximal step."""
_FIRST_BY_MATRIX = 3
"""The epoch from which on passes read the matrix of few rows where it did not pay at once."""


@dataclass(frozen=True)
class SDCA(Solver[SDCAState]):
    r"""Prox-SDCA: exact maximisation of the dual over one row at a time.

    .. math::
        u_i \leftarrow \mathrm{prox}_{c_i \phi_i^*}(u_i + c_i \langle a_i, w \rangle), \qquad
        c_i = \frac{n}{s_i \sum_j a_{ij}^2 / (l_{2j} + \alpha_j)}, \qquad
        w = \arg\min_w \; g(w) + \tfrac12 \|w - \bar w\|_\alpha^2 + \langle v, w \rangle

    with :math:`v = A'(s \circ u)/n` kept up to date. On coordinates with curvature of their own
    (:math:`l_{2j} > 0`) alpha is 0 and this is prox-SDCA, whose dual value never falls. On the others
    (the intercept, features without penalty, an l1 part alone, a box alone) a proximal term with
    :math:`\alpha_j > 0` is added and its anchor moved to w after every epoch: the proximal-point
    method, whose fixed points are the optima of the problem itself. The certificate is always that
    of the problem itself.

    Parameters
    ----------
    proximal_weight : float, default 1.0
        Multiplies the automatic :math:`\alpha_j = \rho_j\, \bar r / (n \gamma)`, with :math:`\rho_j` the
        mean square of column j, r the mean number of entries in a row and 1/gamma the loss's
        smoothness, or what has its units for a loss with kinks. Beside coordinates with curvature
        alpha is at most their balance, so that no free coordinate outweighs them in the dual.
    newton_passes : float, default 30.0
        Passes that an epoch may read for Newton steps on the rows that are not at the ends of their
        domains, each taken only if the dual value rises.
    moving_passes : int, default 24
        The most passes over the rows that the pass before has moved, after every pass over all, for losses
        whose rows can rest at an end of their domain (the hinges and their kin). 0, with no Newton
        steps, gives the plain method, the baseline of the paper.

    Notes
    -----
    Serves every scalar loss with every separable regularizer. Cost of a step: the stored entries of
    the row. Rows are visited in a random order, a new one each pass; more than 4,096 of them as blocks of 64
    neighbours, which keeps reading fast. Memory O(n + d) beside the rows.

    Under :math:`\tfrac{l_2}2 \|w\|^2` alone it starts from u = 0, keeps w in place of v, and takes the
    scores of w for the certificates of the run. With a loss that has kinks its primal point is w or the mean
    of w over the passes of the epoch but the first, whichever has the smaller P.

    Dense data with at most 500 rows and no fewer columns is read through the matrix :math:`A A'` then, on
    which a pass costs the squared number of rows: from the start where the dual is strongly curved (see
    ``fenchel.solvers.coordinate.row_matrix``), else after some epochs. An epoch ends with a small gap, or
    at a limit, and then Newton steps begin the next one. ``newton_passes`` of 0 leaves the matrix out.

    With kinks and at most 300 coordinates the epochs after the fifth are proximal steps on the dual,
    each longer than the last, taken by Newton steps in w whose matrix has the rows that rest at no end and no
    kink (see ``fenchel.reference.proximal_newton``); ``newton_passes`` of 0 leaves them out.

    References
    ----------
    Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, 2014; the dual baseline of Lei, Yen, Wu, Dhillon, Ravikumar, 2017. X. Li, D. Sun and
    K.-C. Toh, A highly efficient semismooth Newton augmented Lagrangian method for solving lasso problems,
    SIAM Journal on Optimization 28, 2018.
    """

    name: ClassVar[str] = "sdca"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE)

    proximal_weight: float = 1.0
    newton_passes: float = 30.0
    moving_passes: int = 24

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SDCAState:
        """Start from ``start``, or from the best unpenalised coordinates alone."""
        w = minimise_free(problem, np.zeros(problem.n_coordinates)) if start.w is None else start.w
        alpha = proximal_alpha(problem, w, self.proximal_weight)
        ridge = problem.coordinate_form.ridge  # Then alpha is 0.
        step = ridge_steps(problem, ridge) if ridge > 0 else dual_steps(problem, alpha)
        model = DualModel(alpha, np.array(w, dtype=np.float64), step)
        z = np.zeros(problem.n_samples)
        if ridge > 0 and start.w is None and start.u is None:
            u, v, unread = zero_start(problem, model.step), np.zeros(w.shape), 0
        else:
            u, v = first_dual_point(problem, start, model, w)
            unread = start_entries(problem, start, w, u)
            w = model.respond(problem, v)
            z = problem.scores(w) if ridge > 0 else z
        return SDCAState(
            rng=rng,
            entries_read=0,
            epoch=0,
            u=u,
            v=v,
            w=w,
            step=model.step,
            alpha=alpha,
            anchor=model.anchor,
            shrinkage=1.0,
            next_newton=_first_newton(problem, ridge),
            newton_wait=1,
            unread=unread,
            ridge=ridge,
            point=w.copy(),
            z=z,
            reach=FIRST_REACH if self.newton_passes > 0 and suits_proximal_steps(problem, ridge) else 0.0,
            by_matrix=ridge > 0 and self.newton_passes > 0 and matrix_pays(problem, ridge),
        )

    def run_epoch(self, problem: Problem, state: SDCAState) -> None:
        """Some passes over the rows (one to three at first, up to ten later), Newton steps, a new anchor."""
        model = DualModel(state.alpha, state.anchor, state.step)
        state.entries_read, state.unread = state.entries_read + state.unread, 0
        if self._wants_matrix(problem, state):
            state.by_matrix, state.next_newton = True, state.epoch + 1
        if state.by_matrix:
            self._by_matrix(problem, state, model)
            return
        if state.reach > 0.0 and state.epoch >= _FIRST_PROXIMAL and proximal_step(problem, state, model):
            state.epoch += 1
            return
        newton_is_next = state.epoch >= state.next_newton and state.reach == 0.0
        begun = state.entries_read
        before = model.value(problem, state.u, state.v) if newton_is_next else 0.0
        mean = RunningMean(state.w)
        for _ in range(_epoch_length(problem, state)):
            if self._ascend(problem, state, mean) and state.epoch == 0:
                break
        state.epoch += 1
        # The increments have rounded: take v afresh from u. Those of a ridge are in w, and are few at first.
        fresh = state.ridge == 0 or state.epoch % _FRESH == 0
        state.v[:] = problem.correlation(state.u) if fresh else -state.ridge * state.w
        if newton_is_next:
            rise = model.value(problem, state.u, state.v) - before
            self._newton(problem, state, model, rise, max(state.entries_read - begun, 1))
        if fresh or newton_is_next:
            state.w[:] = model.respond(problem, state.v)
        if state.ridge > 0:
            _choose_point(problem, state, mean)
        elif state.alpha.any():
            move_anchor(problem, state)

    def _wants_matrix(self, problem: Problem, state: SDCAState) -> bool:
        """Whether passes over the rows have not been enough, and the matrix of the rows spares the others."""
        by_rows = state.ridge > 0 and self.newton_passes > 0 and not state.by_matrix
        return by_rows and state.epoch >= state.next_newton and matrix_is_possible(problem)

    def _by_matrix(self, problem: Problem, state: SDCAState, model: DualModel) -> None:
        """Passes by the matrix of the rows until the gap is small; Newton steps first if that failed.

        Passes read a matrix of rounded products, whose error the scores taken afresh undo. The systems of
        Newton steps are singular but for small terms, which rounding would hide: they have exact products.
        """
        if state.matrix is None:
            state.matrix = problem.design.rounded_row_products
            state.entries_read += problem.design.n_entries
        if state.epoch >= state.next_newton:
            if state.exact is None:
                state.exact = problem.design.row_products
                state.entries_read += problem.design.n_entries
            self._newton_steps(problem, state, model, int(self.newton_passes * problem.design.n_entries))
            np.divide(state.v, -state.ridge, out=state.w)
        if state.epoch > 0:
            state.z[:] = problem.scores(state.w)  # Increments have rounded, and so has the matrix.
            state.entries_read += problem.design.n_entries
        repeats = self.moving_passes if problem.loss.sparse_dual else 0
        closed = ascend_by_matrix(problem, state, state.matrix, state.z, state.ridge, repeats)
        state.epoch += 1
        state.next_newton = state.epoch if not closed else max(state.next_newton, state.epoch + 1)
        state.v[:] = problem.correlation(state.u)
        np.divide(state.v, -state.ridge, out=state.w)
        state.point[:] = state.w

    def _ascend(self, problem: Problem, state: SDCAState, mean: RunningMean) -> bool:
        """A pass over the rows; where they can rest, more over those that move; whether many still do."""
        # Under a proximal weight rows come to rest for this anchor alone, and the next one moves them again.
        resting = problem.loss.sparse_dual and (state.ridge > 0 or not state.alpha.any())
        repeats = min(_REPEATS * (1 + state.epoch), self.moving_passes) if resting else 0
        passes = min(2 + 0.5 * state.epoch, _LONGEST_ASCENT)
        limits = Limits(repeats, int(passes * problem.design.n_entries))
        entries = dual_round(problem, state, state.ridge, limits, mean)
        state.entries_read += entries
        return entries >= limits.entries

    def _newton(
        self, problem: Problem, state: SDCAState, model: DualModel, passes_rise: float, passes_read: int
    ) -> None:
        """Newton steps for about the time of the passes; when they raise the dual value less, wait longer.

        An entry of a product costs a fraction of one in a pass. The wait doubles with every vain try.
        """
        begun, most = state.entries_read, int(self.newton_passes * problem.design.n_entries)
        rise = self._newton_steps(problem, state, model, min(most, int(_PRODUCT_SPEED * passes_read)))
        worth = rise * passes_read * _PRODUCT_SPEED >= passes_rise * (state.entries_read - begun)
        state.newton_wait = 1 if worth else min(2 * state.newton_wait, _LONGEST_WAIT)
        state.next_newton = state.epoch + state.newton_wait - 1

    def _newton_steps(self, problem: Problem, state: SDCAState, model: DualModel, budget: int) -> float:
        """Newton steps until one gains little next to the best, or the budget is read; their rise."""
        last = state.entries_read + budget
        most, total = 0.0, 0.0
        while state.entries_read < last:
            left = last - state.entries_read
            move = dual_newton_move(problem, model, state.u, state.v, left, state.exact)
            state.entries_read += move.entries
            if move.u is None:
                break
            state.u[:], state.v[:] = move.u, move.v
            total += move.rise
            if move.rise < 0.1 * most:
                break
            most = max(most, move.rise)
        return total

    def extract(self, problem: Problem, state: SDCAState) -> tuple[FloatArray, FloatArray]:
        """The best response, its free coordinates minimised exactly, and the dual point."""
        w = state.point.copy() if state.ridge > 0 else minimise_free(problem, state.w.copy())
        return w, state.u.copy()

    def products(self, problem: Problem, state: SDCAState) -> Products | None:
        """Under a ridge alone the scores are known, and w is the best response to v.

        Not for rows that are few enough for their matrix: few epochs end such a run, and a certificate that
        is computed from w and u alone is that of its result.
        """
        known = state.ridge > 0 and (state.epoch == 0 or not matrix_is_possible(problem))
        return Products(state.z.copy(), state.v.copy()) if known else None


def _first_newton(problem: Problem, ridge: float) -> int:
    """The epoch of the first Newton step; with many rows a pass of a ridge is so cheap that it comes late."""
    if ridge == 0:
        return 0 if problem.loss.smooth else _FIRST_NEWTON
    return _FIRST_BY_MATRIX if matrix_is_possible(problem) else _FIRST_UNDER_RIDGE


def _epoch_length(problem: Problem, state: SDCAState) -> int:
    """Under a ridge some passes at first, and two more epochs of one: each makes the gap much smaller."""
    if state.ridge == 0:
        return epoch_length(state.epoch)
    if state.epoch == 0:
        return _FEW_FIRST_ROUNDS if matrix_is_possible(problem) else _FIRST_ROUNDS
    return epoch_length(max(state.epoch - _SHORT_EPOCHS, 0))


def _choose_point(problem: Problem, state: SDCAState, mean: RunningMean) -> None:
    """The best response, or the mean of those of the epoch where P is smaller there.

    With kinks P at the best response moves up and down by many times the rise that the dual has left. The
    mean over the first epoch has its first passes, far from the optimum, and is not looked at.
    """
    state.point[:] = state.w
    chosen = not problem.loss.smooth and mean.count > 1 and state.epoch > 1
    if chosen or state.reach > 0.0 or not matrix_is_possible(problem):
        state.z[:] = problem.scores(state.w)
    if not chosen:
        return
    w = mean.value
    z = problem.scores(w)
    state.entries_read += problem.design.n_entries
    if problem.primal_at_scores(w, z) < problem.primal_at_scores(state.point, state.z):
        state.point[:], state.z[:] = w, z
