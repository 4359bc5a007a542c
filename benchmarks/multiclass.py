"""Losses of all classes at once, against scikit-learn: the table of ``python -m benchmarks multiclass``."""

from __future__ import annotations

import json as json_module
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.stored import Data, data_folder, mnist, news20, rcv1_classes
from benchmarks.limited import quiet, run_limited
from benchmarks.multiclass_instance import MulticlassInstance
from benchmarks.one_vs_rest_instance import OneVsRestInstance

Instance = MulticlassInstance | OneVsRestInstance

__all__ = ["Entry", "Row", "compare_classes", "multiclass"]

DATA: dict[str, Callable[[Path], Data]] = {"news20": news20, "rcv1": rcv1_classes, "mnist": mnist}
TARGETS = (1e-3, 1e-6)
_FAR = 30.0
"""A gap this many times the target skips half a decade of tolerances."""
_LONG = 5.0
"""A fit of so many seconds is not repeated."""
_WAIT = 20.0
"""A fit is ended after so many times its CPU seconds by the wall clock too."""


@dataclass
class Entry:
    """The CPU seconds of one library to one target, or why there are none; ``gap`` is the worst one seen."""

    name: str
    seconds: list[float] = field(default_factory=list)
    gap: float = 0.0
    tolerance: float | None = None
    failure: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds) if self.seconds else float("inf")


@dataclass
class Row:
    """One problem at one target."""

    problem: str
    target: float
    ours: Entry
    peers: list[Entry]


def multiclass(
    dataset: Annotated[list[str] | None, typer.Option(help="news20, rcv1 or mnist; all by default.")] = None,
    loss: Annotated[list[str] | None, typer.Option(help="softmax or multiclass_hinge; else both.")] = None,
    l2: Annotated[list[float] | None, typer.Option(help="Strengths; 1e-4 and 1e-5 by default.")] = None,
    rows: Annotated[int, typer.Option(help="Use a random part of so many rows; 0 for all.")] = 0,
    repeats: Annotated[int, typer.Option(min=1, help="Timed fits, where one takes less than 5 s.")] = 3,
    limit: Annotated[float, typer.Option(help="CPU seconds after which a fit is ended.")] = 60.0,
    ovr: Annotated[bool, typer.Option(help="One-vs-rest as well.")] = True,
    data: Annotated[Path | None, typer.Option(help="Folder of the data; else FENCHEL_DATA.")] = None,
    json: Annotated[Path | None, typer.Option(help="File for every measured number.")] = None,
) -> None:
    """Time softmax and the multiclass hinge with l2 to the same recomputed relative gap, all in one run.

    The peers are scikit-learn's lbfgs and saga, and liblinear's Crammer-Singer, without intercept and on the
    same objective, each at the loosest of its tolerances that reaches the gap. One-vs-rest minimises
    something else, by liblinear and by ours: it is brought to the same relative gap of its own objective.
    """
    console, log = Console(width=None if Console().is_terminal else 200), Console(stderr=True)
    table: list[Row] = []
    for strength in l2 or (1e-4, 1e-5):
        for name in dataset or DATA:
            A, y = DATA[name](data_folder(data))
            if rows:
                chosen = np.random.default_rng(0).permutation(len(y))[:rows]
                A, y = A[chosen], y[chosen]
            for kind in loss or ("softmax", "multiclass_hinge"):
                instance = MulticlassInstance.of(A, y, kind, strength)
                log.print(f"{name} {kind} l2 = {strength:g} ...")
                compared = [instance, OneVsRestInstance(instance)] if ovr else [instance]
                table += compare_classes(f"{name} {kind} {strength:g}", compared, repeats, limit)
                if json is not None:
                    json.write_text(json_module.dumps([asdict(row) for row in table], indent=1) + "\n")
    _print(table, console)


def compare_classes(name: str, instances: Sequence[Instance], repeats: int, limit: float) -> list[Row]:
    """Measure ours and every peer of the instances at both targets, the repeats in turn.

    The fit of ours on the first instance is what all others are held against.
    """
    rows = [Row(name, target, Entry("fenchel"), []) for target in TARGETS]
    with quiet():
        fits: list[list[Fit]] = [[] for _ in TARGETS]
        for instance in instances:
            judge = Judge(instance, *instance.lower_bound(limit), limit)
            for peer in instance.peers:
                for fit, entry in zip(fits, _sweep(judge, peer), strict=True):
                    fit.append((judge, entry))
            for row, fit in zip(rows, fits, strict=True):
                fit.insert(0, (judge, row.ours if instance is instances[0] else Entry("fenchel_ovr")))
        for row, fit in zip(rows, fits, strict=True):
            row.peers = [entry for _, entry in fit if entry is not row.ours]
            for turn in range(repeats):
                _measure(fit, row.target, turn)
    return rows


def _measure(fits: list[Fit], target: float, turn: int) -> None:
    """One turn of a row; the first of the peers was the sweep."""
    for judge, entry in fits:
        ours = entry.name.startswith("fenchel")
        if turn > 0 and (entry.median >= _LONG or entry.failure):
            continue
        if ours:
            judge.ours(entry, target)
        elif turn > 0:
            judge.theirs(entry)


@dataclass(frozen=True)
class Judge:
    """An instance with what is proved about its optimum, and the gap that this leaves."""

    instance: Instance
    lower: float
    proven: float
    limit: float

    def ours(self, entry: Entry, target: float) -> None:
        """Time a fit of ours."""
        start = time.process_time()
        gap = self.instance.proven_gap(target, self.limit)
        self._enter(entry, time.process_time() - start, gap())
        if entry.gap > target:
            entry.failure = f"gap {entry.gap:.1e} at {entry.seconds.pop():.3g} s"

    def theirs(self, entry: Entry) -> None:
        """Time a fit of a peer."""

        def fit() -> tuple[float, float]:
            start = time.process_time()
            # The process is a fork of its own; the certificate afterwards is on its clock too.
            resource.setrlimit(resource.RLIMIT_CPU, (int(start + self.limit + 1), -1))
            w = self.instance.fit_peer(entry.name, entry.tolerance or 0.0)
            seconds = time.process_time() - start
            return seconds, self.instance.relative_gap(w, self.lower)

        answer = run_limited(fit, _WAIT * self.limit)
        if isinstance(answer, str):
            entry.failure = f"over {self.limit:g} s" if answer == "crashed" else answer
        else:
            self._enter(entry, *answer)

    @staticmethod
    def _enter(entry: Entry, seconds: float, gap: float) -> None:
        entry.seconds.append(seconds)
        entry.gap = max(entry.gap, gap)


Fit = tuple[Judge, Entry]


def _sweep(judge: Judge, peer: str) -> list[Entry]:
    """Find the loosest tolerance for every target, decades by halves, and what it took."""
    entries = [Entry(peer) for _ in TARGETS]
    pending, step, last = list(zip(TARGETS, entries, strict=True)), 2, np.inf
    while pending and step <= 24:
        trial = Entry(peer, tolerance=10.0 ** (-step / 2))
        judge.theirs(trial)
        if trial.failure:
            for target, entry in pending:
                judged = "" if judge.proven <= target else f"; not judged below {judge.proven:.1e}"
                entry.failure = f"best gap {last:.1e}, then {trial.failure}{judged}"
            break
        last = min(last, trial.gap)
        for target, entry in [(target, entry) for target, entry in pending if trial.gap <= target]:
            entry.seconds, entry.gap, entry.tolerance = list(trial.seconds), trial.gap, trial.tolerance
            pending.remove((target, entry))
        step += 2 if pending and trial.gap > _FAR * pending[0][0] else 1
    return entries


def _print(table: list[Row], console: Console) -> None:
    shown = Table(
        title="CPU seconds to the recomputed relative gap, one thread, medians; ratio: theirs / ours"
    )
    for heading in ("problem", "gap", "fenchel", "peers", "ratios"):
        shown.add_column(heading, no_wrap=heading != "peers")
    for row in table:
        ours = f"{row.ours.median:.3g}" if row.ours.seconds else row.ours.failure
        peers = [
            f"{peer.name} {peer.median:.3g}" if peer.seconds else f"{peer.name} ({peer.failure})"
            for peer in row.peers
        ]
        ratios = [f"{peer.median / row.ours.median:.2f}" if peer.seconds else "-" for peer in row.peers]
        shown.add_row(row.problem, f"{row.target:.0e}", ours, ", ".join(peers), ", ".join(ratios))
    console.print(shown)
