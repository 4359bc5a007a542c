"""Doubly greedy primal-dual coordinate descent on active sets that double."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.active_sets import respond, take_moves
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Products, Requirement, Solver, Start, State
from fenchel.solvers.coordinate.active_part import ActivePart
from fenchel.solvers.coordinate.active_sets import active_start, grow, nearly_active
from fenchel.solvers.coordinate.dual_start import best_multiple, start_entries
from fenchel.solvers.coordinate.gap_shares import row_shares
from fenchel.solvers.coordinate.screening import safe_gap, settle_rows, zero_columns
from fenchel.solvers.requirements import COMPILED, CURVED, SEPARABLE
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["DGPDPlus", "DGPDPlusState"]

_EPOCH, _LONGEST_EPOCH = 0.25, 4.0
"""An epoch ends when it has read so many passes: the first with the gap below ``_FALL`` of what it was,"""
_FALL = 0.3
"""because a certificate could tell nothing new before; the second whatever the gap,"""
_MOST_ROUNDS = 10
"""or after so many rounds."""
_CHECK_EVERY = 8
"""Passes after which the gap on the active sets is looked at."""
_SOLVED, _ENOUGH = 0.03, 0.3
"""The passes end when that gap is below the first share of the whole one, or the second if they are slow,"""
_SLOW, _SLOW_LOOKS = 0.95, 2
"""as they are when it is above this share of the one before; so often in turn, and Newton steps follow."""
_HALF = 0.5
"""Rows and columns are dropped whenever the gap is below this share of what it was then, and screened too,"""
_IN_VAIN = 0.01
"""or below this one where screening proved nothing: a tenth of the radius."""


@dataclass
class DGPDPlusState(State):
    """The dual point with its correlation and best response, and the sets as masks.

    ``rows`` and ``columns`` are active, ``settled`` rows and ``zero`` columns proven by screening;
    ``z`` are the scores of ``w``, ``shares`` those of the rows in ``gap``, the gap of w and u;
    ``last_drop`` is the one at which rows and columns were last dropped, ``next_screen`` the one at which
    they are screened next. ``unread`` are the entries that the start took; they count in the first epoch,
    because a start is no pass.
    """

    u: FloatArray
    v: FloatArray
    w: FloatArray
    z: FloatArray
    shares: FloatArray
    rows: BoolArray
    columns: BoolArray
    settled: BoolArray
    zero: BoolArray
    spread: FloatArray
    last_drop: float
    next_screen: float
    gap: float
    unread: int


@dataclass(frozen=True)
class DGPDPlus(Solver[DGPDPlusState]):
    r"""Doubly greedy primal-dual coordinate descent, with active sets that double.

    With w the best response to u, the gap is a sum over the rows,

    .. math:: P(w) - D(u) = \frac1n \sum_i s_i \left( \phi_i(z_i) + \phi_i^*(u_i) - z_i u_i \right).

    A round takes into the active rows those with the largest shares, into the active columns those
    with the largest responses to 0.9 of the l1 part, at most as many as were active (or 10, or a 64th of
    all, where that is more); copies the active sub-matrix S; and maximises the dual on it over one row at
    a time,

    .. math::
        u_i \leftarrow \mathrm{prox}_{c_i \phi_i^*}(u_i + c_i \langle S_i, w \rangle), \qquad
        c_i = \frac{n}{s_i \sum_k S_{ik}^2 / l_{2k}},

    in random order, until its gap is below 0.03 of the whole one; of eight passes all but the first are
    over the rows that it moved. Rows with :math:`u_i = 0` and columns with :math:`w_k = 0` are dropped
    whenever the gap has halved. Rows and columns whose values the gap proves (safe screening) are not visited
    again; where it proves none, the next look is at a hundredth of it.

    Parameters
    ----------
    most_passes : int, default 40
        Passes over S in a round, at most.
    newton_steps : int, default 5
        Newton steps on S, at most, after as many passes; each is taken only if the dual value rises.
    screening : bool, default True
        Whether to screen.

    Notes
    -----
    Serves every scalar loss with every separable regularizer that has an l2 part on each coordinate,
    without a free intercept. It pays where few rows are active at the optimum: for the hinge family
    and the epsilon-insensitive loss, whose other rows have :math:`u_i = 0`. For other losses all rows
    are active from the start, and only the columns are chosen.

    Cost of a round: the entries of the columns of the support and of the rows that changed, the
    entries of S for the copy and for each pass, and O(n + d). The dual value of the active sets never
    falls within a round; that of the problem may when a new column answers. An epoch is as many rounds,
    up to ten, as read a quarter of a pass and bring the gap below 0.3 of what it was, or read four passes.
    Problems that share a design take their rounds together: the columns and rows that any of them needs are
    then read once.

    References
    ----------
    Lei, Yen, Wu, Dhillon, Ravikumar, Doubly greedy primal-dual coordinate descent for sparse
    empirical risk minimization, 2017: Algorithm 2, here with sets that double, exact steps on S, and
    the gap as the score on both sides. Ndiaye, Fercoq, Gramfort, Salmon, Gap safe screening rules for
    sparsity enforcing penalties, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import DGPDPlus, Problem, solve
    >>> from fenchel.losses import SmoothedHinge
    >>> from fenchel.regularizers import ElasticNet
    >>> A = np.array([[2.0, 0.5], [1.0, -0.5], [-2.0, 0.0], [-1.0, 0.0]])
    >>> problem = Problem(A, [1.0, 1.0, -1.0, -1.0], SmoothedHinge(), ElasticNet(0.1, 0.1))
    >>> result = solve(problem, DGPDPlus())
    >>> result.status.solved, np.flatnonzero(result.w), np.flatnonzero(result.u)
    (True, array([0]), array([1, 3]))
    """

    name: ClassVar[str] = "dgpd_plus"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE, CURVED)

    most_passes: int = 40
    newton_steps: int = 5
    screening: bool = True

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> DGPDPlusState:
        """Start from ``start.u``, or the derivatives at ``start.w``, or zero (those at 0 if no u is 0)."""
        form, counts = problem.coordinate_form, problem.sample_weight > 0.0
        problem.design.build_views()
        u = active_start(problem, start)
        v = problem.correlation(u)
        entries = start_entries(problem, start, np.zeros_like(v) if start.w is None else start.w, u)
        if start.u is None and start.w is not None:
            factor = best_multiple(lambda t: -problem.mean_conjugate(t * u) - problem.conjugate(-t * v))
            u, v = factor * u, factor * v
        w = form.lmo(v)
        warm = start.u is not None or start.w is not None
        # A box may exclude zero; its coordinates are never passive.
        columns = (form.lower > 0.0) | (form.upper < 0.0) | (warm & (w != 0.0))
        z = problem.design.sparse_matvecs(w[None])[0]
        shares = np.empty_like(u)
        gap = row_shares(problem, z, u, shares)
        entries += int(problem.design.column_counts[w != 0.0].sum())
        return DGPDPlusState(
            rng=rng,
            entries_read=0,
            u=u,
            v=v,
            w=w,
            z=z,
            shares=shares,
            rows=counts & (u != 0.0) if problem.loss.sparse_dual else counts,
            columns=columns,
            settled=~counts,
            zero=np.zeros(w.size, dtype=bool),
            spread=np.sqrt(problem.design.row_square_sums(1.0 / form.l2)),
            last_drop=np.inf,
            next_screen=np.inf,
            gap=gap,
            unread=entries,
        )

    def run_epoch(self, problem: Problem, state: DGPDPlusState) -> None:
        """Some rounds: while few rows are active, one reads only a little of A."""
        self.run_epochs([problem], [state])

    def run_epochs(self, problems: Sequence[Problem], states: Sequence[DGPDPlusState]) -> None:
        """Some rounds of each; the searches of all read the design together, which is counted for each."""
        pairs = list(zip(problems, states, strict=True))
        begun = {}
        for _, state in pairs:
            begun[id(state)] = state.entries_read, state.gap
            state.entries_read, state.unread = state.entries_read + state.unread, 0
        for _ in range(_MOST_ROUNDS):
            before = [state.entries_read for _, state in pairs]
            self._rounds(pairs)
            pairs = [
                (problem, state)
                for (problem, state), entries in zip(pairs, before, strict=True)
                if entries < state.entries_read and not _ends(problem, state, *begun[id(state)])
            ]
            if not pairs:
                break

    def _rounds(self, pairs: list[tuple[Problem, DGPDPlusState]]) -> None:
        """A round of each problem; the changes of ``v``, and the new scores, come from one product each."""
        design, n_samples = pairs[0][0].design, pairs[0][0].n_samples
        moves = np.empty((len(pairs), n_samples))
        for (problem, state), move in zip(pairs, moves, strict=True):
            self._round(problem, state, move)
        changes = design.sparse_rmatvecs(moves) / n_samples
        for (problem, state), change in zip(pairs, changes, strict=True):
            state.v += change
            state.entries_read += respond(
                problem.coordinate_form, state.v, state.zero, design.column_counts, state.w
            )
            self._drop(problem, state)
        scores = design.sparse_matvecs(np.stack([state.w for _, state in pairs]))
        for (problem, state), z in zip(pairs, scores, strict=True):
            state.z[:] = z
            state.gap = row_shares(problem, state.z, state.u, state.shares)

    def _round(self, problem: Problem, state: DGPDPlusState, move: FloatArray) -> None:
        """Screen, grow the active sets and ascend on them; set ``move`` to what the rows add to ``n v``."""
        if self.screening and state.gap <= state.next_screen:
            _screen(problem, state)
        grow(state.columns, state.zero, nearly_active(problem.coordinate_form, state.v))
        grow(state.rows, state.settled, state.shares)
        # The passes visit the rows of the copy as they stand, one after the other in memory.
        rows = state.rng.permutation(np.flatnonzero(state.rows & ~state.settled))
        fresh = self._ascend(problem, state, rows)
        state.entries_read += take_moves(
            rows, fresh, problem.design.row_counts, problem.sample_weight, state.u, state.v, move
        )

    def _drop(self, problem: Problem, state: DGPDPlusState) -> None:
        """Drop rows and columns at zero whenever the gap has halved."""
        if state.gap <= _HALF * state.last_drop:
            state.last_drop = state.gap
            state.columns &= state.w != 0.0
            if problem.loss.sparse_dual:
                state.rows &= state.u != 0.0

    def extract(self, problem: Problem, state: DGPDPlusState) -> tuple[FloatArray, FloatArray]:
        """The best response and the dual point."""
        return state.w.copy(), state.u.copy()

    def products(self, problem: Problem, state: DGPDPlusState) -> Products:
        """Those that the search has made."""
        return Products(state.z.copy(), state.v.copy())

    def _ascend(self, problem: Problem, state: DGPDPlusState, rows: IndexArray) -> FloatArray:
        """Passes over the active sub-matrix; returns the new dual values of its rows."""
        columns = np.flatnonzero(state.columns)
        part = ActivePart(problem, rows, columns)
        u, v, w = state.u[rows], state.v[columns], state.w[columns]
        # A row without entries in S has the score 0.
        empty = part.step == 0.0
        if empty.any():
            u[empty] = problem.loss.gradient(np.zeros(int(empty.sum())), part.b[empty])
        state.entries_read += part.design.n_entries
        inner, left, slow = np.inf, self.most_passes, 0
        while left > 0 and not empty.all():
            count = min(_CHECK_EVERY, left)
            left -= count
            state.entries_read += part.ascend(count, u, v, w)
            if count < _CHECK_EVERY:
                break
            state.entries_read += part.design.n_entries
            last, inner = inner, part.gap(u, w)
            slow = slow + 1 if inner > _SLOW * last else 0
            if inner < (_ENOUGH if slow else _SOLVED) * state.gap:
                break
            if self.newton_steps and slow == _SLOW_LOOKS:
                self._newton_steps(state, part, (u, v, w), _ENOUGH * state.gap)
                break
        return u

    def _newton_steps(
        self,
        state: DGPDPlusState,
        part: ActivePart,
        point: tuple[FloatArray, FloatArray, FloatArray],
        target: float,
    ) -> None:
        """Newton steps on the active sets, until their gap is below the target or none raises the dual."""
        u, v, w = point
        # No more than was read so far: a run of few passes stays one of few passes.
        last = 2 * state.entries_read
        for _ in range(self.newton_steps):
            if state.entries_read >= last:
                break
            entries, better = part.newton(u, v, w)
            state.entries_read += entries + part.design.n_entries
            if not better or part.gap(u, w) < target:
                break


def _screen(problem: Problem, state: DGPDPlusState) -> None:
    """Settle the rows and take out the columns that the gap proves; say when to look again."""
    known = np.count_nonzero(state.settled) + np.count_nonzero(state.zero)
    gap = safe_gap(problem, state.gap, state.u)
    settle_rows(problem, state.u, state.z, gap, state.spread, state.settled)
    state.zero |= zero_columns(problem, state.v, gap)
    state.columns &= ~state.zero
    proven = np.count_nonzero(state.settled) + np.count_nonzero(state.zero)
    state.next_screen = (_HALF if proven > known else _IN_VAIN) * state.gap


def _ends(problem: Problem, state: DGPDPlusState, entries: int, gap: float) -> bool:
    """Whether an epoch that began at this count and this gap is over."""
    passes = (state.entries_read - entries) / problem.design.n_entries
    return passes >= (_EPOCH if state.gap <= _FALL * gap else _LONGEST_EPOCH)
