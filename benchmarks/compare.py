"""The comparison of one problem: find each peer's tolerance, then time all in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.instance import Instance
from benchmarks.judge import Judge
from benchmarks.limited import cpu_limit, quiet
from benchmarks.measure import Row, Settings, Timing, timed
from benchmarks.peers import Peer
from benchmarks.sweep import sweep, warm_up
from fenchel import RelativeGap, Result, solve

__all__ = ["compare"]

CLOSE, SHORT = 2.0, 0.05
"""Peers within twice the seconds of the best are timed in turn, and all whose fits are short."""

LONG_RUN = 5.0
"""Times the limit of a fit: CPU seconds for the lower bound that judges where the loss has kinks."""


def compare(name: str, instance: Instance, peers: Sequence[Peer], settings: Settings) -> list[Row]:
    """Measure fenchel and the peers on one problem at every target."""
    with quiet():
        judge = Judge.of(
            instance, 0.01 * min(settings.targets), settings.judge, LONG_RUN * settings.peer_limit
        )
        first_calls, broken = warm_up(instance, peers)
        swept: list[list[Timing]] = []
        best = float("inf")
        for peer in peers:
            refusal = peer.refusal(instance) or broken.get(peer.name)
            if refusal:
                swept.append([Timing(peer.name, failure=refusal) for _ in settings.targets])
                continue
            swept.append(sweep(peer, instance, judge, settings, best))
            best = min(best, swept[-1][-1].searched or best)
        rows = []
        for k, target in enumerate(settings.targets):
            timings = [found[k] for found in swept]
            ours = Timing("fenchel", target)
            row = Row(name, target, ours, timings, first_calls, judge.lower_bound_gap, instance.family)
            _time_in_turn(row, instance, peers, judge, settings)
            rows.append(row)
    return rows


def _time_in_turn(
    row: Row, instance: Instance, peers: Sequence[Peer], judge: Judge, settings: Settings
) -> None:
    """Time fenchel and the peers that can be the best, one fit each in turn, several rounds.

    Those that took far more than the best in their sweep keep the seconds of that one fit.
    """

    def our_fit() -> Result:
        problem = instance.handed(settings.conversion).fenchel_problem(settings.conversion)
        ended = cpu_limit(settings.peer_limit)
        return solve(problem, settings.solver, stopping=RelativeGap(row.target), callback=ended)

    def their_fit(peer: Peer, timing: Timing) -> object:
        return peer.fit(instance.handed(settings.conversion), timing.tolerance or 0.0)

    contenders: list[tuple[Timing, Callable[[], None]]] = [
        (row.fenchel, partial(timed, row.fenchel, our_fit, judge.proven_gap))
    ]
    searched = [(timing.searched, timing, peer) for peer, timing in zip(peers, row.peers, strict=True)]
    found = [(seconds, timing, peer) for seconds, timing, peer in searched if seconds is not None]
    close = max(SHORT, CLOSE * min((seconds for seconds, _, _ in found), default=0.0))
    for seconds, timing, peer in found:
        if seconds > close:
            timing.seconds = [seconds]
            continue
        fit = partial(their_fit, peer, timing)
        contenders.append((timing, partial(timed, timing, fit, judge.relative_gap)))
    for turn in range(settings.repeats):
        shift = turn % len(contenders)
        for timing, run in contenders[shift:] + contenders[:shift]:
            if timing.failure is None:
                run()
                if timing.relative_gap > row.target:
                    timing.failure, timing.seconds = f"gap {timing.relative_gap:.1e}", []
