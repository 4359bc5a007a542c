"""What a pass over the data costs the stochastic methods, beside the printed table of the SPD1 paper.

One pass is as many entries read as are stored; everything counts its entries by the same rule, a row's
once a visit. The passes of SVRG and SPD1-VR are of two kinds: steps, and a snapshot that reads A twice by
plain products; "svrg steps" and "spd1_vr steps" are what remains when the products are timed apart.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.datasets.stored import Data, colon, data_folder, gisette_like, rcv1_binary
from fenchel import PSGD, SAGA, SPD1, SPD1VR, SVRG, Problem, Start
from fenchel.losses import Logistic, SquaredHinge
from fenchel.regularizers import Ridge

__all__ = ["passes_table"]

SHORTEST = 0.05
"""Epochs are repeated until this many seconds are on the clock."""
SOLVERS = (SVRG(), SAGA(), PSGD(), SPD1(), SPD1VR())


@dataclass(frozen=True)
class Case:
    """A data set, the l2 strength of the paper, and the seconds a pass that its Table 2 prints."""

    name: str
    load: Callable[[Path], Data]
    l2: float
    printed: dict[str, float]


CASES = (
    Case("colon", colon, 1.0, {"svrg": 0.006, "psgd": 0.006, "spd1": 0.012}),
    Case("gisette_like", gisette_like, 1e-2, {"svrg": 1.37, "psgd": 1.07, "spd1": 2.70}),
    Case("rcv1_topics", rcv1_binary, 1e-3, {"svrg": 45.1, "psgd": 34.8, "spd1": 128.4}),
)


@dataclass
class Clock:
    """CPU seconds an entry of one method, one number a repeat."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def time(self, work: Callable[[], int]) -> None:
        """Repeat ``work``, which returns the entries that it has read."""
        begun, entries = time.process_time(), 0
        while (seconds := time.process_time() - begun) < SHORTEST:
            entries += work()
        self.seconds.append(seconds / entries)


def _epoch(problem: Problem, solver: Any) -> Callable[[], int]:
    state = solver.init(problem, Start(), np.random.default_rng(0))

    def work() -> int:
        begun = state.entries_read
        solver.run_epoch(problem, state)
        return int(state.entries_read - begun)

    return work


def _products(problem: Problem) -> Callable[[], int]:
    # No zeros: a product skips what they would multiply.
    w = np.random.default_rng(0).standard_normal(problem.n_coordinates)

    def work() -> int:
        problem.correlation(problem.scores(w))
        return 2 * problem.design.n_entries

    return work


def _measure(problem: Problem, repeats: int) -> dict[str, float]:
    """Seconds an entry of every method, measured in turn."""
    work = {solver.name: _epoch(problem, solver) for solver in SOLVERS}
    work["products"] = _products(problem)
    clocks = {name: Clock() for name in work}
    for once in work.values():
        once()
    for _ in range(repeats):
        for name, clock in clocks.items():
            clock.time(work[name])
    medians = {name: clock.median for name, clock in clocks.items()}
    # The steps of an epoch are one pass of three, and three of five; the other two are the products.
    medians["svrg steps"] = 3.0 * medians["svrg"] - 2.0 * medians["products"]
    medians["spd1_vr steps"] = (5.0 * medians["spd1_vr"] - 2.0 * medians["products"]) / 3.0
    return medians


def _rows(case: Case, problem: Problem, medians: dict[str, float]) -> Iterator[tuple[str, ...]]:
    for name, seconds in medians.items():
        printed = case.printed.get(name)
        yield (
            f"{case.name}, {problem.loss.name}" if name == "svrg" else "",
            name,
            f"{seconds * problem.design.n_entries:.3g}",
            f"{1e9 * seconds:.2f}",
            f"{seconds / medians['svrg steps']:.2f}",
            "" if printed is None else f"{printed:g}",
            "" if printed is None else f"{printed / case.printed['svrg']:.2f}",
        )


def passes_table(console: Console, repeats: int = 5, folder: Path | None = None) -> None:
    """Print seconds a pass and nanoseconds an entry read, and their ratios to the steps of SVRG."""
    table = Table(title="CPU seconds a pass, one thread, medians; the paper's l2")
    for heading in (
        "data",
        "method",
        "s a pass",
        "ns an entry",
        "over svrg steps",
        "paper, s a pass",
        "over its svrg",
    ):
        table.add_column(heading, no_wrap=True)
    for case in CASES:
        try:
            A, b = case.load(data_folder(folder))
        except FileNotFoundError as error:
            console.print(f"{case.name} is skipped: {error.filename} is absent. Use --data or FENCHEL_DATA.")
            continue
        for loss in (SquaredHinge(), Logistic()):
            problem = Problem(A, b, loss, Ridge(case.l2))
            for row in _rows(case, problem, _measure(problem, repeats)):
                table.add_row(*row)
            table.add_section()
    console.print(table)
