"""How large a block of entries the products and the checks convert or scan at a time."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["BLOCK_ENTRIES", "line_blocks", "row_slices"]

BLOCK_ENTRIES = 1 << 19
"""Entries in a block: 4 MB of float64, so that a block stays in the cache between two uses."""


def line_blocks(indptr: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Cut compressed lines into ranges of about ``BLOCK_ENTRIES`` entries, at least one line each."""
    n_lines, start = len(indptr) - 1, 0
    while start < n_lines:
        reach = np.searchsorted(indptr, indptr[start] + BLOCK_ENTRIES, side="right")
        stop = min(max(int(reach) - 1, start + 1), n_lines)
        yield start, stop
        start = stop


def row_slices(n_rows: int, row_length: int) -> Iterator[slice]:
    """Cut the rows of a dense array into ranges of about ``BLOCK_ENTRIES`` entries."""
    step = max(1, BLOCK_ENTRIES // max(1, row_length))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
