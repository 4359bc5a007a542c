"""The additive effects of rows and columns in the observed entries of a matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fenchel.typing import FloatArray

__all__ = ["Effects", "fit_effects"]

_SWEEPS = 20


class Effects(NamedTuple):
    """``offset + rows[i] + columns[j]`` for the entry (i, j)."""

    offset: float
    rows: FloatArray
    columns: FloatArray

    def at(self, rows: npt.NDArray[Any], columns: npt.NDArray[Any]) -> FloatArray:
        """The effects at some positions."""
        total: FloatArray = self.offset + self.rows[rows] + self.columns[columns]
        return total


def fit_effects(
    rows: npt.NDArray[Any],
    columns: npt.NDArray[Any],
    values: FloatArray,
    weight: FloatArray,
    shape: tuple[int, int],
    *,
    additive: bool,
) -> Effects:
    """The weighted mean, and if ``additive`` the effects of rows and columns about it.

    The effects come from 20 sweeps of least squares: the mean residual of every row, then of every column. A
    row or a column without observations has the effect 0. Cost O(n) a sweep.
    """
    offset = float(np.average(values, weights=weight))
    found = Effects(offset, np.zeros(shape[0]), np.zeros(shape[1]))
    totals = [np.bincount(places, weight, size) for places, size in zip((rows, columns), shape, strict=True)]
    for _ in range(_SWEEPS * additive):
        for places, total, effect in zip((rows, columns), totals, found[1:], strict=True):
            residual = weight * (values - found.at(rows, columns))
            sums = np.bincount(places, residual, len(effect))
            effect += np.divide(sums, total, out=np.zeros_like(effect), where=total > 0)
    return found
