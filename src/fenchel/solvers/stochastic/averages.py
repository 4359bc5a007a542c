"""Weighted averages of points whose coordinates move one at a time."""

from __future__ import annotations

from fenchel.typing import FloatArray

__all__ = ["lazy_average"]


def lazy_average(point: FloatArray, total: FloatArray, since: FloatArray, weight: float) -> FloatArray:
    """The average over points of that weight in all; the point itself when there were none.

    ``total`` holds the sum of every coordinate up to the weight ``since``; it has stood still from there.
    """
    if weight == 0:
        return point.copy()
    average: FloatArray = (total + point * (weight - since)) / weight
    return average
