"""Where SPD1-VR beats SVRG and SAGA: a sweep over the condition number and the shape.

The paper says that SPD1-VR is the better one for d > n. Here the rows are normal and have length 1, so that
kappa = 1/(lambda gamma) can be set; n d is the same for all shapes. What a method needs is measured to a
relative gap of 1e-6, in passes and in CPU seconds, as the median of the seeds. The baselines run with the
steps of the textbook, 1/(10 L) for SVRG and 1/(3 L) for SAGA, and with those that they search for.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from experiments.runner import Experiment, Summary
from experiments.spd.problems import synthetic
from fenchel import SAGA, SPD1VR, SVRG, MaxPasses, Problem, RelativeGap, as_design, solve
from fenchel.losses import Logistic
from fenchel.regularizers import Ridge
from fenchel.solvers.base import Solver

__all__ = ["EXPERIMENT", "lines"]

SMOOTHNESS = Logistic().smoothness
"""L of every row, which has length 1."""
SOLVERS: dict[str, Solver[Any]] = {
    "spd1_vr, entries": SPD1VR(block="entries"),
    "spd1_vr": SPD1VR(),
    "svrg, 1/(10 L)": SVRG(step_size=0.1 / SMOOTHNESS),
    "saga, 1/(3 L)": SAGA(step_size=1 / (3 * SMOOTHNESS)),
    "svrg": SVRG(),
    "saga": SAGA(),
}
OURS = ("spd1_vr, entries", "spd1_vr")
THEIRS = ("svrg, 1/(10 L)", "saga, 1/(3 L)", "svrg", "saga")
TARGET = 1e-6


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Sweep; 3,600 entries and two condition numbers unless ``full``."""
    shapes = ((800, 50), (400, 100), (200, 200), (100, 400), (50, 800)) if full else ((120, 30), (30, 120))
    conditions = (10.0, 1e2, 1e3, 1e4) if full else (10.0, 1e3)
    seeds, limit = (3, 2000) if full else (1, 300)
    rows: list[dict[str, Any]] = []
    for n, d in shapes:
        for kappa in conditions:
            problems = [_problem(n, d, kappa, rng) for _ in range(seeds)]
            for name, solver in SOLVERS.items():
                found = [_cost(problem, solver, limit) for problem in problems]
                rows.append({"n": n, "d": d, "kappa": kappa, "method": name} | _median(found))
    summary: Summary = {"target": TARGET, "rows": rows, "turns": _turns(rows)}
    print("\n".join(lines(summary)))
    return summary


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw passes and seconds against the condition number, a row of axes for each shape."""
    from matplotlib.figure import Figure

    shapes = list(dict.fromkeys((row["n"], row["d"]) for row in summary["rows"]))
    figure = Figure(figsize=(9, 2.8 * len(shapes)), layout="constrained")
    for axes, (n, d) in zip(figure.subplots(len(shapes), 2, squeeze=False), shapes, strict=True):
        for axis, cost in zip(axes, ("passes", "seconds"), strict=True):
            for name in SOLVERS:
                rows = [row for row in summary["rows"] if (row["n"], row["d"], row["method"]) == (n, d, name)]
                reached = [row for row in rows if row[cost] is not None]
                axis.loglog(
                    [row["kappa"] for row in reached], [row[cost] for row in reached], ".-", label=name
                )
            axis.set(title=f"n {n}, d {d}", xlabel="condition number", ylabel=cost)
        axes[0].legend(fontsize="small")
    path = folder / "turning_point.png"
    figure.savefig(path, dpi=120)
    return [path]


def lines(summary: Summary) -> list[str]:
    """Return the sweep and what follows from it, as text."""
    names = list(SOLVERS)
    table = [f"{'n':>6}{'d':>6}{'kappa':>9}" + "".join(f"{name:>24}" for name in names)]
    rows = summary["rows"]
    for k in range(0, len(rows), len(names)):
        cells = "".join(
            f"{'-':>24}"
            if row["passes"] is None
            else f"{row['passes']:>13.1f}{1e3 * row['seconds']:>8.1f} ms"
            for row in rows[k : k + len(names)]
        )
        table.append(f"{rows[k]['n']:>6}{rows[k]['d']:>6}{rows[k]['kappa']:>9g}{cells}")
    table.append("SPD1-VR, the better of the two, needs less from this kappa on ('-': nowhere):")
    table.append(f"{'n':>6}{'d':>6}{'':>9}" + "".join(f"{name:>24}" for name in THEIRS))
    turns = summary["turns"]
    for k in range(0, len(turns), len(THEIRS)):
        cells = "".join(
            f"{'-' if turn['from_kappa'] is None else format(turn['from_kappa'], 'g'):>24}"
            for turn in turns[k : k + len(THEIRS)]
        )
        table.append(f"{turns[k]['n']:>6}{turns[k]['d']:>6}{turns[k]['cost']:>9}{cells}")
    return table


def _turns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each baseline, the smallest kappa from which on the better SPD1-VR needs less."""
    return [
        {"n": n, "d": d, "cost": cost, "against": against, "from_kappa": _turn(of_shape, cost, against)}
        for n, d in dict.fromkeys((row["n"], row["d"]) for row in rows)
        if (of_shape := [row for row in rows if (row["n"], row["d"]) == (n, d)])
        for cost in ("passes", "seconds")
        for against in THEIRS
    ]


def _turn(rows: list[dict[str, Any]], cost: str, against: str) -> float | None:
    def least(kappa: float, names: tuple[str, ...]) -> float:
        costs = [row[cost] for row in rows if row["kappa"] == kappa and row["method"] in names]
        return min((value for value in costs if value is not None), default=np.inf)

    turn = None
    for kappa in sorted({row["kappa"] for row in rows}, reverse=True):
        if not least(kappa, OURS) < least(kappa, (against,)):
            break
        turn = kappa
    return turn


def _problem(n: int, d: int, kappa: float, rng: np.random.Generator) -> Problem:
    data = synthetic(n, d, 0.0, rng)
    A = data.A / np.linalg.norm(data.A, axis=1, keepdims=True)
    return Problem(as_design(A), data.b, Logistic(), Ridge(SMOOTHNESS / kappa))


def _cost(problem: Problem, solver: Solver[Any], limit: float) -> dict[str, float | None]:
    """Return passes and CPU seconds to the target; None where the limit came first."""
    start = time.process_time()
    result = solve(problem, solver, stopping=RelativeGap(TARGET) | MaxPasses(limit))
    taken = time.process_time() - start
    solved = result.status.solved
    return {"passes": result.passes if solved else None, "seconds": taken if solved else None}


def _median(found: list[dict[str, float | None]]) -> dict[str, float | None]:
    def of(cost: str) -> float | None:
        values = [np.inf if item[cost] is None else float(item[cost]) for item in found]
        middle = float(np.median(values))
        return middle if np.isfinite(middle) else None

    return {"passes": of("passes"), "seconds": of("seconds")}


EXPERIMENT = Experiment(
    name="spd_turning_point",
    description="From which condition number on SPD1-VR needs fewer passes or less time than SVRG and SAGA.",
    run=run,
    plot=plot,
)
