"""Figure 1 and the appendix: the relative objective against seconds and passes, for six solvers.

One class against the rest, the one with the most rows and for Figure 1 the one with the fewest too, with
the smoothed hinge. The relative objective is ``(P(w) - D) / |D|`` with the largest dual value D that any
solver certified, so it is never below the truth. The strengths are those of the sum of the losses, as in
``dgpd_table2``. The baselines are run plain: coordinates at random without passes over the support, and no
Newton steps. Seconds are CPU seconds of the solver alone, the certificates not counted; a pass is as many
entries of A as there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.datasets.classes import DATA, loaded
from benchmarks.datasets.labelled import Labelled, problem_of
from experiments.claims import claim_lines
from experiments.clocked import Clocked
from experiments.dgpd.figure1_claims import ACCURACIES, claims, ratio_lines
from experiments.dgpd.speedups import Run, method_of
from experiments.runner import Experiment, Summary
from fenchel import (
    DGPD,
    SDCA,
    SPDC,
    DGPDActiveSet,
    DGPDPlus,
    MaxPasses,
    PrimalCD,
    Problem,
    RelativeGap,
    Result,
    solve,
)
from fenchel.driver.stopping import StoppingRule
from fenchel.solvers.base import Solver

__all__ = ["EXPERIMENT", "SOLVERS"]

SOLVERS: dict[str, Solver[Any]] = {
    "dgpd_plus": DGPDPlus(),
    "dgpd_active_set": DGPDActiveSet(),
    "dgpd": DGPD(),
    "primal_rcd": PrimalCD(order="random", support_passes=0, newton_passes=0),
    "sdca": SDCA(newton_passes=0, moving_passes=0),
    "spdc": SPDC(),
}
FIGURE_1 = (0.1, 0.01)
APPENDIX = tuple(pair for pair in product((0.1, 0.01), (1.0, 0.1, 0.01)) if pair != FIGURE_1)
STEP = 0.8
"""A point of a curve is kept when it is this much below the last one kept."""

Case = tuple[tuple[float, float], int, float]
"""The strengths, how many classes, and the CPU seconds after which a solver is ended."""
SMALL_PASSES = 80.0


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Compute the curves; small data, lambda = 0.1, mu = 0.01 and one class alone unless ``full``."""
    cases: list[Case] = [(FIGURE_1, 2, 2.5), *((pair, 1, 0.8) for pair in APPENDIX)]
    accuracies: tuple[float, ...] = ACCURACIES
    if not full:
        cases, accuracies = [(FIGURE_1, 1, np.inf)], ACCURACIES[:1]
    # Not the generator itself: how much a run draws from it depends on the clock.
    seed = int(rng.integers(2**31))
    # A small size ends by passes, so that it does not depend on the clock.
    stopping = RelativeGap(0.5 * min(accuracies)) | MaxPasses(100_000 if full else SMALL_PASSES)
    runs: list[Run] = []
    for data in loaded(DATA, full, rng):
        measured = [run for case in cases for run in _runs(data, case, stopping, seed)]
        print("\n".join(ratio_lines(measured, accuracies)), flush=True)
        runs += measured
    found = claims(runs, accuracies)
    print("\n".join(claim_lines(found)))
    return {"accuracies": accuracies, "runs": runs, "claims": [claim.as_dict() for claim in found]}


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw one file for every pair of strengths: seconds above, passes below, one column a data set."""
    from matplotlib.figure import Figure

    paths = []
    for l1, l2 in dict.fromkeys((run["lambda"], run["mu"]) for run in summary["runs"]):
        runs = [run for run in summary["runs"] if (run["lambda"], run["mu"]) == (l1, l2)]
        names = list(dict.fromkeys(run["data"] for run in runs))
        figure = Figure(figsize=(3 * len(names), 6), layout="constrained")
        axes = figure.subplots(2, len(names), sharey=True, squeeze=False)
        for run in runs:
            column, largest = names.index(run["data"]), run["class_rank"] == 0
            for axis, against in zip(axes[:, column], ("seconds", "passes"), strict=True):
                _draw(axis, run, against, "-" if largest else ":")
                axis.set(xlabel=f"CPU {against}" if against == "seconds" else against)
            axes[0, column].set_title(run["data"])
        for axis in axes[:, 0]:
            axis.set_ylabel("relative objective")
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(SOLVERS))
        figure.suptitle(f"lambda {l1:g}, mu {l2:g}; solid the largest class, dotted the smallest")
        paths.append(folder / f"lambda_{l1:g}_mu_{l2:g}.png")
        figure.savefig(paths[-1], dpi=90)
    return paths


def _draw(axis: Any, run: Run, against: str, style: str) -> None:
    for number, (name, method) in enumerate(run["methods"].items()):
        places, values = np.array(method["curve"][against]), np.array(method["curve"]["objective"])
        label = name if style == "-" else None
        # The first point has made no passes.
        axis.loglog(places[1:], np.maximum(values[1:], 1e-8), style, color=f"C{number}", label=label)


def _runs(data: Labelled, case: Case, stopping: StoppingRule, seed: int) -> Iterator[Run]:
    strengths, most, seconds = case
    for rank, label in enumerate(data.spread(most)):
        problem = problem_of(data, int(label), strengths)
        # Before any clock starts: the first product of a process loads the linear algebra.
        problem.certify(np.zeros(problem.n_coordinates))
        yield {
            "data": data.name,
            "source": data.source,
            "dense": data.dense,
            "n_samples": int(problem.n_samples),
            "n_features": int(problem.n_features),
            "class_rank": rank,
            "class_rows": int((problem.b > 0).sum()),
            "lambda": strengths[0],
            "mu": strengths[1],
            **_compare(problem, stopping, seconds, seed),
        }


def _compare(problem: Problem, stopping: StoppingRule, seconds: float, seed: int) -> dict[str, Any]:
    """Run every solver; the best dual value of them all is the reference."""
    results = {name: _solve(problem, solver, stopping, seconds, seed) for name, solver in SOLVERS.items()}
    bound = max(result.certificate.dual for result, _ in results.values())
    nearest = min((result for result, _ in results.values()), key=lambda result: result.certificate.gap)
    methods = {}
    for name, (result, marks) in results.items():
        primal = np.array([record.certificate.primal for record in result.trace])
        objective = np.maximum(primal - bound, 0.0) / abs(bound)
        axes = {"seconds": marks, "passes": [float(record.passes) for record in result.trace]}
        kept = _thinned(objective)
        methods[name] = {
            "solved": result.status.solved,
            "relative_gap": float(result.certificate.relative_gap),
            **method_of(objective, axes, ACCURACIES),
            "curve": {
                "objective": objective[kept].tolist(),
                **{axis: np.array(values)[kept].tolist() for axis, values in axes.items()},
            },
        }
    return {
        "nonzero_primal": int(np.count_nonzero(nearest.w)),
        "nonzero_dual": int(np.count_nonzero(nearest.u)),
        "methods": methods,
    }


def _solve(
    problem: Problem, solver: Solver[Any], stopping: StoppingRule, seconds: float, seed: int
) -> tuple[Result, list[float]]:
    clocked = Clocked(solver)
    result = solve(
        problem,
        clocked,
        stopping=stopping,
        callback=lambda _: clocked.marks[-1] >= seconds,
        rng=seed,
    )
    return result, clocked.marks


def _thinned(objective: npt.NDArray[np.float64]) -> list[int]:
    """Return the first point, those well below the last one kept, and the last."""
    kept = [0]
    for k, value in enumerate(objective):
        if value <= STEP * objective[kept[-1]] and value < objective[kept[-1]]:
            kept.append(k)
    return kept if kept[-1] == len(objective) - 1 else [*kept, len(objective) - 1]


EXPERIMENT = Experiment(
    name="dgpd_figure1",
    description="Relative objective against seconds and passes: the versions of DGPD and the baselines.",
    run=run,
    plot=plot,
)
