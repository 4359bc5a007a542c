"""Proximal stochastic dual coordinate ascent, with a proximal-point mode for weak regularizers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.coordinate import sdca_pass
from fenchel._kernels.losses import KernelLoss
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.coordinate.dual_newton import dual_newton_move
from fenchel.solvers.coordinate.dual_start import start_entries
from fenchel.solvers.coordinate.proximal_point import (
    DualModel,
    ProximalState,
    dual_steps,
    first_dual_point,
    move_anchor,
)
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.proximal_weights import proximal_alpha
from fenchel.solvers.requirements import COMPILED, SEPARABLE
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SDCA", "SDCAState"]

_PRODUCT_SPEED = 5.0
"""How many entries a product reads while a pass reads one (measured on text data)."""
_LONGEST_WAIT = 16
"""Epochs."""
_REPEATS = 6
"""Passes over the rows that still move, after one over all: so many more in every epoch."""
_FIRST_NEWTON = 5
"""The epoch of the first Newton step under a loss with kinks: before, too many rows are yet to rest."""


@dataclass
class SDCAState(ProximalState):
    """The state of the proximal dual ascent, and when to try the next Newton steps.

    ``unread`` are the entries that the start took.
    """

    next_newton: int
    newton_wait: int
    unread: int


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
    the row. Rows are visited in a random order, a new one each pass. Memory O(n + d) beside the rows.

    References
    ----------
    Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, 2014; the dual baseline of Lei, Yen, Wu, Dhillon, Ravikumar, 2017.
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
        model = DualModel(alpha, np.array(w, dtype=np.float64), dual_steps(problem, alpha))
        u, v = first_dual_point(problem, start, model, w)
        return SDCAState(
            rng=rng,
            entries_read=0,
            epoch=0,
            u=u,
            v=v,
            w=model.respond(problem, v),
            step=model.step,
            alpha=alpha,
            anchor=model.anchor,
            shrinkage=1.0,
            next_newton=0 if problem.loss.smooth else _FIRST_NEWTON,
            newton_wait=1,
            unread=start_entries(problem, start, w, u),
        )

    def run_epoch(self, problem: Problem, state: SDCAState) -> None:
        """Some passes over the rows (one at first, up to ten later), Newton steps, a new anchor."""
        model = DualModel(state.alpha, state.anchor, state.step)
        state.entries_read, state.unread = state.entries_read + state.unread, 0
        begun, before = state.entries_read, model.value(problem, state.u, state.v)
        everything = np.arange(problem.n_samples)
        for _ in range(epoch_length(state.epoch)):
            self._ascend(problem, state, everything)
        state.epoch += 1
        # The increments of a whole epoch have rounded: take v afresh from u.
        state.v[:] = problem.correlation(state.u)
        if state.epoch > state.next_newton:
            rise = model.value(problem, state.u, state.v) - before
            self._newton(problem, state, model, rise, max(state.entries_read - begun, 1))
        state.w[:] = model.respond(problem, state.v)
        if state.alpha.any():
            move_anchor(problem, state)

    def _ascend(self, problem: Problem, state: SDCAState, rows: IndexArray) -> None:
        """A pass over the rows; where they can rest, some more over those that still move."""
        loss = KernelLoss.of(problem.loss)
        # Under a proximal weight rows come to rest for this anchor alone, and the next one moves them again.
        resting = problem.loss.sparse_dual and not state.alpha.any()
        repeats = min(_REPEATS * (1 + state.epoch), self.moving_passes) if resting else 0
        for _ in range(1 + repeats):
            before = state.u[rows]
            state.entries_read += sdca_pass(
                problem.design.rows,
                state.rng.permutation(rows),
                loss,
                b=problem.b,
                sample_weight=problem.sample_weight,
                step=state.step,
                form=problem.coordinate_form,
                alpha=state.alpha,
                anchor=state.anchor,
                v=state.v,
                w=state.w,
                u=state.u,
            )
            rows = rows[state.u[rows] != before]

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
            move = dual_newton_move(problem, model, state.u, state.v, last - state.entries_read)
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
        return minimise_free(problem, state.w.copy()), state.u.copy()
