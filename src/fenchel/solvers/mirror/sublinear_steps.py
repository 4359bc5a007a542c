"""The steps of an epoch of SublinearMulticlass: uniform numbers in, tables changed."""

from __future__ import annotations

from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.mirror_dense import DENSE_UNIFORMS, mirror_dense_steps
from fenchel._kernels.mirror_sparse import SPARSE_UNIFORMS, mirror_sparse_flush, mirror_sparse_steps
from fenchel.design.base import Design
from fenchel.solvers.mirror.entropic_sampling import draw_rows
from fenchel.solvers.mirror.sublinear_state import SublinearState

__all__ = ["take_dense_steps", "take_sparse_steps"]

_CALL = 1 << 15
"""Draws of one call of a kernel."""


def take_dense_steps(
    game: SampledGame, step: EntropicStep, state: SublinearState, count: int, *, optimal: bool
) -> None:
    """Steps on dense data."""
    tables, per_call = state.dense_tables(), max(1, _CALL // step.draws)
    for first in range(0, count, per_call):
        draws = min(per_call, count - first) * step.draws
        order = None if optimal else draw_rows(state.choice, state.rng.random(draws))
        mirror_dense_steps(game, step, tables, order, state.rng.random((draws, DENSE_UNIFORMS)))
        state.entries_read += draws * (game.n_samples + game.n_features)


def take_sparse_steps(
    game: SampledGame, step: EntropicStep, state: SublinearState, count: int, design: Design
) -> None:
    """Steps on sparse data, and a flush."""
    tables, per_call = state.sparse_tables(game.n_classes), max(1, _CALL // step.draws)
    rows, columns = design.row_counts, design.column_counts
    for first in range(0, count, per_call):
        draws = min(per_call, count - first) * step.draws
        order = draw_rows(state.choice, state.rng.random(draws))
        drawn = mirror_sparse_steps(game, step, tables, order, state.rng.random((draws, SPARSE_UNIFORMS)))
        state.entries_read += int(rows[drawn[:, 0]].sum() + columns[drawn[:, 2] % columns.size].sum())
    mirror_sparse_flush(game, step, tables)
    state.keep(tables)
