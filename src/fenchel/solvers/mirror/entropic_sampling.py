r"""The sizes that entropic steps with sampled rows and columns draw by, and the step that the theory gives.

Rows are drawn in proportion to :math:`s_j \tau_j`, :math:`\tau_j = \max_f |a_{jf}|`, and columns by
:math:`\sigma_i = (\sum_r s_r a_{ri}^2)^{1/2}`. The sample weights enter nowhere else: with the dual distance
:math:`\sum_i s_i \mathrm{KL}(V_i, V_i')` they cancel from the step of a row of V.
"""

from __future__ import annotations

import math

import numpy as np

from fenchel._kernels.entries import AliasTables, alias_tables
from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.views import DenseLines, Lines
from fenchel.losses.multiclass_hinge import MulticlassHinge
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray, IndexArray

__all__ = ["draw_rows", "entropic_step", "row_choice", "row_maxima", "sampled_game", "unit_step"]

_BLOCK = 1 << 22


def row_maxima(rows: Lines) -> FloatArray:
    """The largest size of an entry of every row; 0 for a row without entries. Reads all of them."""
    if isinstance(rows, DenseLines):
        height = max(1, _BLOCK // max(rows.length, 1))
        blocks = (rows.data[first : first + height] for first in range(0, rows.n_lines, height))
        parts = [np.maximum(block.max(axis=1), -block.min(axis=1)) for block in blocks]
        return np.concatenate(parts).astype(np.float64) if parts else np.zeros(0)
    result, filled = np.zeros(rows.n_lines), np.diff(rows.indptr) > 0
    if filled.any():
        starts = rows.indptr[:-1][filled]
        high, low = (f.reduceat(rows.data, starts) for f in (np.maximum, np.minimum))
        result[filled] = np.maximum(high, -low)
    return result


def row_choice(weights: FloatArray) -> AliasTables:
    """The alias table of weights that never change."""
    labels = np.arange(weights.size, dtype=np.int32)
    return alias_tables(weights, np.array([0, weights.size]), labels)


def draw_rows(choice: AliasTables, uniforms: FloatArray) -> IndexArray:
    """A row for every uniform number, O(1) each: it picks a position, and its remainder one of two rows."""
    scaled = uniforms * len(choice)
    position = scaled.astype(np.int64)
    keeps = (scaled - position) * 2.0**32 < choice[position, 0]
    drawn: IndexArray = np.where(keeps, choice[position, 1], choice[position, 2]).astype(np.int64)
    return drawn


def unit_step(
    n: int, d: int, k: int, radius: float, column_size: FloatArray, row_weight: FloatArray
) -> float:
    r"""The step :math:`\gamma \sqrt T` of the corrected theorem, :math:`\sqrt{2 / (10 a + 3 b)}`.

    With :math:`\Omega_U = R^2 \max(1, \log 2dk)`, :math:`\Omega_V = n \max(1, \log k)`,
    :math:`\mathcal L = \max_i \sigma_i / n`, :math:`\sigma_U^2 = 4 R^2 \max_i \sigma_i^2 / n^2` and
    :math:`\sigma_V^2 = 8 \max_i \sigma_i^2 / n + 8 (\sum_j s_j \tau_j)^2 / n^2`:
    :math:`a = \mathcal L^2 \Omega_U \Omega_V` and :math:`b = \Omega_U \sigma_V^2 + \Omega_V \sigma_U^2`.
    """
    primal, dual = radius**2 * max(1.0, math.log(2 * d * k)), n * max(1.0, math.log(k))
    largest, total = float(column_size.max()) / n, float(row_weight.sum()) / n
    of_rows, of_columns = 8.0 * (n * largest**2 + total**2), 4.0 * (radius * largest) ** 2
    return math.sqrt(2.0 / (10.0 * largest**2 * primal * dual + 3.0 * (primal * of_rows + dual * of_columns)))


def entropic_step(game: SampledGame, gamma: float, radius: float, l1: float, draws: int) -> EntropicStep:
    """The numbers of a step of size gamma."""
    n, d, k = game.n_samples, game.n_features, game.n_classes
    stride = 2.0 * gamma * radius * max(1.0, math.log(2 * d * k))
    return EntropicStep(
        primal=stride / (n * draws),
        decline=stride * l1,
        radius=radius,
        dual=2.0 * gamma * max(1.0, math.log(k)),
        draws=draws,
    )


def sampled_game(problem: Problem, row_size: FloatArray, column_size: FloatArray) -> SampledGame:
    """The game as the kernels take it."""
    design = problem.design
    return SampledGame(
        rows=design.rows,
        columns=design.columns,
        hinge=isinstance(problem.loss, MulticlassHinge),
        n_classes=problem.b.shape[1],
        label=problem.b.argmax(axis=1),
        row_size=row_size,
        row_weight=problem.sample_weight * row_size,
        column_size=column_size,
    )
