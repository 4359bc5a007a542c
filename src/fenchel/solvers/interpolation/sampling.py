"""Probabilities with which rows are drawn."""

from __future__ import annotations

import numpy as np

from fenchel.typing import FloatArray, IndexArray

__all__ = ["row_shares"]


def row_shares(curvature: FloatArray, rows: IndexArray, power: float, even: float = 0.0) -> FloatArray:
    r"""Probabilities proportional to :math:`L_i^{power}` on the named rows, and 0 elsewhere; shape (n,).

    A share ``even`` of the draws goes to all rows alike, so that none waits for ever. A row of zeros,
    :math:`L_i = 0`, has a slack, and a best value that one step finds: it is drawn as often as the average.
    """
    weight = curvature[rows] ** power
    mean = weight.sum() / max(rows.size, 1)
    weight = np.where(curvature[rows] > 0.0, weight, mean or 1.0)
    shares = np.zeros_like(curvature)
    shares[rows] = (1.0 - even) * weight / weight.sum() + even / max(rows.size, 1)
    return shares
