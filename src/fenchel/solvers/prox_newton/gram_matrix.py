r"""The matrix of a quadratic model, :math:`M = A_W' \mathrm{diag}(h) A_W`, where it costs less than passes.

A step of coordinate descent on the columns reads a column; on the matrix one row of m entries. That pays for
the matrix when the data is dense, or has short rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fenchel._kernels.products import along_named, gram_named, gram_part
from fenchel._kernels.prox_newton import ScaledColumns
from fenchel._kernels.views import DenseLines, SparseLines
from fenchel.problem.problem import Problem
from fenchel.solvers.prox_newton.working_set import among
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "GramMatrix",
    "extended",
    "features_are_few",
    "few_dense_features",
    "gram_matrix",
    "gram_of_rows",
    "is_cheap",
    "rows_are_short",
]

_MOST = 1000
"""Places at most: a matrix of 8 MB."""
_WIDEST, _NARROW = 4, 100
"""With more places than so many times the rows of dense data a pass reads less of columns than of the matrix,
which up to the second number of places costs nothing."""
_FEW, _FEW_ENTRIES = 64, 1_000_000
"""Up to so many dense features and entries under a ridge the matrix of all, corrected from step to step,
spares more than samples of the rows do: 1.1 to 2 times as fast (measured on 500 to 15,000 rows), from 100
features or two million entries on as fast or slower."""
_LONGEST_ROWS = 60
"""Sparse rows cost the square of their length: at most so many times their length in all."""
_TALL = 4
"""With so many rows a place the products are taken in float32: what they lose is less than the model does."""
_SCATTERED = 3.0
"""A product that is added somewhere in the matrix costs as much as so many that are summed."""
_LEAST_SQUARE, _LARGEST_SQUARE = 1e-30, 1e30
_LEAST_SHARE = 1e-6
"""A column that is nearly a multiple of the ones keeps this share of its curvature: the rest is rounding."""


@dataclass(frozen=True, eq=False)
class GramMatrix:
    """``M``, with the intercept eliminated where there is one, and what was needed for that.

    Attributes
    ----------
    matrix : (m, m) ``A_W' diag(h) A_W - p p' / S``.
    cross : (m,) ``p = A_W' h``.
    total : ``S``, the sum of h; infinite without an intercept.
    entries_read : the entries that it took.
    """

    matrix: FloatArray
    cross: FloatArray
    total: float
    entries_read: int


def is_cheap(problem: Problem, m: int) -> bool:
    """Whether the matrix of m places costs less than the passes that it saves."""
    if m > _MOST:
        return False
    if isinstance(problem.design.columns, DenseLines):
        return m <= max(_WIDEST * problem.n_samples, _NARROW)
    return _lengths_are_short(problem)


def features_are_few(problem: Problem) -> bool:
    """Whether the matrix of all of them may be made."""
    return problem.n_coordinates <= _MOST


def few_dense_features(problem: Problem) -> bool:
    """Whether the data is dense, with so few features that one matrix of all serves several steps best."""
    entries = problem.n_samples * problem.n_coordinates
    if problem.n_features > _FEW or entries > _FEW_ENTRIES:
        return False
    # Sparse data seldom has them all, and need not make its columns to be told from dense.
    return problem.design.is_full and isinstance(problem.design.columns, DenseLines)


def rows_are_short(problem: Problem) -> bool:
    """Whether the features are few, and the squared lengths of the rows not many times the entries."""
    return features_are_few(problem) and _lengths_are_short(problem)


def _lengths_are_short(problem: Problem) -> bool:
    entries = problem.design.n_entries
    # By Cauchy and Schwarz the squared lengths add up to no less than those of rows of the mean length; to
    # count the entries of each row of data that is held by columns takes a pass.
    if entries > _LONGEST_ROWS * problem.n_samples:
        return False
    return problem.design.squared_row_counts <= _LONGEST_ROWS * entries


def gram_matrix(problem: Problem, chosen: IndexArray, root: FloatArray) -> GramMatrix:
    """Make the matrix of the columns ``chosen``, for the curvatures ``root ** 2``."""
    h = root**2
    return _without_intercept(problem, *_way(problem, chosen)(problem, chosen, root), h)


def gram_of_rows(problem: Problem, rows: IndexArray, h: FloatArray) -> GramMatrix:
    """The same for all features, and the curvatures ``h`` of some rows alone."""
    lines = problem.design.rows
    if isinstance(lines, DenseLines):
        root = np.sqrt(h)
        # Chosen rows are a copy, which becomes the scaled one in place where it has the type for it.
        X = lines.data.reshape(problem.n_samples, -1)[rows].astype(np.float64, copy=False)
        X *= root[:, None]
        cross = root @ X if problem.fit_intercept else np.zeros(problem.n_features)
        return _without_intercept(problem, X.T @ X, cross, X.size, h)
    everywhere = np.zeros(problem.n_samples)
    everywhere[rows] = h
    return _without_intercept(problem, *_of_all(problem, everywhere), h)


def extended(
    problem: Problem, chosen: IndexArray, root: FloatArray, places: IndexArray, held: GramMatrix
) -> GramMatrix:
    """The matrix of dense columns ``chosen`` from that of ``places`` for the same curvatures.

    Those of both come first in ``chosen``, in the order of ``places``; only the rows of the others are made.
    """
    stay = np.flatnonzero(among(places, chosen, problem.n_features))
    old, columns = stay.size, _scaled(problem, chosen, root)
    X = columns.data.reshape(chosen.size, root.size)
    matrix = np.empty((chosen.size, chosen.size))
    matrix[:old, :old] = held.matrix if old == places.size else held.matrix[stay].take(stay, axis=1)
    rows, own = matrix[old:], columns.squares[old:]
    # Apart, because a product with its own transpose costs half.
    rows[:, :old], rows[:, old:] = X[old:] @ X[:old].T, X[old:] @ X[old:].T
    if held.total < np.inf:
        rows -= np.outer(columns.cross[old:], columns.cross) / held.total
        own = np.maximum(own - columns.cross[old:] ** 2 / held.total, _LEAST_SHARE * own)
    np.fill_diagonal(rows[:, old:], own)
    matrix[:old, old:] = rows[:, :old].T
    return GramMatrix(matrix, columns.cross, held.total, columns.entries)


def _without_intercept(
    problem: Problem, matrix: FloatArray, cross: FloatArray, entries: int, h: FloatArray
) -> GramMatrix:
    """Take from the matrix what the best move of the intercept takes from it."""
    total = float(h.sum()) if problem.fit_intercept else np.inf
    if 0.0 < total < np.inf:
        squares = np.diag(matrix).copy()
        matrix -= np.outer(cross, cross) / total
        np.fill_diagonal(matrix, np.maximum(np.diag(matrix), _LEAST_SHARE * squares))
    return GramMatrix(matrix, cross, total, entries)


def _way(problem: Problem, chosen: IndexArray) -> Callable[..., tuple[FloatArray, FloatArray, int]]:
    """How to make the matrix: by which lines the products are fewer, where the data is sparse."""
    design = problem.design
    if isinstance(design.columns, DenseLines):
        return _of_columns
    lengths = np.sort(design.column_counts[chosen])
    by_columns = float(lengths @ np.arange(lengths.size, 0, -1))
    # As many products as if the share of the entries that is in W were the same in every row, by chance.
    share, n_entries = float(lengths.sum()) / max(design.n_entries, 1), design.n_entries
    pairs = 0.5 * share * (n_entries + share * (design.squared_row_counts - n_entries))
    by_rows = n_entries + _SCATTERED * pairs
    return _of_pairs if by_columns <= by_rows else _of_rows


def _of_pairs(problem: Problem, chosen: IndexArray, root: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """By inner products of the columns, which are sparse."""
    h, columns = root**2, problem.design.columns
    cross = along_named(columns, chosen, h) if problem.fit_intercept else np.zeros(chosen.size)
    entries = int(problem.design.column_counts[chosen].sum())
    return gram_named(columns, chosen, h), cross, entries


def _of_columns(problem: Problem, chosen: IndexArray, root: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    columns = _scaled(problem, chosen, root)
    X = columns.data.reshape(chosen.size, root.size)
    matrix = (X @ X.T).astype(np.float64, copy=False)
    np.fill_diagonal(matrix, columns.squares)
    return matrix, columns.cross, columns.entries


def _scaled(problem: Problem, chosen: IndexArray, root: FloatArray) -> ScaledColumns:
    """The columns in float32, or in float64 where the rows are few or it would leave the range of float32."""
    if root.size >= _TALL * chosen.size:
        columns = ScaledColumns.copy(problem.design.columns, chosen, root, np.float32)
        squares = columns.squares
        if np.all((squares == 0.0) | ((squares > _LEAST_SQUARE) & (squares < _LARGEST_SQUARE))):
            return columns
    return ScaledColumns.copy(problem.design.columns, chosen, root, np.float64)


def _of_rows(problem: Problem, chosen: IndexArray, root: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    rows, h = problem.design.rows, root**2
    assert isinstance(rows, SparseLines)  # dense ones have dense columns, which come first
    cross = along_named(problem.design.columns, chosen, h) if problem.fit_intercept else np.zeros(chosen.size)
    return gram_part(rows, h, chosen), cross, int(problem.design.row_counts[h > 0.0].sum())


def _of_all(problem: Problem, h: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    matrix, m = problem.design.gram(h), problem.n_features
    cross = matrix[:m, -1].copy() if problem.fit_intercept else np.zeros(m)
    return matrix[:m, :m], cross, problem.design.n_entries
