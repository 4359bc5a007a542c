"""What a pass of dual ascent costs as the columns grow, and how fast its forms raise the dual value."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

import numpy as np
import scipy.sparse as sp
import typer
from rich.console import Console
from rich.table import Table

from fenchel import AcceleratedDualAscent, DualAscent, MaxPasses, Problem, Start, solve
from fenchel.losses import EqualityConstraint, IntervalConstraint, Loss, MarginConstraint, SquaredDistance
from fenchel.regularizers import Regularizer, RelativeEntropy, Ridge, SquaredLp

__all__ = ["InterpolationTables", "interpolation"]

ROWS, PER_ROW = 2_000, 50
COLUMNS = (2_000, 8_000, 32_000, 128_000)
EPOCHS = 15
REFERENCE = 4_000
"""Passes of the run that stands for the optimum."""
DIGITS = (1e-2, 1e-4, 1e-6, 1e-9)


def sparse_margins(d: int) -> tuple[sp.csr_array, np.ndarray]:
    """Rows with a fixed number of entries at random places, and labels of a sparse linear model."""
    rng = np.random.default_rng(0)
    places = np.stack([rng.choice(d, size=PER_ROW, replace=False) for _ in range(ROWS)])
    starts = np.arange(0, ROWS * PER_ROW + 1, PER_ROW)
    values = rng.standard_normal(ROWS * PER_ROW)
    A = sp.csr_array((values, places.ravel().astype(np.int32), starts), shape=(ROWS, d))
    return A, np.where(A @ rng.standard_normal(d) > 0, 1.0, -1.0)


def pass_time(problem: Problem, solver: Any) -> float:
    """The median CPU milliseconds of a pass, over the epochs after the first."""
    state, taken = solver.init(problem, Start(), np.random.default_rng(0)), []
    for _ in range(EPOCHS):
        before, began = state.entries_read, time.process_time()
        solver.run_epoch(problem, state)
        passes = (state.entries_read - before) / problem.design.n_entries
        taken.append(1e3 * (time.process_time() - began) / passes)
    return float(np.median(taken[1:]))


def columns_table(console: Console) -> None:
    """CPU milliseconds of a pass over a fixed number of entries, against the number of columns."""
    cases: dict[str, tuple[Regularizer, Any]] = {
        "p = 2": (SquaredLp(2.0), DualAscent()),
        "p = 2, accelerated": (SquaredLp(2.0), AcceleratedDualAscent()),
        "p = 1.5": (SquaredLp(1.5), DualAscent()),
        "p = 1.1": (SquaredLp(1.1), DualAscent()),
        "p = 1.1, plain": (SquaredLp(1.1), DualAscent(newton_trials=0)),
        "entropy, slack": (RelativeEntropy(), DualAscent()),
    }
    table = Table(title=f"CPU ms of a pass: {ROWS} rows of {PER_ROW} entries")
    for heading in ("", *(f"d = {d:,}" for d in COLUMNS), "exponent in d"):
        table.add_column(heading, justify="right" if heading else "left")
    data = [sparse_margins(d) for d in COLUMNS]
    for name, (g, solver) in cases.items():
        loss: Loss = MarginConstraint()
        loss = SquaredDistance(loss, strength=ROWS) if isinstance(g, RelativeEntropy) else loss
        taken = [pass_time(Problem(A, b, loss, g), solver) for A, b in data]
        exponent = np.polyfit(np.log(COLUMNS), np.log(taken), 1)[0]
        table.add_row(name, *(f"{milliseconds:.2f}" for milliseconds in taken), f"{exponent:.3f}")
    console.print(table)


def decaying(n: int, d: int, power: float) -> np.ndarray:
    """Gaussian rows whose variances are ``i ** -power``."""
    return np.random.default_rng(0).normal(size=(n, d)) * np.arange(1.0, d + 1.0) ** (-0.5 * power)


def problems() -> dict[str, Problem]:
    """Points, half-lines and intervals; easy and hard; with slack and without."""
    rng = np.random.default_rng(1)
    A, X, S = decaying(500, 1000, 0.0), decaying(400, 800, 1.5), sparse_margins(8_000)[0]
    y, w = np.sign(X @ rng.normal(size=800)), rng.normal(size=800)
    margins, ridge = MarginConstraint(), Ridge(1.0)
    return {
        "points, isotropic": Problem(A, rng.normal(size=500), EqualityConstraint(), ridge),
        "points, nearly square": Problem(A[:, :600], rng.normal(size=500), EqualityConstraint(), ridge),
        "margins, sparse": Problem(S, np.sign(rng.normal(size=ROWS)), margins, ridge),
        "margins, decaying": Problem(X, y, margins, ridge),
        "intervals, decaying": Problem(X, X @ w, IntervalConstraint(0.1), ridge),
        "little slack": Problem(X, y, SquaredDistance(margins, 100.0 * 400), ridge),
        "some slack": Problem(X, y, SquaredDistance(margins, 400.0), ridge),
        "much slack": Problem(X, y, SquaredDistance(margins, 0.01 * 400), ridge),
        "margins, p = 1.5": Problem(X[:200, :400], y[:200], margins, SquaredLp(1.5)),
        "margins, p = 1.15": Problem(X[:200, :400], y[:200], margins, SquaredLp(1.15)),
    }


def passes_table(console: Console) -> None:
    """Passes until the dual value is within a share of that of a long run, and CPU seconds of 400 passes."""
    solvers = (DualAscent(newton_trials=0, rescaling=False), DualAscent(), AcceleratedDualAscent())
    table = Table(title="Passes to a relative distance from the optimal dual value")
    for heading in ("problem", "solver", *(f"{digits:.0e}" for digits in DIGITS), "CPU s of 400"):
        table.add_column(heading, justify="left" if heading in ("problem", "solver") else "right")
    for name, problem in problems().items():
        runs = []
        for solver in solvers:
            began = time.process_time()
            trace = solve(problem, solver, stopping=MaxPasses(400)).trace
            runs.append((trace, time.process_time() - began))
        best = solve(problem, stopping=MaxPasses(REFERENCE)).certificate.dual
        for label, (trace, seconds) in zip(("plain", "newton, rescaled", "accelerated"), runs, strict=True):
            cells = [_first(trace, best - digits * abs(best)) for digits in DIGITS]
            table.add_row(name, label, *cells, f"{seconds:.2f}")
            name = ""
    console.print(table)


def _first(trace: Any, level: float) -> str:
    """The passes at the first record that has reached the level."""
    reached = (row.passes for row in trace if row.certificate.dual >= level)
    found = next(reached, None)
    return "-" if found is None else f"{found:.0f}"


TABLES: dict[str, Callable[[Console], None]] = {"columns": columns_table, "passes": passes_table}

InterpolationTables = Enum("InterpolationTables", {name: name for name in TABLES}, type=str)  # type: ignore[misc]


def interpolation(
    table: Annotated[
        list[InterpolationTables] | None, typer.Option(help="Which tables; all by default.")
    ] = None,
) -> None:
    """Time a pass of dual ascent against the number of columns, and count the passes of its forms."""
    console = Console(width=None if Console().is_terminal else 200)
    for name in [chosen.value for chosen in table or InterpolationTables]:
        TABLES[name](console)
