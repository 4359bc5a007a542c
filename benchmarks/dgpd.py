"""Entries of A that the active-set solver, coordinate descent and SDCA read to a gap, on dense random data.

The first seven rows have the shapes, losses and penalties of a table that was measured with prototypes
(two of its columns are printed beside ours: AS+, active sets that double, and WS, working sets of
columns), and data drawn so that about as many rows and columns are active. The other rows are harder:
more columns are active than the labels were made from.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.instance import FloatArray
from fenchel import MaxPasses, Problem, RelativeGap, Result, solve
from fenchel.losses import Logistic, Loss, SmoothedHinge
from fenchel.regularizers import ElasticNet
from fenchel.solvers.selection import choose_side

__all__ = ["compare_active_sets"]

GAPS = (1e-2, 1e-4, 1e-6)
SOLVERS = ("dgpd_plus", "primal_cd", "sdca", "switch")


@dataclass(frozen=True)
class Data:
    """Gaussian rows of standard deviation ``scale``; labels from ``planted`` features.

    With ``margin`` every row is moved away from the separating plane by so many standard deviations
    of its score; ``correlation`` is that of neighbouring columns.
    """

    n_samples: int
    n_features: int
    planted: int
    scale: float
    margin: float = 0.0
    correlation: float = 0.0

    def draw(self) -> tuple[FloatArray, FloatArray]:
        rng = np.random.default_rng(0)
        A = rng.standard_normal((self.n_samples, self.n_features))
        for j in range(1, self.n_features if self.correlation else 0):
            A[:, j] = self.correlation * A[:, j - 1] + np.sqrt(1 - self.correlation**2) * A[:, j]
        direction = np.zeros(self.n_features)
        chosen = rng.choice(self.n_features, self.planted, replace=False)
        drawn = rng.choice([-1.0, 1.0], self.planted) if self.margin else rng.standard_normal(self.planted)
        direction[chosen] = drawn / np.linalg.norm(drawn)
        b = np.where(A @ direction >= 0, 1.0, -1.0)
        A += self.margin * np.outer(b, direction)
        return self.scale * A, b


@dataclass(frozen=True)
class Case:
    """One row: the data, the problem, and what the prototypes needed (empty where not measured)."""

    data: Data
    l1: float
    l2: float
    loss: Loss
    active: str = ""
    doubling: str = ""
    working_sets: str = ""

    @property
    def name(self) -> str:
        kind = "correlated" if self.data.correlation else "margin" if self.data.margin else "gaussian"
        size = f"{self.data.n_samples}x{self.data.n_features} {kind}"
        return f"{size} {self.loss.name} l1={self.l1:g} l2={self.l2:g}"


HINGE = SmoothedHinge()
CASES = (
    Case(Data(800, 2000, 40, 0.35), 0.03, 0.01, HINGE, "787, 18", "11.7, 11.7, 12.8", "3.2, 3.2, 3.2"),
    Case(
        Data(800, 2000, 30, 0.3, correlation=0.5),
        0.03, 0.01, HINGE, "", "12.9, 12.9, 12.9", "4.3, 4.3, 4.3",
    ),
    Case(Data(800, 2000, 5, 0.25), 0.1, 0.1, HINGE, "800, 1", "7.6, 7.6, 7.6", "1.0, 1.0, 1.0"),
    Case(Data(800, 2000, 40, 0.35), 0.03, 0.01, Logistic(), "800, -", "2.1, 3.2, 3.2", "2.1, 2.3, 2.3"),
    Case(
        Data(4000, 1000, 20, 1.4, margin=1.0),
        0.002, 0.001, HINGE, "451, 20", "1.9, 2.0, 2.7", "6.7, 14.1, 21.1",
    ),
    Case(
        Data(4000, 1000, 20, 1.4, margin=1.0),
        0.01, 0.01, HINGE, "1022, -", "1.5, 1.8, 1.8", "3.3, 7.4, 9.4",
    ),
    Case(
        Data(2000, 4000, 10, 1.75, margin=1.0),
        0.005, 0.005, HINGE, "270, -", "2.6, 2.9, 3.0", "3.1, 8.7, 10.7",
    ),
    Case(Data(4000, 1000, 5, 1.0), 0.002, 0.001, HINGE),
    Case(Data(4000, 1000, 5, 1.0), 0.01, 0.01, HINGE),
    Case(Data(2000, 4000, 5, 1.0), 0.005, 0.005, HINGE),
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What one solver needed: passes to each gap, seconds to the last, and the result."""

    passes: tuple[float, ...]
    seconds: float
    result: Result

    @property
    def cells(self) -> tuple[str, str]:
        reached = np.isfinite(self.passes[-1])
        passes = ", ".join(f"{value:.2f}" if np.isfinite(value) else "-" for value in self.passes)
        return passes, f"{self.seconds:.3f}" if reached else f"> {self.seconds:.3f}"


def _run(problem: Problem, name: str, limit: float) -> Run:
    """Solve until the smallest gap; the switch pays for its look at the rows."""
    began, entries = time.perf_counter(), 0
    solver: object = name
    if name == "switch":
        choice = choose_side(problem)
        solver, entries = choice.solver, choice.entries
    result = solve(
        problem,
        solver,  # type: ignore[arg-type]
        stopping=RelativeGap(0.0) | MaxPasses(limit),
        callback=lambda progress: progress.certificate.gap <= GAPS[-1],
    )
    seconds = time.perf_counter() - began
    return Run(tuple(_passes_to(problem, result, entries)), seconds, result)


def _passes_to(problem: Problem, result: Result, entries: int) -> Iterator[float]:
    for gap in GAPS:
        reached = [record.entries_read for record in result.trace if record.certificate.gap <= gap]
        yield (reached[0] + entries) / problem.design.n_entries if reached else np.inf


def compare_active_sets(console: Console, limit: float) -> None:
    """Print, for every problem and solver, the passes to gaps of 1e-2, 1e-4, 1e-6 and the seconds."""
    table = Table(title="Entries of A read / (n d) to a gap of 1e-2, 1e-4, 1e-6")
    for heading in ("problem", "active rows, columns", "solver", "passes", "seconds", "prototypes' passes"):
        table.add_column(heading)
    for case in CASES:
        A, b = case.data.draw()
        problem = Problem(A, b, case.loss, ElasticNet(case.l1, case.l2))
        # The first product of a process also loads the linear algebra.
        problem.scores(np.zeros(problem.n_coordinates))
        runs = {name: _run(problem, name, limit) for name in SOLVERS}
        best = min(runs.values(), key=lambda run: run.passes[-1]).result
        ours = f"{np.count_nonzero(problem.dual_point(best.w))}, {np.count_nonzero(best.w)}"
        beside = {
            "dgpd_plus": case.doubling and f"{case.doubling} (AS+)",
            "primal_cd": case.working_sets and f"{case.working_sets} (WS)",
        }
        names = (case.name, f"{ours} (was {case.active})" if case.active else ours)
        for name, run in runs.items():
            label = f"switch: {run.result.solver}" if name == "switch" else name
            table.add_row(
                *(names if name == "dgpd_plus" else ("", "")), label, *run.cells, beside.get(name, "")
            )
        table.add_section()
    console.print(table)
