"""The mean of vectors that come one by one."""

from __future__ import annotations

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["RunningMean"]


class RunningMean:
    """``value`` is the mean of the vectors in ``total``, their sum, and ``count`` their number."""

    def __init__(self, like: FloatArray) -> None:
        self.count = 0
        self.total = np.zeros(like.shape)

    @property
    def value(self) -> FloatArray:
        """The mean of what was added."""
        return self.total / self.count
