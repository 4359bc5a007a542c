"""Which coordinates a model is made of: the support, and those that gain most outside of it."""

from __future__ import annotations

import numpy as np

from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["among", "holds", "working_set"]


def working_set(
    falls: FloatArray, support: IndexArray, size: int, *, and_nearest: bool = False
) -> IndexArray:
    """The support, and the coordinates of the largest ``falls`` beside it, up to ``size`` in all; ascending.

    ``falls`` are the violations of the optimality conditions. Coordinates that rise are left out; with
    ``and_nearest`` those that rise least fill the set: where columns are cheap, they save the next one.
    Cost O(d).
    """
    outside = falls.copy()
    outside[support] = -np.inf
    room = max(size - support.size, 0)
    if and_nearest and room < outside.size - support.size:
        beside = _largest(outside, room)
    else:
        beside = np.flatnonzero(outside > (-np.inf if and_nearest else 0.0))
        if beside.size > room:
            beside = beside[_largest(outside[beside], room)]
    chosen: IndexArray = np.concatenate([support, beside]).astype(np.int64, copy=False)
    chosen.sort()
    return chosen


def _largest(values: FloatArray, count: int) -> IndexArray:
    """The places of the largest values, in any order."""
    rest = values.size - count
    return np.argpartition(values, rest)[rest:] if count else np.empty(0, dtype=np.int64)


def holds(old: IndexArray, falls: FloatArray, support: IndexArray) -> bool:
    """Whether an old working set holds the support and all that violates its optimality. Cost O(d)."""
    needed = falls > 0.0
    needed[support] = True
    needed[old] = False
    return not needed.any()


def among(chosen: IndexArray, others: IndexArray, size: int) -> BoolArray:
    """Which of the chosen are others; all are below ``size``. Cost O(size), but no sort."""
    marked = np.zeros(size, dtype=bool)
    marked[others] = True
    result: BoolArray = marked[chosen]
    return result
