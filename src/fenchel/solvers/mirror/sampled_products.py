r"""Unbiased estimates of the two products of mirror descent, from one row and one column of A.

With the positive and the negative part of w stacked in U, they estimate the scores :math:`A w` and the slope
:math:`A^\top (s \circ u) / n`. A column, with its sign, is drawn with probability :math:`p_i \sim \sigma_i
\|U_i\|` and a row with :math:`q_j \sim \tau_j \|u_j\|`, which minimises the second moments;

.. math:: \sigma_i = \Bigl(\sum_r s_r a_{ri}^2\Bigr)^{1/2}, \qquad \tau_j = s_j \max_f |a_{jf}|.

Nothing that has probability 0 is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels.views import Lines, SparseLines
from fenchel.problem.problem import Problem
from fenchel.solvers.mirror.entropic_sampling import row_maxima
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SampledProducts", "drawn", "line_entries", "sizes"]


def line_entries(lines: Lines, j: int) -> tuple[IndexArray | slice, FloatArray]:
    """Where the entries of a line are, and the entries in float64."""
    if not isinstance(lines, SparseLines):
        return slice(None), lines.data[j].astype(np.float64)
    own = slice(lines.indptr[j], lines.indptr[j + 1])
    return lines.indices[own].astype(np.int64), lines.data[own].astype(np.float64)


def drawn(weights: FloatArray, uniform: float) -> int:
    """The index where the running sum of the weights passes ``uniform`` times their sum; -1 if that is 0."""
    running = np.cumsum(weights)
    if not running.size or running[-1] <= 0.0:
        return -1
    # The product may round up to the whole sum.
    below = min(uniform * running[-1], np.nextafter(running[-1], 0.0))
    return int(np.searchsorted(running, below, side="right"))


def sizes(problem: Problem) -> tuple[FloatArray, FloatArray]:
    r""":math:`\sigma`, shape (d,), and :math:`\tau`, shape (n,); reads all entries."""
    columns: FloatArray = np.sqrt(problem.design.column_square_sums(problem.sample_weight))
    return columns, problem.sample_weight * row_maxima(problem.design.rows)


@dataclass(frozen=True, eq=False)
class SampledProducts:
    """One estimate of each product, and how it is drawn."""

    problem: Problem
    full: bool
    static: bool
    column_size: FloatArray
    row_size: FloatArray

    def scores(self, halves: FloatArray, uniforms: FloatArray) -> tuple[FloatArray, int]:
        r"""Estimate :math:`A w` from its positive and negative parts, shape (2, d, k).

        :math:`\pm A_{:i} U_i / p_i` with the row :math:`U_i` of a part, or one class of it, drawn as
        :math:`U_i`. Returns the estimate, shape (n, k), and the entries read.
        """
        estimate, d = np.zeros_like(self.problem.b), self.column_size.size
        U = halves.reshape(2 * d, -1)
        weights = np.tile(self.column_size, 2) * (U.sum(axis=1) if self.full else U.max(axis=1, initial=0.0))
        i = drawn(weights, float(uniforms[0]))
        if i < 0:
            return estimate, 0
        rows, entries = line_entries(self.problem.design.columns, i % d)
        scale = (1.0 if i < d else -1.0) * weights.sum() / weights[i]
        if self.full:
            estimate[rows, drawn(U[i], float(uniforms[1]))] = scale * U[i].sum() * entries
        else:
            estimate[rows] = np.multiply.outer(scale * entries, U[i])
        return estimate, entries.size

    def slope(self, u: FloatArray, uniforms: FloatArray) -> tuple[FloatArray, int]:
        r"""Estimate :math:`A^\top (s \circ u) / n`: :math:`s_j a_j^\top u_j / (n q_j)`.

        Or one class of it, drawn as :math:`|u_j|`. Returns the estimate, shape (d, k), and the entries read.
        """
        problem = self.problem
        estimate = np.zeros(problem.primal_shape)
        # Both norms of u_j are in proportion to its largest entry, that of the class.
        weights = self.row_size * (1.0 if self.static else np.abs(u).max(axis=1))
        j = drawn(weights, float(uniforms[0]))
        if j < 0:
            return estimate, 0
        features, entries = line_entries(problem.design.rows, j)
        scale = problem.sample_weight[j] * weights.sum() / (weights[j] * problem.n_samples)
        size = np.abs(u[j])
        h = drawn(size, float(uniforms[1]))
        if self.full and h >= 0:
            estimate[features, h] = scale * np.sign(u[j, h]) * size.sum() * entries
        elif not self.full:
            estimate[features] = np.multiply.outer(scale * entries, u[j])
        return estimate, entries.size
