"""Curves of the primal suboptimality against passes and seconds, for several solvers of one problem.

The suboptimality is ``(P(w) - D) / |D|`` with the largest dual value D that any solver certified, so it is
never below the truth. A reference solver may look for D with more time than the others get. The seconds
include the certificates after each epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fenchel import Problem, solve
from fenchel.driver.stopping import StoppingRule
from fenchel.solvers.base import Solver

__all__ = ["Curve", "curves_of", "needed", "save_plot"]

Curve = dict[str, Any]


def curves_of(
    title: str,
    problem: Problem,
    solvers: Mapping[str, Solver[Any]],
    stopping: StoppingRule,
    seed: int,
    reference: StoppingRule | None = None,
) -> list[Curve]:
    """Run every solver, and ``solver="auto"`` up to the ``reference`` rule; the best dual value counts."""
    # Before any clock starts: the views by rows and by columns, and the linear algebra.
    _ = problem.design.rows, problem.design.columns
    problem.certify(np.zeros(problem.n_coordinates))
    results = {name: solve(problem, solver, stopping=stopping, rng=seed) for name, solver in solvers.items()}
    bound = max(result.certificate.dual for result in results.values())
    if reference is not None:
        bound = max(bound, solve(problem, stopping=reference).certificate.dual)
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


def needed(curve: Curve, axis: str, accuracy: float) -> float | None:
    """Return the passes or seconds up to the first point within the accuracy; None where there is none."""
    reached = np.flatnonzero(np.array(curve["relative_objective"]) <= accuracy)
    return float(curve[axis][reached[0]]) if reached.size else None


def save_plot(title: str, curves: Sequence[Curve], folder: Path, lowest: float = 1e-8) -> Path:
    """Draw the curves of one problem: against seconds, and against passes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.5), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for curve in curves:
        values = np.maximum(curve["relative_objective"], lowest)
        axes[0].loglog(curve["seconds"], values, ".-", label=curve["method"])
        # The first point has made no passes.
        axes[1].loglog(curve["passes"][1:], values[1:], ".-")
    axes[0].set(xlabel="seconds", ylabel="relative objective")
    axes[1].set(xlabel="passes over the data")
    axes[0].legend(fontsize="small")
    figure.suptitle(title)
    path = folder / f"{'_'.join(title.replace(',', '').lower().split())}.png"
    figure.savefig(path, dpi=120)
    return path
