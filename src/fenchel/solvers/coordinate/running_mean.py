"""The mean of vectors that come one by one."""

from __future__ import annotations

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["RunningMean"]


class RunningMean:
    """Add vectors like ``like``; ``value`` is their mean, and ``count`` their number."""

    def __init__(self, like: FloatArray) -> None:
        self.count = 0
        self._total = np.zeros_like(like)

    def add(self, x: FloatArray) -> None:
        """Take one more."""
        self._total += x
        self.count += 1

    @property
    def value(self) -> FloatArray:
        """The mean of what was added."""
        return self._total / self.count
