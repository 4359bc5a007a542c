"""A problem with the sizes and strengths of a measured one, but without its data: what "auto" sees of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy.sparse as sp

from benchmarks.choice.measured import Measured
from benchmarks.instance import LOSSES, Instance, Matrix
from fenchel import Problem
from fenchel.solvers.registry import choose_solver

__all__ = ["choice", "skeleton"]


def choice(record: Measured) -> str:
    """Return the name of the solver that "auto" takes for a measured problem; no fit, and no data."""
    return choose_solver(skeleton(record))[0].name


def skeleton(record: Measured) -> Problem:
    """Return a problem of the same shape, entries, mean squared row and largest l1 strength, nearly.

    The entries have one size and fill the columns in turn; their signs alternate down a column, but not down
    the first, whose size is such that it alone decides the largest strength.
    """
    slope = float(np.abs(LOSSES[record.loss].gradient(np.zeros(1), np.ones(1)))[0])
    A = _matrix(record.n, record.d, record.entries, record.length, record.largest / slope)
    return Instance(A, np.ones(record.n), record.loss, record.l1, record.l2).fenchel_problem(by_rows=True)


@lru_cache(maxsize=1)
def _matrix(n: int, d: int, entries: int, length: float, first: float) -> Matrix:
    """The mean of the first column is ``first``."""
    per_row = max(1, entries // n)
    place = np.arange(n * per_row)
    column = place % d
    values = np.where(place // d % 2 == 0, 1.0, -1.0) * np.sqrt(length / per_row)
    values[column == 0] = first * n / np.count_nonzero(column == 0)
    if per_row == d:
        return values.reshape(n, d)
    A = sp.csr_matrix((values, column.astype(np.int32), per_row * np.arange(n + 1)), shape=(n, d))
    A.sort_indices()
    return A
