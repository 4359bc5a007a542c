"""Scores of best responses, which are often almost all zero."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["product"]

_FEW = 0.1
"""Below this share of non-zero coordinates their columns are read alone."""


def product(problem: Problem, x: FloatArray) -> tuple[FloatArray, int]:
    """``A x``, and the entries of A that it took."""
    support = np.flatnonzero(x) if x.ndim == 1 else np.arange(x.size)
    if support.size <= _FEW * x.size:
        counts = problem.design.column_counts[support]
        return problem.design.sparse_matvecs(x[None])[0], int(counts.sum())
    return problem.scores(x), problem.design.n_entries
