"""Columns of few entries, which take exact steps after every Newton step.

Along the tail of a logistic loss a Newton step of all coordinates together moves a margin by about 1; a
column that is alone in its rows has far to go, and little to read.
"""

from __future__ import annotations

from fenchel.problem.problem import Problem
from fenchel.typing import IndexArray

__all__ = ["RARE_PRECISION", "STEPS", "rare_columns"]

_MOST_ENTRIES = 64
STEPS = 8
RARE_PRECISION = 0.2
"""Their tolerance, as a share of that of the model."""


def rare_columns(problem: Problem, chosen: IndexArray) -> IndexArray:
    """Those of the columns that have at most 64 entries, and half the rows."""
    counts = problem.design.column_counts[chosen]
    return chosen[counts <= min(_MOST_ENTRIES, problem.n_samples // 2)]
