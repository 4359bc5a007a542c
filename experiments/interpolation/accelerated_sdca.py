"""Passes of dual coordinate ascent with and without momentum, against n times the strength of the ridge.

The paper's appendix C has rates for both. Corrected, and for rows of length at most R, the gap falls in a
pass by the share ``n lambda gamma / (R^2 + n lambda gamma)`` without momentum and by its root with it. Here
are the passes to a relative gap of 1e-6: of both methods as they are analysed, and of the library's own
forms, which adapt the share (APCG), go on with the rows that move and make Newton steps (SDCA).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import stored
from experiments.claims import Claim, claim_lines
from experiments.runner import Experiment, Summary
from fenchel import APCG, SDCA, SPDC, MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Logistic, Loss, SmoothedHinge, Squared
from fenchel.regularizers import Ridge

__all__ = ["EXPERIMENT"]

LOSSES: tuple[Loss, ...] = (Squared(), Logistic(), SmoothedHinge())
SOLVERS = {
    "SDCA": SDCA(newton_passes=0.0, moving_passes=0),
    "APCG, theory": APCG(steps="theory"),
    "APCG": APCG(),
    "SPDC": SPDC(),
    "SDCA, as it is": SDCA(),
}
GAP = 1e-6


@dataclass(frozen=True)
class Effort:
    """The strengths times n, and the most passes of a run."""

    strengths: tuple[float, ...]
    passes: int


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Solve all problems with all methods; a small matrix unless ``full``."""
    effort = Effort((10.0, 1.0, 0.1, 0.01, 0.001), 3000) if full else Effort((1.0, 0.01), 1000)
    rows: list[dict[str, Any]] = []
    for name, A, targets in _sets(full, rng):
        for loss in LOSSES:
            b = np.sign(targets) if loss.task == "classification" else targets
            for strength in effort.strengths:
                row = _row(name, Problem(A, b, loss, Ridge(strength / len(b))), strength, effort)
                print(line(row), flush=True)
                rows.append(row)
    found = _claims(rows)
    print("\n".join(claim_lines(found)))
    return {"rows": rows, "claims": [claim.as_dict() for claim in found]}


def _sets(full: bool, rng: np.random.Generator) -> list[tuple[str, Any, np.ndarray]]:
    """Columns that fade, rows of length 1; with ``full`` and the files, a9a too, whose rows are alike."""
    n, d = (2000, 500) if full else (150, 60)
    A = rng.normal(size=(n, d)) / np.arange(1.0, d + 1.0)
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    sets = [("faded", A, A @ rng.normal(size=d) + 0.1 * rng.normal(size=n))]
    if full and (stored.data_folder() / "a9a.svm.bz2").exists():
        A, b = stored.a9a(stored.data_folder())
        sets.append(("a9a", A / np.sqrt(A.multiply(A).sum(axis=1).max()), b))
    return sets


def _row(name: str, problem: Problem, strength: float, effort: Effort) -> dict[str, Any]:
    rule = RelativeGap(GAP) | MaxPasses(effort.passes)
    passes = {}
    for method, solver in SOLVERS.items():
        result = solve(problem, solver, stopping=rule)
        passes[method] = float(result.passes) if result.status.solved else None
    return {"data": name, "loss": problem.loss.name, "n_lambda": strength, "passes": passes}


def line(row: dict[str, Any]) -> str:
    """Return the passes of a problem as text; a dash where they did not suffice."""
    shown = "  ".join(
        f"{method} {'-' if passes is None else format(passes, '.0f'):>5}"
        for method, passes in row["passes"].items()
    )
    return f"{row['data']:<6} {row['loss']:<15} n lambda {row['n_lambda']:<6g} {shown}"


def _claims(rows: list[dict[str, Any]]) -> list[Claim]:
    weak = min(row["n_lambda"] for row in rows)
    strong = max(row["n_lambda"] for row in rows)
    return [
        _fewer("the analysed forms: momentum takes fewer passes", rows, weak, "APCG, theory"),
        _fewer("and so does the form that adapts", rows, weak, "APCG"),
        _fewer("under strong regularizers too", rows, strong, "APCG, theory"),
    ]


def _fewer(statement: str, rows: list[dict[str, Any]], strength: float, method: str) -> Claim:
    """Compare with plain SDCA at one strength; what did not end counts as endless."""
    at = [row for row in rows if row["n_lambda"] == strength]
    pairs = [(row["passes"][method] or np.inf, row["passes"]["SDCA"] or np.inf) for row in at]
    fewer = sum(one < two for one, two in pairs)
    return Claim(f"{statement} at n lambda = {strength:g}", f"on {fewer} of {len(at)}", fewer == len(at))


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the passes against n lambda, one panel a problem."""
    from matplotlib.figure import Figure

    rows = summary["rows"]
    panels = list(dict.fromkeys((row["data"], row["loss"]) for row in rows))
    figure = Figure(figsize=(4 * len(LOSSES), 3.5 * len(panels) / len(LOSSES)), layout="constrained")
    axes = figure.subplots(len(panels) // len(LOSSES), len(LOSSES), squeeze=False).ravel()
    for axis, panel in zip(axes, panels, strict=True):
        for method in SOLVERS:
            points = [
                (row["n_lambda"], row["passes"][method])
                for row in rows
                if (row["data"], row["loss"]) == panel and row["passes"][method] is not None
            ]
            axis.loglog([x for x, _ in points], [y for _, y in points], ".-", label=method)
        axis.set(title=", ".join(panel), xlabel="n lambda", ylabel="passes")
    axes[0].legend(fontsize="small")
    path = folder / "passes.png"
    figure.savefig(path, dpi=110)
    return [path]


EXPERIMENT = Experiment(
    name="interpolation_accelerated_sdca",
    description="Passes of SDCA with and without momentum against the strength of the ridge.",
    run=run,
    plot=plot,
)
