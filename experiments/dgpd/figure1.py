"""Figure 1 and the appendix: the relative objective against seconds and passes, for five solvers.

The class with the most rows against the rest, of Mnist-RB and of RCV1, with the smoothed hinge. The
relative objective is ``(P(w) - D) / |D|`` with the largest dual value D that any solver certified, so it
is never below the truth. The strengths are those of the sum of the losses, as in ``dgpd_table2``. The
baselines are run plain: coordinates at random without passes over the support, and no Newton steps. The
seconds include the certificates after each epoch.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from experiments.dgpd.problems import loaded, problem_of
from experiments.runner import Experiment, Summary
from fenchel import DGPD, SDCA, SPDC, DGPDPlus, MaxPasses, PrimalCD, Problem, RelativeGap, TimeLimit, solve
from fenchel.driver.stopping import StoppingRule
from fenchel.solvers.base import Solver

__all__ = ["EXPERIMENT"]

SOLVERS: dict[str, Solver[Any]] = {
    "dgpd_plus": DGPDPlus(),
    "primal_rcd": PrimalCD(order="random", support_passes=0, newton_passes=0),
    "sdca": SDCA(newton_passes=0),
    "spdc": SPDC(),
    "dgpd": DGPD(),
}
BASELINES = ("primal_rcd", "sdca", "spdc")
DATA = ("Mnist-RB", "RCV1 topic sets")
ACCURACY = 1e-3
NOT_COMPARED = {
    "liblinear": "it has the squared hinge with either an l1 or an l2 penalty; "
    "the objective here is a smoothed hinge with an elastic net"
}

Curve = dict[str, Any]


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Compute the curves; about 2,000 rows and lambda = 0.1, mu = 0.01 alone unless ``full``."""
    strengths = list(product((0.1, 0.01), (1.0, 0.1, 0.01))) if full else [(0.1, 0.01)]
    target, seconds = (1e-6, 5.0) if full else (1e-4, 0.8)
    curves: list[Curve] = []
    # Not the generator itself: how much a run draws from it depends on the clock.
    seed = int(rng.integers(2**31))
    sources = {}
    for data in loaded(DATA, full, rng):
        sources[data.name] = data.source
        for l1, l2 in strengths:
            problem = problem_of(data, int(data.classes[0]), (l1, l2))
            # Before any clock starts: the views by rows and by columns, and the linear algebra.
            _ = problem.design.rows, problem.design.columns
            problem.certify(np.zeros(problem.n_coordinates))
            title = f"{data.name}, lambda {l1:g}, mu {l2:g}"
            curves += _curves(
                title, problem, RelativeGap(target) | TimeLimit(seconds) | MaxPasses(20_000), seed
            )
    return {
        "data": sources,
        "target": target,
        "seconds_allowed": seconds,
        "curves": curves,
        "speedups": _speedups(curves),
        "not_compared": NOT_COMPARED,
    }


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw one file a problem: against seconds, and against passes."""
    from matplotlib.figure import Figure

    paths = []
    for title in summary["speedups"]:
        figure = Figure(figsize=(9, 3.5), layout="constrained")
        axes = figure.subplots(1, 2, sharey=True)
        for curve in (curve for curve in summary["curves"] if curve["problem"] == title):
            values = np.maximum(curve["relative_objective"], 1e-8)
            axes[0].loglog(curve["seconds"], values, ".-", label=curve["method"])
            # The first point has made no passes.
            axes[1].loglog(curve["passes"][1:], values[1:], ".-")
        axes[0].set(xlabel="seconds", ylabel="relative objective")
        axes[1].set(xlabel="passes over the data")
        axes[0].legend(fontsize="small")
        figure.suptitle(title)
        name = "_".join(title.replace(",", "").lower().split())
        paths.append(folder / f"{name}.png")
        figure.savefig(paths[-1], dpi=120)
    return paths


def _curves(title: str, problem: Problem, stopping: StoppingRule, seed: int) -> list[Curve]:
    """Run every solver; the best dual value of them all is the reference."""
    results = {name: solve(problem, solver, stopping=stopping, rng=seed) for name, solver in SOLVERS.items()}
    bound = max(result.certificate.dual for result in results.values())
    return [
        {
            "problem": title,
            "method": name,
            "status": result.status.name.lower(),
            "relative_gap": float(result.certificate.relative_gap),
            "passes": [float(record.passes) for record in result.trace],
            "seconds": [float(record.seconds) for record in result.trace],
            "relative_objective": [
                float(max(record.certificate.primal - bound, 0.0) / abs(bound)) for record in result.trace
            ],
        }
        for name, result in results.items()
    ]


def _speedups(curves: list[Curve]) -> dict[str, dict[str, Any]]:
    """Return, for each problem, what each method needed to the accuracy, and each baseline over dgpd_plus.

    A method that did not get there has None, and so has its ratio.
    """
    speedups: dict[str, dict[str, Any]] = {}
    for title in dict.fromkeys(curve["problem"] for curve in curves):
        of_problem = {curve["method"]: curve for curve in curves if curve["problem"] == title}
        found: dict[str, Any] = {}
        for axis in ("seconds", "passes"):
            needed = {name: _needed(curve, axis) for name, curve in of_problem.items()}
            ours = needed["dgpd_plus"]
            ratios = {
                name: other / ours if ours and (other := needed[name]) is not None else None
                for name in BASELINES
            }
            found[axis] = {"needed": needed, "over_dgpd_plus": ratios}
        speedups[title] = found
    return speedups


def _needed(curve: Curve, axis: str) -> float | None:
    reached = np.flatnonzero(np.array(curve["relative_objective"]) <= ACCURACY)
    return float(curve[axis][reached[0]]) if reached.size else None


EXPERIMENT = Experiment(
    name="dgpd_figure1",
    description="Relative objective against seconds and passes on Mnist-RB and RCV1: DGPD and baselines.",
    run=run,
    plot=plot,
)
