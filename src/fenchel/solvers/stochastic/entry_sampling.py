r"""The probabilities with which SPD1-VR draws the entries of a matrix.

Uniform: every entry has :math:`p = 1/N`. Magnitude: :math:`p = \hat a_{ij} / S` with
:math:`\hat a_{ij} = \sqrt{s_i} |a_{ij}| / \text{unit}_j` and S their sum; then :math:`a / p` is known but
for its sign, and entries of very different size do no harm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fenchel._kernels.entries import (
    AliasTables,
    Entries,
    EvenEntries,
    SignedEntries,
    alias_tables,
    line_starts,
)
from fenchel._kernels.views import DenseLines, Lines
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray, IndexArray

__all__ = ["EntrySampling", "magnitude_sampling", "uneven", "uniform_sampling"]

_UNEVEN = 2.5
"""Mean square over squared mean size of the entries beyond which they are drawn by size."""
_NONE: AliasTables = np.empty((0, 3), dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class EntrySampling:
    r"""Tables and marginals.

    Attributes
    ----------
    choice, in_row, in_column : the tables of a row, and of entries in a row and in a column (empty: evenly).
    row, column : (n,), (D,) the marginals :math:`\pi_i` and :math:`q_j`.
    spread : (D,) :math:`\sum_i s_i a_{ij}^2 / p_{ij}`.
    mass : N, or S.
    """

    choice: AliasTables
    in_row: AliasTables
    in_column: AliasTables
    row: FloatArray
    column: FloatArray
    spread: FloatArray
    mass: float

    @property
    def even(self) -> bool:
        """Whether all entries have the same probability."""
        return self.in_row.size == 0

    def entries(self, problem: Problem) -> Entries:
        """What the kernel draws from."""
        design, dense = problem.design, isinstance(problem.design.rows, DenseLines)
        if self.even:
            return EvenEntries(design.rows, design.rows if dense else design.columns, self.choice)
        rows, columns = _starts(problem)
        return SignedEntries(rows, self.in_row, columns, self.in_column, self.choice)


def uniform_sampling(problem: Problem) -> EntrySampling:
    """Every entry with the same probability; O(n + D) beside one pass."""
    design = problem.design
    total = float(max(design.n_entries, 1))
    row = design.row_counts / total
    squares = design.column_square_sums(problem.sample_weight)
    return EntrySampling(
        _choice(row), _NONE, _NONE, row, design.column_counts / total, total * squares, total
    )


def magnitude_sampling(problem: Problem, unit: FloatArray) -> EntrySampling:
    """Entries in proportion to their size; 24 bytes an entry for the tables."""
    design, root = problem.design, np.sqrt(problem.sample_weight)
    rows, columns = design.rows, design.columns
    starts = _starts(problem)
    sizes = _sizes(rows, root, 1.0 / unit), _sizes(columns, 1.0 / unit, root)
    row, column = (_sums(of_side, first) for of_side, first in zip(sizes, starts, strict=True))
    mass = float(row.sum())
    scale = 1.0 / mass if mass > 0 else 0.0
    return EntrySampling(
        choice=_choice(row),
        in_row=alias_tables(sizes[0], starts[0], _labels(rows)),
        in_column=alias_tables(sizes[1], starts[1], _labels(columns)),
        row=row * scale,
        column=column * scale,
        spread=mass * column * unit**2,
        mass=mass,
    )


def _choice(weights: FloatArray) -> AliasTables:
    return alias_tables(weights, np.array([0, weights.size]), np.arange(weights.size, dtype=np.int32))


def _starts(problem: Problem) -> tuple[IndexArray, IndexArray]:
    design = problem.design
    return line_starts(design.rows), line_starts(design.columns)


def _labels(lines: Lines) -> npt.NDArray[np.int32]:
    """The index of every entry, or -1 - index where the entry is negative."""
    if isinstance(lines, DenseLines):
        labels = np.tile(np.arange(lines.length, dtype=np.int32), (lines.n_lines, 1))
        stored = labels[: lines.data.shape[0], : lines.data.shape[1]]
        np.invert(stored, out=stored, where=lines.data < 0)
        return labels.ravel()
    indices = np.where(lines.data < 0, ~lines.indices, lines.indices)
    if not lines.ones:
        return indices
    if lines.indptr.size == lines.n_lines:
        return np.append(indices, np.arange(lines.length, dtype=np.int32))
    return np.insert(indices, lines.indptr[1:], np.int32(lines.length - 1))


def uneven(problem: Problem, unit: FloatArray) -> bool:
    """Whether the sizes of the entries differ so much that they should be drawn by size."""
    sizes = _sizes(problem.design.rows, np.sqrt(problem.sample_weight), 1.0 / unit)
    return bool(sizes.size * (sizes @ sizes) > _UNEVEN * sizes.sum() ** 2)


def _sizes(lines: Lines, of_line: FloatArray, of_index: FloatArray) -> FloatArray:
    """The sizes of the entries in the order of the lines, those of the intercept included."""
    if isinstance(lines, DenseLines):
        sizes = np.ones((lines.n_lines, lines.length))
        stored = sizes[: lines.data.shape[0], : lines.data.shape[1]]
        np.abs(lines.data, out=stored)
        sizes *= of_line[:, None]
        sizes *= of_index
        return sizes.ravel()
    counts = np.diff(lines.indptr)
    sizes = np.abs(lines.data).astype(np.float64)
    sizes *= of_index[lines.indices]
    sizes *= np.repeat(of_line[: counts.size], counts)
    if not lines.ones:
        return sizes
    if counts.size < lines.n_lines:
        return np.append(sizes, of_line[-1] * of_index)
    return np.insert(sizes, lines.indptr[1:], of_line * of_index[-1])


def _sums(sizes: FloatArray, starts: IndexArray) -> FloatArray:
    lengths = np.diff(starts)
    line = np.repeat(np.arange(lengths.size), lengths)
    return np.bincount(line, sizes, minlength=lengths.size).astype(np.float64, copy=False)
