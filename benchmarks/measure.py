"""The comparison of one problem: find each peer's tolerance, then time all in turn."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from benchmarks.instance import Instance
from benchmarks.judge import Judge
from benchmarks.limited import describe, quiet, run_limited
from benchmarks.peers import Peer
from fenchel import RelativeGap, TimeLimit, solve

__all__ = ["Row", "Settings", "Timing", "compare", "sweep", "timed", "warm_up"]

TOLERANCES = tuple(float(10.0 ** (-k / 2)) for k in range(2, 25))
"""From 1e-1 to 1e-12 by half decades: no peer overshoots a target by more than its last half decade."""

SHORTEST = 0.02
"""Fits are repeated until this many seconds are on the clock."""


@dataclass(frozen=True)
class Settings:
    """How to measure.

    ``peer_limit`` is the wall time in seconds after which a fit is ended and the peer's sweep with it.
    """

    targets: tuple[float, ...] = (1e-3, 1e-6)
    repeats: int = 3
    peer_limit: float = 30.0
    solver: str = "auto"


@dataclass
class Timing:
    """The measured fits of one library, or why there are none.

    ``seconds`` are process CPU seconds, one a repeat: with one thread they are the seconds of an idle
    machine. ``relative_gap`` is the largest over the repeats, recomputed after the clock stopped.
    """

    name: str
    tolerance: float | None = None
    seconds: list[float] = field(default_factory=list)
    relative_gap: float = 0.0
    failure: str | None = None

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


def compare(name: str, instance: Instance, peers: Sequence[Peer], settings: Settings) -> list[Row]:
    """Measure fenchel and the peers on one problem at every target."""
    with quiet():
        judge = Judge.of(instance)
        first_calls, broken = warm_up(instance, peers)
        timings: dict[str, list[Timing]] = {}
        for peer in peers:
            refusal = peer.refusal(instance) or broken.get(peer.name)
            timings[peer.name] = (
                [Timing(peer.name, failure=refusal) for _ in settings.targets]
                if refusal
                else sweep(peer, instance, judge, settings)
            )
        rows = []
        for k, target in enumerate(settings.targets):
            row = Row(
                name,
                target,
                Timing("fenchel", target),
                [timings[peer.name][k] for peer in peers],
                first_calls,
                judge.lower_bound_gap,
            )
            _time_in_turn(row, instance, peers, judge, settings)
            rows.append(row)
    return rows


def warm_up(instance: Instance, peers: Sequence[Peer]) -> tuple[dict[str, float], dict[str, str]]:
    """Fit a few rows with every library; return the seconds of those that compile, and the errors."""
    sample, seconds, errors = instance.sample(), {}, {}
    solve(sample.fenchel_problem(), stopping=RelativeGap(0.1) | TimeLimit(5.0))
    for peer in peers:
        if peer.refusal(instance) is not None:
            continue
        start = time.perf_counter()
        try:
            # At a loose tolerance zero is a solution, and the inner loop would not be compiled.
            peer.fit(sample, 1e-6 if peer.compiles else 0.1)
        except Exception as error:
            errors[peer.name] = describe(error)
        if peer.compiles:
            seconds[peer.name] = time.perf_counter() - start
    return seconds, errors


def sweep(peer: Peer, instance: Instance, judge: Judge, settings: Settings) -> list[Timing]:
    """Find for every target the loosest tolerance at which the recomputed gap meets it."""
    getattr(instance, peer.layout)
    timings = {target: Timing(peer.name, failure=judge.refusal(target)) for target in settings.targets}
    pending = {target: timing for target, timing in timings.items() if timing.failure is None}
    smallest, ended = float("inf"), ""
    for tolerance in TOLERANCES:
        if not pending or ended:
            break
        gap = run_limited(partial(_gap_at, peer, instance, judge, tolerance), settings.peer_limit)
        if isinstance(gap, str):
            ended = gap
            continue
        smallest = min(smallest, gap)
        for target in [target for target in pending if gap <= target]:
            pending.pop(target).tolerance = tolerance
    for timing in pending.values():
        timing.failure = f"best gap {smallest:.1e}" if smallest < float("inf") else "no fit"
        timing.failure += f", then {ended}" if ended else ""
    return list(timings.values())


def _gap_at(peer: Peer, instance: Instance, judge: Judge, tolerance: float) -> float:
    return judge.relative_gap(peer.fit(instance, tolerance))


def _time_in_turn(
    row: Row, instance: Instance, peers: Sequence[Peer], judge: Judge, settings: Settings
) -> None:
    """Time fenchel and every peer that can reach the target, one fit each in turn, several rounds."""

    def ours() -> None:
        stopping = RelativeGap(row.target) | TimeLimit(settings.peer_limit)
        timed(
            row.fenchel,
            lambda: solve(instance.fenchel_problem(), settings.solver, stopping=stopping),
            judge.proven_gap,
        )

    def theirs(peer: Peer, timing: Timing) -> None:
        timed(timing, lambda: peer.fit(instance, timing.tolerance or 0.0), judge.relative_gap)

    contenders: list[Callable[[], None]] = [ours]
    for peer, timing in zip(peers, row.peers, strict=True):
        if timing.tolerance is not None:
            contenders.append(partial(theirs, peer, timing))
    for turn in range(settings.repeats):
        shift = turn % len(contenders)
        for contender in contenders[shift:] + contenders[:shift]:
            contender()
    for timing in (row.fenchel, *row.peers):
        if timing.seconds and timing.relative_gap > row.target:
            timing.failure, timing.seconds = f"gap {timing.relative_gap:.1e}", []


def timed(timing: Timing, fit: Callable[[], object], gap: Callable[..., float]) -> None:
    """Put one fit on the clock, the mean of several when it is short; recompute its gap off the clock."""
    gc.collect()
    fits, start = 0, time.process_time()
    while fits == 0 or time.process_time() - start < SHORTEST:
        solution = fit()
        fits += 1
    timing.seconds.append((time.process_time() - start) / fits)
    timing.relative_gap = max(timing.relative_gap, gap(solution))
