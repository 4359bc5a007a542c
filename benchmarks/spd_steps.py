"""Seconds of a step of SPD1-VR against the size of the data.

A step costs O(1), but its entries stand anywhere in the data, and a read that leaves a cache costs what the
memory takes. So the steps are timed twice: as they are, and by the same code on the same data with all draws
in a corner of about 300 rows and columns, which stays in a cache. The difference is the caches'; beside it
stands the time of a read at a random position of an array as large as the data.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table

from fenchel import SPD1VR, Problem, Start
from fenchel.losses import Logistic, Loss, SmoothedHinge
from fenchel.regularizers import Ridge

__all__ = ["steps_table"]

SIDES = (1000, 3000, 10_000)
STORED = (1_000_000, 3_000_000, 10_000_000)
PER_ROW = 100
CORNER = 300
REPEATS = 3


class CornerGenerator(np.random.Generator):
    """Random words of which both halves are small, so that the positions they choose come first."""

    halvings = 0

    def integers(self, *arguments: Any, **options: Any) -> Any:  # type: ignore[override]
        words = super().integers(*arguments, **options)
        half = (1 << (32 - self.halvings)) - 1
        return words & np.uint64(half << 32 | half)


@dataclass(frozen=True)
class Data:
    """A matrix and its labels."""

    name: str
    A: Any
    b: np.ndarray[Any, Any]

    @property
    def halvings(self) -> int:
        """How often the rows must be halved to make a corner of them."""
        return round(np.log2(len(self.b) / CORNER))

    def size(self, sampling: str) -> int:
        """The bytes that the entries of a step may be read from."""
        if isinstance(self.A, np.ndarray):
            return self.A.nbytes
        return 24 * self.A.nnz if sampling == "magnitude" else 2 * (self.A.data.nbytes + 4 * self.A.nnz)


def dense(side: int) -> Data:
    """A square Gaussian matrix in single precision."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((side, side), dtype=np.float32) / np.float32(np.sqrt(side))
    return Data(f"dense, n = d = {side}", A, np.where(rng.random(side) < 0.5, 1.0, -1.0))


def sparse(stored: int) -> Data:
    """Rows of 100 entries at random places, as many rows as columns."""
    rng = np.random.default_rng(0)
    side = stored // PER_ROW
    places = np.sort(rng.integers(side - PER_ROW, size=(side, PER_ROW)), axis=1) + np.arange(PER_ROW)
    values = rng.standard_normal(stored) / np.sqrt(PER_ROW)
    starts = np.arange(0, stored + 1, PER_ROW)
    A = sp.csr_array((values, places.ravel().astype(np.int32), starts), shape=(side, side))
    return Data(f"sparse, {stored:.0e} entries", A, np.where(rng.random(side) < 0.5, 1.0, -1.0))


def seconds(work: Callable[[], object]) -> float:
    """The median processor time of some calls."""
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def step_times(data: Data, loss: Loss, sampling: str) -> tuple[float, float]:
    """Nanoseconds of a step, everywhere and in the corner: a snapshot less its products, over its steps."""
    problem = Problem(data.A, data.b, loss, Ridge(1e-3))
    solver = SPD1VR(sampling=sampling)
    corner = CornerGenerator(np.random.PCG64(0))
    corner.halvings = data.halvings
    taken = []
    for rng in (np.random.default_rng(0), corner):
        state = solver.init(problem, Start(), rng)
        snapshot = seconds(lambda state=state: solver.run_snapshot(problem, state))  # type: ignore[misc]
        products = seconds(lambda state=state: (problem.scores(state.w), problem.correlation(state.u)))  # type: ignore[misc]
        taken.append((snapshot - products) / problem.design.n_entries * 1e9)
    return taken[0], taken[1]


def read_time(size: int) -> float:
    """Nanoseconds of a read at a random position of an array of so many bytes."""
    array = np.ones(size // 8)
    places = np.random.default_rng(0).integers(array.size, size=2_000_000)
    out = np.empty(places.size)
    return seconds(lambda: np.take(array, places, out=out)) / places.size * 1e9


def steps_table(console: Console) -> None:
    """Print the time of a step for growing dense and sparse data."""
    table = Table(title="SPD1-VR: nanoseconds of a step (three entries), and against the smallest data")
    for heading in ("data", "sampling", "MB", "a random read", "loss", "step", "", "in a corner", ""):
        table.add_column(heading)
    for make, sizes in ((dense, SIDES), (sparse, STORED)):
        first: dict[tuple[str, str], tuple[float, float]] = {}
        for size in sizes:
            data = make(size)
            for sampling in ("uniform",) if make is dense else ("uniform", "magnitude"):
                read = f"{read_time(data.size(sampling)):.1f}"
                for loss in (SmoothedHinge(), Logistic()):
                    step, corner = step_times(data, loss, sampling)
                    small = first.setdefault((sampling, loss.name), (step, corner))
                    table.add_row(
                        *(data.name, sampling, f"{data.size(sampling) / 1e6:.0f}", read, loss.name),
                        *(f"{step:.0f}", f"x {step / small[0]:.2f}"),
                        *(f"{corner:.0f}", f"x {corner / small[1]:.2f}"),
                    )
        table.add_section()
    console.print(table)
