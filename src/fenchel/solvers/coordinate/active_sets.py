"""How a set of active rows or columns grows."""

from __future__ import annotations

import numpy as np

from fenchel.typing import BoolArray, FloatArray

__all__ = ["grow"]

_FEWEST, _SHARE = 10, 64
"""So many may be added, or one in so many of all, while fewer are active."""


def grow(active: BoolArray, scores: FloatArray) -> None:
    """Add the best outside with a positive score, as many as are active or more; first of equals."""
    outside = np.flatnonzero((scores > 0.0) & ~active)
    count = max(_FEWEST, active.size // _SHARE, int(active.sum()))
    if count < outside.size:
        found = scores[outside]
        last = np.partition(found, -count)[-count]
        better, equal = outside[found > last], outside[found == last]
        outside = np.concatenate([better, equal[: count - better.size]])
    active[outside] = True
