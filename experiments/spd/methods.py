"""The methods that the experiments compare; one pass is as many entries read as A has, for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from experiments.runner import Summary
from experiments.spd.problems import Labelled
from experiments.suboptimality import Curve, curves_of, needed, save_plot
from fenchel import PSGD, SAGA, SPD1, SPD1VR, SVRG, MaxPasses, RelativeGap, TimeLimit
from fenchel.losses import Loss
from fenchel.solvers.base import Solver

__all__ = ["ACCURACIES", "METHODS", "compare", "costs", "lines", "plot"]

METHODS: dict[str, Solver[Any]] = {
    "spd1": SPD1(),
    "psgd": PSGD(),
    "spd1_vr, entries": SPD1VR(block="entries"),
    "spd1_vr": SPD1VR(),
    "svrg": SVRG(),
    "saga": SAGA(),
}
"""The steps are the solvers' own, not those of the paper's theorems, as in the paper's experiments."""
ACCURACIES = (1e-2, 1e-4, 1e-6)


def compare(
    datasets: Iterator[Labelled], loss: Loss, seconds: float, passes: float, rng: np.random.Generator
) -> Summary:
    """Run all methods on all data; each ends at a relative gap of 1e-7, or at a limit."""
    # Not the generator itself: how much a run draws from it depends on the clock.
    seed = int(rng.integers(2**31))
    stopping = RelativeGap(1e-7) | TimeLimit(seconds) | MaxPasses(passes)
    reference = RelativeGap(1e-8) | TimeLimit(4 * seconds)
    curves: list[Curve] = []
    sources = {}
    for data in datasets:
        sources[data.name] = f"{data.source}, {data.A.shape[0]} x {data.A.shape[1]}, lambda {data.strength:g}"
        curves += curves_of(data.name, data.problem(loss), METHODS, stopping, seed, reference)
    return {"data": sources, "curves": curves, "costs": costs(curves)}


def costs(curves: list[Curve]) -> list[dict[str, Any]]:
    """Return what each method needed to each accuracy: passes and seconds, or None."""
    return [
        {
            "problem": curve["problem"],
            "method": curve["method"],
            "accuracy": accuracy,
            "passes": needed(curve, "passes", accuracy),
            "seconds": needed(curve, "seconds", accuracy),
        }
        for curve in curves
        for accuracy in ACCURACIES
    ]


def lines(summary: Summary) -> list[str]:
    """Return the costs as a table."""
    table = [f"{'data':<16}{'method':<18}" + "".join(f"{f'to {a:g}':>20}" for a in ACCURACIES)]
    table.append(" " * 34 + f"{'passes  seconds':>20}" * len(ACCURACIES))
    rows = summary["costs"]
    for k in range(0, len(rows), len(ACCURACIES)):
        cells = "".join(
            f"{'-':>20}" if row["passes"] is None else f"{row['passes']:>11.1f}{row['seconds']:>9.3f}"
            for row in rows[k : k + len(ACCURACIES)]
        )
        table.append(f"{rows[k]['problem']:<16}{rows[k]['method']:<18}{cells}")
    return table


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw one file a data set."""
    return [
        save_plot(name, [curve for curve in summary["curves"] if curve["problem"] == name], folder)
        for name in summary["data"]
    ]
