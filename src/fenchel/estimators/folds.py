"""The paths of all folds: in turn, or on threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fenchel.driver.path_result import PathPoint

__all__ = ["Stop", "in_parallel"]

Given = TypeVar("Given")
Made = TypeVar("Made")


class Stop:
    """What ends the paths on all threads: they ask it after every strength."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def now(self) -> None:
        """End all paths after the strength that they are at."""
        self._event.set()

    def __call__(self, point: PathPoint) -> bool:
        return self._event.is_set()


def in_parallel(make: Callable[[Given], Made], given: Sequence[Given], n_jobs: int, stop: Stop) -> list[Made]:
    """``[make(item) for item in given]`` on ``n_jobs`` threads; an error or Ctrl-C stops the others.

    The kernels release the interpreter's lock, so that threads are enough.
    """
    if n_jobs == 1:
        return [make(item) for item in given]
    with ThreadPoolExecutor(n_jobs) as executor:
        futures = [executor.submit(make, item) for item in given]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stop.now()
            for future in futures:
                future.cancel()
            raise
