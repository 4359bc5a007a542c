"""Which coordinates a model is made of: the support, and those that gain most outside of it."""

from __future__ import annotations

import numpy as np

from fenchel.typing import FloatArray, IndexArray

__all__ = ["working_set"]


def working_set(falls: FloatArray, support: IndexArray, size: int) -> IndexArray:
    """The support, and the coordinates of the largest ``falls`` beside it, up to ``size`` in all; ascending.

    ``falls`` are the violations of the optimality conditions, 0 where there is none. Cost O(d).
    """
    outside = falls.copy()
    outside[support] = 0.0
    gaining = np.flatnonzero(outside)
    room = max(size - support.size, 0)
    if gaining.size > room:
        gaining = gaining[np.argpartition(-outside[gaining], room)[:room]]
    chosen: IndexArray = np.sort(np.concatenate([support, gaining])).astype(np.int64, copy=False)
    return chosen
