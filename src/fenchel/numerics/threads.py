"""One BLAS thread for the many small products of a run.

A run does thousands of products on vectors that are too short to share: waking the threads of BLAS
for each costs more than the product, and a thousand times more while other processes hold the cores.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["single_blas_thread"]


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


def single_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread inside a ``with`` block, and give the threads back after it."""
    limiter: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limiter
