"""Losses of all classes at once, against scikit-learn: the table of ``python -m benchmarks multiclass``."""

from __future__ import annotations

import json as json_module
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.stored import Data, data_folder, mnist, news20, rcv1_classes
from benchmarks.instance import FloatArray
from benchmarks.limited import quiet, run_limited
from benchmarks.multiclass_instance import PEERS, MulticlassInstance, one_vs_rest
from fenchel import RelativeGap, Result, solve

__all__ = ["Entry", "Row", "compare_classes", "multiclass"]

DATA: dict[str, Callable[[Path], Data]] = {"news20": news20, "rcv1": rcv1_classes, "mnist": mnist}
TARGETS = (1e-3, 1e-6)
_PROVEN = 3e-7
"""The relative gap to which the optimum of the hinge is found first: peers are judged by what it proves."""
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
    something else: it is timed at its own default tolerance, and scored on the rows it was fitted to.
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
                table += compare_classes(f"{name} {kind} {strength:g}", instance, repeats, limit)
                if ovr:
                    for line in one_vs_rest(instance, limit):
                        console.print(f"{name} {kind} {strength:g}: {line}")
                if json is not None:
                    json.write_text(json_module.dumps([asdict(row) for row in table], indent=1) + "\n")
    _print(table, console)


def compare_classes(name: str, instance: MulticlassInstance, repeats: int, limit: float) -> list[Row]:
    """Measure ours and every peer of the loss at both targets, the repeats in turn."""
    with quiet():
        lower, proven = _lower_bound(instance, limit)
        rows = [Row(name, target, Entry("fenchel"), []) for target in TARGETS]
        for peer in PEERS[instance.loss]:
            for row, entry in zip(rows, _sweep(instance, peer, lower, proven, limit), strict=True):
                row.peers.append(entry)
        for row in rows:
            for turn in range(repeats):
                if turn == 0 or row.ours.median < _LONG:
                    _ours(instance, row.ours, row.target, limit)
                for entry in row.peers:
                    if turn > 0 and entry.median < _LONG and entry.tolerance is not None:
                        _theirs(instance, entry, lower, limit)
    return rows


def _lower_bound(instance: MulticlassInstance, limit: float) -> tuple[float, float]:
    """What a long run proves about the optimum, and the gap it leaves; a smooth loss needs none."""
    if instance.loss == "softmax":
        return -np.inf, 0.0
    certificate = _solve(instance, _PROVEN, limit).certificate
    return certificate.dual, certificate.relative_gap


def _solve(instance: MulticlassInstance, target: float, limit: float) -> Result:
    end = time.process_time() + limit
    return solve(
        instance.problem(), stopping=RelativeGap(target), callback=lambda _: time.process_time() > end
    )


def _ours(instance: MulticlassInstance, entry: Entry, target: float, limit: float) -> None:
    start = time.process_time()
    result = _solve(instance, target, limit)
    seconds = time.process_time() - start
    entry.gap = max(entry.gap, instance.problem().certify(result.w, result.u).relative_gap)
    if entry.gap > target:
        entry.failure = f"gap {entry.gap:.1e} at {seconds:.3g} s"
        entry.seconds.clear()
    else:
        entry.seconds.append(seconds)


def _sweep(instance: MulticlassInstance, peer: str, lower: float, proven: float, limit: float) -> list[Entry]:
    """Find the loosest tolerance for every target, decades by halves, and what it took."""
    entries = [Entry(peer) for _ in TARGETS]
    pending, step, last = list(zip(TARGETS, entries, strict=True)), 2, np.inf
    while pending and step <= 24:
        trial = Entry(peer, tolerance=10.0 ** (-step / 2))
        _theirs(instance, trial, lower, limit)
        if trial.failure:
            for target, entry in pending:
                judged = "" if proven <= target else f"; not judged below {proven:.1e}"
                entry.failure = f"best gap {last:.1e}, then {trial.failure}{judged}"
            break
        last = min(last, trial.gap)
        for target, entry in [(target, entry) for target, entry in pending if trial.gap <= target]:
            entry.seconds, entry.gap, entry.tolerance = list(trial.seconds), trial.gap, trial.tolerance
            pending.remove((target, entry))
        step += 2 if pending and trial.gap > _FAR * pending[0][0] else 1
    return entries


def _theirs(instance: MulticlassInstance, entry: Entry, lower: float, limit: float) -> None:
    def fit() -> tuple[float, float]:
        start = time.process_time()
        # The process is a fork of its own; the certificate afterwards is on its clock too.
        resource.setrlimit(resource.RLIMIT_CPU, (int(start + limit + 1), -1))
        w: FloatArray = instance.fit_peer(entry.name, entry.tolerance or 0.0)
        seconds = time.process_time() - start
        certificate = instance.problem().certify(w)
        return seconds, (certificate.primal - max(certificate.dual, lower)) / abs(certificate.primal)

    answer = run_limited(fit, _WAIT * limit)
    if isinstance(answer, str):
        entry.failure = f"over {limit:g} s" if answer == "crashed" else answer
        return
    entry.seconds.append(answer[0])
    entry.gap = max(entry.gap, answer[1])


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
