"""The search for the loosest tolerance at which a peer meets each target."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

from benchmarks.instance import Instance
from benchmarks.judge import Judge
from benchmarks.limited import describe, run_limited
from benchmarks.measure import Settings, Timing
from benchmarks.peers import Peer
from fenchel import RelativeGap, TimeLimit, solve

__all__ = ["sweep", "warm_up"]

TOLERANCES = tuple(float(10.0 ** (-k / 2)) for k in range(2, 25))
"""From 1e-1 to 1e-12 by half decades: no peer overshoots a target by more than its last half decade."""

PATIENCE, LEAST = 3.0, 0.15
"""A fit of a peer is ended after so many times the seconds of the best peer so far, but not before some."""


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


def sweep(
    peer: Peer, instance: Instance, judge: Judge, settings: Settings, best: float = float("inf")
) -> list[Timing]:
    """Find for every target the loosest tolerance at which the recomputed gap meets it.

    The tolerance falls by decades, and where one meets a target the half decade before it is tried too.
    ``best`` are the seconds in which another peer reached the
    smallest target: a fit of more than three times as many cannot be the best at any target, and ends.
    """
    getattr(instance, peer.layout)
    limit = min(settings.peer_limit, max(LEAST, PATIENCE * best))
    timings = [Timing(peer.name, failure=judge.refusal(target)) for target in settings.targets]
    pending = [
        (target, timing)
        for target, timing in zip(settings.targets, timings, strict=True)
        if timing.failure is None
    ]
    fit_at = partial(_fit_at, peer, instance, judge, settings.conversion)
    smallest, ended = float("inf"), ""
    for k in range(0, len(TOLERANCES), 2):
        fit = run_limited(partial(fit_at, TOLERANCES[k]), limit)
        if isinstance(fit, str):
            ended = fit
            break
        smallest = min(smallest, fit[0])
        met = [pair for pair in pending if fit[0] <= pair[0]]
        if met:
            looser = run_limited(partial(fit_at, TOLERANCES[k - 1]), limit) if k else ""
            for target, timing in met:
                use_looser = not isinstance(looser, str) and looser[0] <= target
                timing.tolerance = TOLERANCES[k - 1] if use_looser else TOLERANCES[k]
                timing.searched = (looser if use_looser else fit)[1]
            pending = [pair for pair in pending if pair not in met]
        if not pending:
            break
    for _, timing in pending:
        timing.failure = f"best gap {smallest:.1e}" if smallest < float("inf") else "no fit"
        timing.failure += f", then {ended}" if ended else ""
    return timings


def _fit_at(
    peer: Peer, instance: Instance, judge: Judge, conversion: bool, tolerance: float
) -> tuple[float, float]:
    """The recomputed gap of one fit, and its CPU seconds."""
    handed = instance.handed(conversion)
    start = time.process_time()
    w = peer.fit(handed, tolerance)
    seconds = time.process_time() - start
    return judge.relative_gap(w), seconds
