"""Probabilities with which rows are drawn."""

from __future__ import annotations

import numpy as np

from fenchel.typing import FloatArray, IndexArray

__all__ = ["row_shares"]


def row_shares(curvature: FloatArray, rows: IndexArray, power: float) -> FloatArray:
    r"""Probabilities proportional to :math:`L_i^{power}` on the named rows, and 0 elsewhere; shape (n,).

    A row of zeros, :math:`L_i = 0`, has a slack, and a best value that one step finds: it is drawn as often
    as the average row.
    """
    weight = curvature[rows] ** power
    weight = np.where(curvature[rows] > 0.0, weight, weight.mean() or 1.0)
    shares = np.zeros_like(curvature)
    shares[rows] = weight / weight.sum()
    return shares
