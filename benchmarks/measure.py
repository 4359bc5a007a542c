"""What is measured: the fits of one library on the clock, and the row that they make with the others."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Row", "Settings", "Timing", "timed"]

SHORTEST = 0.02
"""Fits are repeated until this many seconds are on the clock."""


@dataclass(frozen=True)
class Settings:
    """How to measure.

    ``peer_limit`` is the CPU time in seconds after which a fit is ended and the peer's sweep with it.
    ``judge`` is what a peer has to reach: the ``"gap"`` of the dual point at its coefficients, or that
    distance to the ``"optimum"``, which fenchel knows from a long run, and a peer need not prove.
    With ``conversion`` every library gets the matrix by rows, and converts it on the clock.
    """

    targets: tuple[float, ...] = (1e-3, 1e-6)
    repeats: int = 3
    peer_limit: float = 30.0
    solver: str = "auto"
    judge: str = "gap"
    conversion: bool = False


@dataclass
class Timing:
    """The measured fits of one library, or why there are none.

    ``seconds`` are process CPU seconds, one a repeat: with one thread they are the seconds of an idle
    machine. ``relative_gap`` is the largest over the repeats, recomputed after the clock stopped.
    ``searched`` are those of the one fit by which the tolerance was found.
    """

    name: str
    tolerance: float | None = None
    seconds: list[float] = field(default_factory=list)
    relative_gap: float = 0.0
    failure: str | None = None
    searched: float | None = None

    @property
    def median(self) -> float:
        """The median of the repeats; infinite when there are none."""
        return statistics.median(self.seconds) if self.seconds else float("inf")


@dataclass
class Row:
    """One problem at one target."""

    problem: str
    target: float
    fenchel: Timing
    peers: list[Timing]
    first_calls: dict[str, float]
    lower_bound_gap: float
    family: str = ""

    @property
    def best_peer(self) -> Timing | None:
        """The peer with the smallest median; None when no peer reached the target."""
        reached = [peer for peer in self.peers if peer.seconds]
        return min(reached, key=lambda peer: peer.median, default=None)

    @property
    def ratio(self) -> float | None:
        """The seconds of the best peer over ours; None where one of the two is missing."""
        best = self.best_peer
        return None if best is None or not self.fenchel.seconds else best.median / self.fenchel.median


def timed(timing: Timing, fit: Callable[[], object], gap: Callable[..., float]) -> None:
    """Put one fit on the clock, the mean of several when it is short; recompute its gap off the clock."""
    gc.collect()
    fits, start = 0, time.process_time()
    while fits == 0 or time.process_time() - start < SHORTEST:
        solution = fit()
        fits += 1
    timing.seconds.append((time.process_time() - start) / fits)
    timing.relative_gap = max(timing.relative_gap, gap(solution))
