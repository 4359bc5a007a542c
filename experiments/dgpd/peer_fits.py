"""Fits of fenchel and of other libraries as functions of an effort, each with a clock of CPU seconds."""

from __future__ import annotations

import math
import resource
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks.instance import Instance
from benchmarks.limited import describe, quiet, run_limited
from benchmarks.peers import Peer
from fenchel import Problem, RelativeGap, solve

__all__ = ["Fit", "OurFit", "TheirFit", "warm_up"]

FloatArray = npt.NDArray[np.float64]

SHORT = 0.1
PATIENCE = 30.0
"""Seconds of wall time for one of CPU time, where a machine is shared."""


@dataclass
class Fit(ABC):
    """A fit with the tolerance ``0.1 / effort^2``; ``clock`` tells the CPU seconds of all fits so far."""

    spent: float = field(default=0.0, init=False)
    last: FloatArray | None = field(default=None, init=False)

    def __call__(self, effort: int) -> FloatArray:
        w, seconds = self._timed(0.1 / effort**2)
        self.spent += seconds
        self.last = w
        return w

    def clock(self) -> float:
        return self.spent

    @abstractmethod
    def _timed(self, tolerance: float) -> tuple[FloatArray, float]:
        """Return the coefficients and the CPU seconds."""


@dataclass
class OurFit(Fit):
    """A solver of fenchel, ended by its certificate or after ``limit`` CPU seconds."""

    problem: Problem
    solver: str
    limit: float

    def _timed(self, tolerance: float) -> tuple[FloatArray, float]:
        began = time.process_time()
        result = solve(
            self.problem,
            self.solver,
            stopping=RelativeGap(tolerance),
            callback=lambda _: time.process_time() - began >= self.limit,
        )
        return np.asarray(result.w), time.process_time() - began


@dataclass
class TheirFit(Fit):
    """A fit of another library in a copy of this process, which is ended after ``limit`` CPU seconds.

    A fit that was ended counts with the limit, and leaves the coefficients of the fit before.
    """

    peer: Peer
    instance: Instance
    limit: float

    def _timed(self, tolerance: float) -> tuple[FloatArray, float]:
        fit = partial(_answer, self.peer, self.instance, tolerance, math.ceil(self.limit))
        answer = run_limited(fit, PATIENCE * self.limit)
        if not isinstance(answer, str):
            return answer
        # The system ends a process at its limit without an answer.
        if answer != "crashed" and not answer.startswith("over"):
            raise RuntimeError(answer)
        return np.zeros(self.instance.A.shape[1]) if self.last is None else self.last, self.limit


def _answer(peer: Peer, instance: Instance, tolerance: float, limit: int) -> tuple[FloatArray, float]:
    """Fit, and when that is short again: the first touch of the copied memory is not the library's work.

    With a limit the clock of the process moves in ticks, that of the thread does not; no peer uses two.
    """
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    seconds = 0.0
    for _ in range(2):
        began = time.thread_time()
        w = peer.fit(instance, tolerance)
        seconds = time.thread_time() - began
        if seconds > SHORT:
            break
    return w, seconds


def warm_up(peer: Peer, instance: Instance) -> str | None:
    """Fit a few rows, so that all that compiles has; return the error, if any."""
    try:
        with quiet():
            peer.fit(instance.sample(), 1e-6 if peer.compiles else 0.1)
    except Exception as error:
        return describe(error)
    return None
