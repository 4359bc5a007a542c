"""Snapshots that SPD1-VR takes to a relative gap of 1e-6 with default settings, against the condition number.

kappa = R^2 / (mu gamma), with R^2 the largest squared norm of a row, mu the strength of the ridge, and
1/gamma the smoothness of the loss. A method whose snapshots grow like kappa has exponent 1, an accelerated
one 1/2. The exponent is the slope of a line through the logarithms; the second one leaves out the condition
numbers below 250, where a handful of snapshots is enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.instance import FloatArray
from fenchel import SPD1VR, MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Logistic, Loss, SmoothedHinge, SquaredHinge
from fenchel.regularizers import Ridge

__all__ = ["kappa_table"]

KAPPAS = (3.0, 25.0, 250.0, 2500.0, 25000.0)
SHAPES = ((60, 300), (300, 60), (1000, 1000))
LOSSES: tuple[Loss, ...] = (Logistic(), SquaredHinge(), SmoothedHinge())
MOST_PASSES = 5000.0


@dataclass(frozen=True)
class Run:
    """What one fit needed."""

    snapshots: int
    passes: float
    solved: bool

    def __str__(self) -> str:
        return f"{self.snapshots}" if self.solved else f"> {self.snapshots}"


def draw(n: int, d: int, correlation: float) -> tuple[FloatArray, FloatArray]:
    """Gaussian rows of norm 1, whose columns have this correlation with each other; noisy linear labels."""
    rng = np.random.default_rng(0)
    A = np.sqrt(1 - correlation) * rng.standard_normal((n, d))
    A += np.sqrt(correlation) * rng.standard_normal((n, 1))
    A /= np.linalg.norm(A, axis=1)[:, None]
    scores = A @ rng.standard_normal(d)
    return A, np.where(scores + 0.1 * scores.std() * rng.standard_normal(n) >= 0, 1.0, -1.0)


def run(A: FloatArray, b: FloatArray, loss: Loss, kappa: float) -> Run:
    """Fit with default settings."""
    largest = float((A**2).sum(axis=1).max())
    problem = Problem(A, b, loss, Ridge(largest * loss.smoothness / kappa))
    result = solve(problem, SPD1VR(), stopping=RelativeGap(1e-6) | MaxPasses(MOST_PASSES))
    return Run(result.state.snapshots, result.passes, result.status.solved)


def exponent(runs: list[Run], first: int = 0) -> float:
    """The slope of log snapshots against log kappa."""
    snapshots = np.log([item.snapshots for item in runs[first:]])
    return float(np.polyfit(np.log(KAPPAS[first:]), snapshots, 1)[0])


def kappa_table(console: Console) -> None:
    """Print the snapshots of every problem, and the exponents."""
    table = Table(title="SPD1-VR: snapshots (5 passes each) to a relative gap of 1e-6, default settings")
    for heading in ("n x d", "columns", "loss", *(f"kappa {kappa:g}" for kappa in KAPPAS)):
        table.add_column(heading)
    table.add_column("exponent")
    table.add_column("from 250 on")
    everything: list[list[Run]] = []
    for n, d in SHAPES:
        for correlation in (0.0, 0.5):
            A, b = draw(n, d, correlation)
            for loss in LOSSES:
                runs = [run(A, b, loss, kappa) for kappa in KAPPAS]
                everything.append(runs)
                kind = "correlated" if correlation else "gaussian"
                slopes = (f"{exponent(runs):.2f}", f"{exponent(runs, 2):.2f}")
                table.add_row(f"{n} x {d}", kind, loss.name, *map(str, runs), *slopes)
    console.print(table)
    solved = sum(item.solved for runs in everything for item in runs)
    largest, mean = (f([exponent(runs) for runs in everything]) for f in (np.max, np.mean))
    console.print(
        f"{solved} of {sum(map(len, everything))} reach the gap; exponent {mean:.2f} on average, "
        f"{largest:.2f} at most"
    )
