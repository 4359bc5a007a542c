"""The rows at the scores of the state: their derivatives, and the gradient of the loss that these make."""

from __future__ import annotations

from fenchel._kernels.prox_newton import RowModel, row_model
from fenchel.problem.problem import Problem
from fenchel.solvers.prox_newton.intercept import settle_intercept
from fenchel.solvers.prox_newton.state import ProxNewtonState

__all__ = ["known_rows", "rows_at", "take_gradient"]


def rows_at(problem: Problem, state: ProxNewtonState) -> RowModel:
    """The rows at the scores of the state, for its next model."""
    loss = problem.kernel_loss
    return row_model(loss, state.z, problem.b, problem.sample_weight, state.damping)


def known_rows(problem: Problem, state: ProxNewtonState) -> RowModel:
    """The same where an epoch begins: those of the end of the last one, if there was one."""
    return state.rows if state.rows is not None else rows_at(problem, state)


def take_gradient(problem: Problem, state: ProxNewtonState) -> None:
    """Settle the intercept, then compute the rows, ``u`` and ``v`` anew. Cost a pass."""
    if problem.fit_intercept:
        size = problem.mean_size(state.u)
        state.entries_read += settle_intercept(problem, state.w, state.z, size)
    state.rows = rows_at(problem, state)
    state.u[:] = state.rows.u
    state.v[:] = problem.correlation(state.u)
    state.entries_read += problem.design.n_entries
