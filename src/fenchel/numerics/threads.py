"""One BLAS thread for the many small products of a run.

A run does thousands of products on vectors that are too short to share: waking the threads of BLAS
for each costs more than the product, and a thousand times more while other processes hold the cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["single_blas_thread"]


@cache
def _libraries() -> list[Any]:
    """The loaded libraries that serve BLAS: their search is dear, and is made once."""
    return [library for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside a ``with`` block, and give the threads back after it.

    Without what a limiter of threadpoolctl looks up beside, which takes longer than a small fit's epoch.
    """
    before = [(library, library.num_threads) for library in _libraries()]
    many = [(library, count) for library, count in before if count is not None and count > 1]
    try:
        for library, _ in many:
            library.set_num_threads(1)
        yield
    finally:
        for library, count in many:
            library.set_num_threads(count)
