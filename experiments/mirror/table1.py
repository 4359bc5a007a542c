"""Table 1: the run time of the sublinear method for n = d = k and a fixed number of steps, dense and sparse.

The paper doubles n = d = k and sees the run time double. Sparse data, which the paper does not have, are of
the same shapes with 10 entries a row. Seconds of the paper and of this machine are not to be compared; their
ratios are. Set-up, which takes O(n d + n k + d k), is timed apart.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from experiments.claims import Claim, claim_lines
from experiments.mirror.following import run_steps
from experiments.mirror.problems import planted, sparse_rows
from experiments.runner import Experiment, Summary
from fenchel import Problem, SublinearMulticlass

__all__ = ["EXPERIMENT", "PAPER"]

PAPER = {
    10_000: {400: 1.17, 800: 2.07, 1600: 4.27, 3200: 7.55, 6400: 15.56},
    20_000: {400: 2.47, 800: 4.27, 1600: 8.74, 3200: 14.65, 6400: 30.77},
}
"""Seconds by the number of steps and n = d = k."""
ENTRIES_OF_A_ROW = 10
MOST_RATIO = 2.4
"""What a doubling may cost, and still be called a doubling."""


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Measure; small sizes and few steps unless ``full``."""
    sizes, horizons = ((400, 800, 1600, 3200, 6400), (10_000, 20_000)) if full else ((60, 120), (500, 1000))
    rows = []
    for size in sizes:
        for form, problem in _problems(size, rng):
            rows += [_measured(form, problem, size, steps) for steps in horizons]
            print("\n".join(lines(rows[-len(horizons) :])), flush=True)
    claims = _claims(rows)
    print("\n".join(claim_lines(claims)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"rows": rows, "peak_memory_mb": peak, "claims": [claim.as_dict() for claim in claims]}


def _problems(size: int, rng: np.random.Generator) -> Iterator[tuple[str, Problem]]:
    """One after the other: the largest are of some gigabytes."""
    yield "dense", planted(size, 1.0, rng)
    yield "sparse", sparse_rows(size, ENTRIES_OF_A_ROW, rng)


def _measured(form: str, problem: Problem, size: int, steps: int) -> dict[str, Any]:
    solver = SublinearMulticlass(steps=steps)
    run_steps(problem, solver, steps // 20, 0)  # the views are made, and the memory is there
    timed = run_steps(problem, solver, steps, 0)
    return {
        "form": form,
        "n_d_k": size,
        "steps": steps,
        "set_up_seconds": timed.set_up,
        "seconds": timed.steps,
        "microseconds_per_step": 1e6 * timed.steps / steps,
        "paper_seconds": PAPER.get(steps, {}).get(size) if form == "dense" else None,
    }


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the rows as text."""
    return [
        f"{row['form']:<7} n = d = k = {row['n_d_k']:<5} T = {row['steps']:<6} {row['seconds']:8.3f} s"
        f" {row['microseconds_per_step']:9.2f} us a step, set-up {row['set_up_seconds']:7.3f} s"
        + (f", paper {row['paper_seconds']:6.2f} s" if row["paper_seconds"] else "")
        for row in rows
    ]


def _claims(rows: list[dict[str, Any]]) -> list[Claim]:
    """The seconds double with n = d = k."""
    steps = max(row["steps"] for row in rows)
    found = []
    for form in ("dense", "sparse"):
        seconds = [row["seconds"] for row in rows if (row["form"], row["steps"]) == (form, steps)]
        ratios = [after / before for before, after in pairwise(seconds)]
        measured = ", ".join(f"{ratio:.2f}" for ratio in ratios)
        found.append(
            Claim(
                f"{form}: twice the n = d = k take at most {MOST_RATIO} times the seconds, {steps} steps",
                measured,
                max(ratios) <= MOST_RATIO,
            )
        )
    return found


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw microseconds a step against n = d = k."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4), layout="constrained")
    axes = figure.subplots()
    steps = max(row["steps"] for row in summary["rows"])
    for form in ("dense", "sparse"):
        rows = [row for row in summary["rows"] if (row["form"], row["steps"]) == (form, steps)]
        sizes, costs = ([row[name] for row in rows] for name in ("n_d_k", "microseconds_per_step"))
        axes.loglog(sizes, costs, "o-", label=form)
    axes.set(xlabel="n = d = k", ylabel="microseconds a step")
    axes.legend()
    path = folder / "seconds.png"
    figure.savefig(path, dpi=120)
    return [path]


EXPERIMENT = Experiment(
    name="mirror_table1",
    description="Run time of the sublinear multiclass method for n = d = k, on dense and on sparse data.",
    run=run,
    plot=plot,
)
