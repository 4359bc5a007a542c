"""A range cut into consecutive blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.typing import IndexArray

__all__ = ["Partition"]


@dataclass(frozen=True, eq=False)
class Partition:
    """``0 .. size - 1`` in consecutive blocks; block k is ``bounds[k] .. bounds[k + 1] - 1``."""

    bounds: IndexArray
    block_of: IndexArray
    """The block of every index."""

    @classmethod
    def even(cls, size: int, width: int) -> Partition:
        """Cut into as few blocks of at most ``width`` as possible, whose sizes differ by at most one.

        A short block at the end would be drawn rarely, and its coordinates would converge last.
        """
        count = -(-size // width)
        bounds = np.arange(count + 1, dtype=np.int64) * size // max(count, 1)
        return cls(bounds, np.repeat(np.arange(count, dtype=np.int64), np.diff(bounds)))

    def draw(self, count: int, rng: np.random.Generator) -> IndexArray:
        """Draw ``count`` blocks, each in proportion to its size."""
        drawn: IndexArray = self.block_of[rng.integers(len(self.block_of), size=count)]
        return drawn
