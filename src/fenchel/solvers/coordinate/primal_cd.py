"""Proximal coordinate descent on the primal, with passes over the support in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fenchel._kernels.coordinate import primal_cd_pass
from fenchel.errors import InvalidInputError
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.coordinate.newton import newton_move
from fenchel.solvers.requirements import COMPILED, SEPARABLE, SMOOTH
from fenchel.typing import FloatArray, IndexArray

__all__ = ["PrimalCD", "PrimalCDState"]

_FIRST_ITERATIONS, _MOST_ITERATIONS = 10, 200
"""Conjugate gradient steps: doubled whenever they did not reach their tolerance."""
_DENSE_COLUMN = 0.25
"""Columns with more stored entries than this share are centred: both moves cost O(n) there."""


@dataclass
class PrimalCDState(State):
    """Coefficients, scores, loss derivatives, and the constants of each coordinate."""

    w: FloatArray
    z: FloatArray
    u: FloatArray
    curvature: FloatArray
    centre: FloatArray
    iterations: int


@dataclass(frozen=True)
class PrimalCD(Solver[PrimalCDState]):
    r"""Proximal coordinate descent for a smooth loss and a separable regularizer.

    .. math::
        w_j \leftarrow \mathrm{prox}_{g_j / L_j}\!\left(w_j - \tfrac1{L_j}\, \tfrac1n
        \textstyle\sum_i s_i (a_{ij} - m_j) \phi_i'(z_i)\right), \qquad
        L_j = \tfrac{1}{\gamma n} \textstyle\sum_i s_i (a_{ij} - m_j)^2

    An epoch is one pass over all coordinates, up to ``support_passes`` passes over the non-zero ones
    (until they move ten times less than in the first), then Newton steps on the
    coordinates that can move, until one gains little. Where the intercept is free, a dense
    column moves together with it (:math:`m_j` is the column's mean, else 0), which is the same as
    centring the column and changes no optimum.

    Parameters
    ----------
    support_passes : int, default 3
        Passes over the support in an epoch.
    newton_passes : float, default 30.0
        Passes that the Newton steps of an epoch may read. With this and ``support_passes`` at 0 what
        remains is plain coordinate descent.
    order : {"cyclic", "random"}, default "cyclic"
        The coordinates of a pass: all in turn, or as many drawn uniformly with replacement. Random,
        with both of the above at 0, is PrimalRCD, the primal baseline of the paper.

    Raises
    ------
    InvalidInputError
        If ``order`` is neither.

    Notes
    -----
    Cost of a step: the stored entries of the column, O(n) for a centred one; loss derivatives are
    recomputed only for the rows whose score changed. Memory O(n + d) beside the columns.

    References
    ----------
    The primal baseline of doubly greedy primal-dual coordinate descent (Lei, Yen, Wu, Dhillon,
    Ravikumar, 2017).
    """

    name: ClassVar[str] = "primal_cd"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SMOOTH, SEPARABLE)

    support_passes: int = 3
    newton_passes: float = 30.0
    order: Literal["cyclic", "random"] = "cyclic"

    def __post_init__(self) -> None:
        """Refuse an unknown order."""
        if self.order not in ("cyclic", "random"):
            raise InvalidInputError(f"order={self.order!r} is unknown. Use 'cyclic' or 'random'.")

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> PrimalCDState:
        """Start from ``start.w``, or from zero with the best unpenalised coordinates."""
        form = problem.coordinate_form
        if start.w is None:
            zero = np.clip(np.zeros(problem.n_coordinates), form.lower, form.upper)
            w = minimise_free(problem, zero)
        else:
            w = np.clip(start.w, form.lower, form.upper)
        z = problem.scores(w)
        centre = _centres(problem)
        squares = problem.n_samples * problem.column_norms**2
        spread = squares - centre**2 * problem.n_samples
        # The variance of a nearly constant column is lost to rounding: then do not centre it.
        flat = spread < 1e-10 * squares
        centre[flat], spread[flat] = 0.0, squares[flat]
        return PrimalCDState(
            rng=rng,
            entries_read=0,
            w=np.ascontiguousarray(w),
            z=np.ascontiguousarray(z),
            u=problem.loss.gradient(z, problem.b),
            curvature=problem.loss.smoothness * spread / problem.n_samples,
            centre=centre,
            iterations=_FIRST_ITERATIONS,
        )

    def run_epoch(self, problem: Problem, state: PrimalCDState) -> None:
        """One pass over all coordinates, passes over the support, then Newton steps."""
        d = problem.n_coordinates
        everything = np.arange(d) if self.order == "cyclic" else state.rng.integers(d, size=d)
        self._pass(problem, state, everything)
        first = None
        for _ in range(self.support_passes):
            support = np.flatnonzero(state.w).astype(np.int64)
            if support.size == 0:
                break
            change = self._pass(problem, state, support)
            first = change if first is None else first
            if change <= 0.1 * first:
                break

        self._newton_steps(problem, state)

    def extract(self, problem: Problem, state: PrimalCDState) -> tuple[FloatArray, None]:
        """The coefficients; the certificate takes its dual point from their scores."""
        return state.w.copy(), None

    def _newton_steps(self, problem: Problem, state: PrimalCDState) -> None:
        """Newton steps until one gains little next to the best, within the passes of an epoch."""
        # No more than was read so far: a run of few passes stays one of few passes.
        last = state.entries_read + min(
            state.entries_read, int(self.newton_passes * problem.design.n_entries)
        )
        most = 0.0
        while state.entries_read < last:
            move = newton_move(problem, state.centre, state.w, state.z, state.u, state.iterations)
            state.entries_read += move.entries
            if move.exhausted:
                state.iterations = min(2 * state.iterations, _MOST_ITERATIONS)
            if move.w is None:
                break
            state.w[:], state.z[:] = move.w, move.z
            state.u[:] = problem.loss.gradient(state.z, problem.b)
            most = max(most, move.fall)
            if move.fall <= 0.1 * most:
                break

    def _pass(self, problem: Problem, state: PrimalCDState, visits: IndexArray) -> float:
        entries, change = primal_cd_pass(
            problem.design.columns,
            visits,
            problem.kernel_loss,
            b=problem.b,
            sample_weight=problem.sample_weight,
            form=problem.coordinate_form,
            curvature=state.curvature,
            centre=state.centre,
            w=state.w,
            z=state.z,
            u=state.u,
        )
        state.entries_read += entries
        return change


def _centres(problem: Problem) -> FloatArray:
    """The weighted mean of each dense column when the intercept can absorb it, else 0."""
    centre = np.zeros(problem.n_coordinates)
    if not problem.fit_intercept:
        return centre
    dense = problem.design.column_counts[:-1] > _DENSE_COLUMN * problem.n_samples
    if dense.any():
        means = problem.design.column_sums(problem.sample_weight)[:-1] / problem.n_samples
        centre[:-1][dense] = means[dense]
    return centre
