"""Other libraries on one class against the rest of the same data, where they solve the same objective.

LIBLINEAR has the squared hinge and the logistic loss with either penalty, celer l1 logistic regression, skglm
logistic regression with both penalties, and Cyanure the squared hinge with both. None has the smoothed hinge
of the paper. The strengths are those of the paper, of the sum of the losses.

Everyone is measured alike: fits from scratch with tolerances that fall by factors of 4, the CPU seconds of
the whole fit, and off the clock the relative distance of the coefficients to the best lower bound of the
optimum that they, a run of fenchel or the methods before prove. The layouts by rows and by columns are made
before, and what compiles has compiled. Our seconds contain the certificates.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets.classes import DATA, loaded
from benchmarks.datasets.labelled import Labelled
from benchmarks.instance import Instance, LossName
from benchmarks.limited import describe, quiet
from benchmarks.peers import PEERS
from experiments.claims import claim_lines
from experiments.curves import Curve, of_fits
from experiments.dgpd.peer_fits import Fit, OurFit, TheirFit, warm_up
from experiments.dgpd.peers_claims import TARGETS, claims, ratio_lines
from experiments.dgpd.speedups import Run, method_of
from experiments.runner import Experiment, Summary
from fenchel import Problem, RelativeGap, TimeLimit, solve

__all__ = ["EXPERIMENT", "OBJECTIVES"]

SMALL_DATA = ("Mnist-RF", "Aloi-RB", "clinc150")


@dataclass(frozen=True)
class Limits:
    """A curve ends after a fit of so many CPU seconds; a fit is ended after so many, whole for a peer."""

    longest: float
    fit: float


@dataclass(frozen=True)
class Objective:
    """A loss, the strengths for the sum of the losses, our solvers, and the peers that serve it."""

    name: str
    loss: LossName
    l1: float
    l2: float
    solvers: tuple[str, ...]
    peers: tuple[str, ...]


OBJECTIVES = (
    Objective("l1 squared hinge", "squared_hinge", 0.1, 0.0, ("auto",), ("liblinear",)),
    Objective(
        "l2 squared hinge",
        "squared_hinge",
        0.0,
        0.1,
        ("auto", "dgpd_plus"),
        ("liblinear", "liblinear-dual"),
    ),
    Objective("l1 logistic", "logistic", 0.1, 0.0, ("auto",), ("liblinear", "celer", "skglm")),
    Objective("elastic net logistic", "logistic", 0.1, 0.01, ("auto",), ("skglm",)),
    Objective("elastic net squared hinge", "squared_hinge", 0.1, 0.01, ("auto", "dgpd_plus"), ("cyanure",)),
)


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Measure; the largest class of every data set, to a loose gap unless ``full``."""
    targets, names = (TARGETS, DATA) if full else (TARGETS[:1], SMALL_DATA)
    limits = Limits(0.5, 2.0) if full else Limits(0.05, 1.0)
    runs = []
    for data in loaded(names, full, rng):
        measured = [_compare(data, objective, targets, limits) for objective in OBJECTIVES]
        print("\n".join(ratio_lines(measured, targets)), flush=True)
        runs += measured
    found = claims(runs, targets)
    print("\n".join(claim_lines(found)))
    return {"targets": targets, "runs": runs, "claims": [claim.as_dict() for claim in found]}


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw one row an objective and one column a data set."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(run["data"] for run in summary["runs"]))
    objectives = list(dict.fromkeys(run["objective"] for run in summary["runs"]))
    shape = (len(objectives), len(names))
    figure = Figure(figsize=(3 * shape[1], 2.6 * shape[0]), layout="constrained")
    axes = figure.subplots(*shape, squeeze=False, sharey=True)
    for run in summary["runs"]:
        axis = axes[objectives.index(run["objective"]), names.index(run["data"])]
        for name, method in run["methods"].items():
            gaps = np.maximum(method["curve"]["relative_gap"], 1e-12)
            axis.loglog(method["curve"]["seconds"], gaps, ".-", label=name)
        axis.set_title(f"{run['data']}, {run['objective']}", fontsize="small")
        axis.legend(fontsize="x-small")
    for axis in axes[-1]:
        axis.set_xlabel("CPU seconds")
    for axis in axes[:, 0]:
        axis.set_ylabel("relative gap")
    path = folder / "gap.png"
    figure.savefig(path, dpi=80)
    return [path]


def _compare(data: Labelled, objective: Objective, targets: tuple[float, ...], limits: Limits) -> Run:
    """Measure every solver and peer on one problem."""
    n_samples = data.A.shape[0]
    strengths = (objective.l1 / n_samples, objective.l2 / n_samples)
    instance = Instance(data.A, data.targets(int(data.classes[0])), objective.loss, *strengths)
    problem = instance.fenchel_problem()
    _ = problem.design.rows, problem.design.columns, instance.rows, instance.columns
    fits, absent = _fits(instance, problem, objective, limits.fit)
    stopping = RelativeGap(0.01 * min(targets)) | TimeLimit(limits.fit)
    bound, methods = solve(problem, objective.solvers[-1], stopping=stopping).certificate.dual, {}
    for name, fit in fits.items():
        try:
            methods[name], dual = _measured(problem, name, fit, (bound, targets, limits.longest))
            bound = max(bound, dual)
        except Exception as error:  # of a library that is not ours
            if name in objective.solvers:
                raise
            absent[name] = describe(error)
    return {
        "data": data.name,
        "source": data.source,
        "dense": data.dense,
        "class_rows": int((instance.b > 0).sum()),
        "objective": objective.name,
        "l1": objective.l1,
        "l2": objective.l2,
        "ours": list(objective.solvers),
        "methods": methods,
        "absent": absent,
    }


def _fits(
    instance: Instance, problem: Problem, objective: Objective, seconds: float
) -> tuple[dict[str, Fit], dict[str, str]]:
    """Return the fits as functions of the effort, and why a peer is absent.

    The peers come first: what their coefficients prove sharpens the bound.
    """
    fits: dict[str, Fit] = {}
    absent: dict[str, str] = {}
    for peer in (peer for peer in PEERS if peer.name in objective.peers):
        reason = peer.refusal(instance) or warm_up(peer, instance)
        if reason is None:
            fits[peer.name] = TheirFit(peer, instance, seconds)
        else:
            absent[peer.name] = reason
    return fits | {name: OurFit(problem, name, seconds) for name in objective.solvers}, absent


def _measured(
    problem: Problem, name: str, fit: Fit, judge: tuple[float, tuple[float, ...], float]
) -> tuple[dict[str, Any], float]:
    """Return the curve of one method with what it needed to the targets, and what its last fit proves."""
    bound, targets, seconds = judge
    with quiet():
        curve = of_fits(
            Curve("", name),
            problem,
            fit,
            passes_per_iteration=None,
            target=min(targets),
            seconds=seconds,
            clock=fit.clock,
            lower_bound=bound,
        )
    points = {"seconds": curve.seconds, "relative_gap": curve.relative_gap}
    summary = method_of(np.array(curve.relative_gap), {"seconds": curve.seconds}, targets)
    summary |= {"relative_gap": curve.relative_gap[-1], "curve": points}
    assert fit.last is not None
    return summary, problem.certify(fit.last).dual


EXPERIMENT = Experiment(
    name="dgpd_peers",
    description="Relative gap against seconds: fenchel, LIBLINEAR, celer, skglm and Cyanure.",
    run=run,
    plot=plot,
)
