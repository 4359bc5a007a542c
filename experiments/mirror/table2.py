"""Table 2: the four geometries, in which mirror prox has much the same rate and different constants.

The paper's table holds ``Omega_U`` and ``Omega_V`` for the norms 1x1 and 1x2 of U and 2x1 and 2x2 of V. Here
each has its own ball around the planted U0, whose rows have four classes each, so that the norm 1x2 is half
of 1x1. With the theorem's step the gap on the ball is at most ``2 L sqrt(Omega_U Omega_V) / T`` after T
steps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.claims import Claim, claim_lines
from experiments.mirror.following import Followed, follow
from experiments.mirror.problems import STRENGTH, one_hot
from experiments.runner import Experiment, Summary
from fenchel import MirrorProx, Problem
from fenchel.losses import MulticlassHinge
from fenchel.regularizers import GroupL2Ball, L1Ball, Regularizer
from fenchel.solvers.mirror.dual_geometry import EntropyDual, EuclideanDual

__all__ = ["EXPERIMENT"]

CLASSES_OF_A_ROW = 4
DUALS = {"2x1": EntropyDual(), "2x2": EuclideanDual()}


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Compare the gaps after as many steps in all geometries; a small problem unless ``full``."""
    size, steps = (200, 600) if full else (24, 60)
    A, U0 = rng.standard_normal((size, size)), _planted(size, rng)
    labels = (A @ U0 + rng.standard_normal((size, size)) / np.sqrt(size)).argmax(axis=1)
    b = one_hot(labels, size)
    balls: dict[str, Regularizer] = {
        "1x1": L1Ball(float(np.abs(U0).sum()), l1=STRENGTH),
        "1x2": GroupL2Ball(float(np.linalg.norm(U0, axis=1).sum()), l1=STRENGTH),
    }
    rows = [
        _row(Problem(A, b, MulticlassHinge(), ball), norm, dual, steps)
        for norm, ball in balls.items()
        for dual in DUALS
    ]
    print("\n".join(lines(rows)))
    found = _claims(rows)
    print("\n".join(claim_lines(found)))
    return {"size": size, "steps": steps, "rows": rows, "claims": [claim.as_dict() for claim in found]}


def _planted(size: int, rng: np.random.Generator) -> np.ndarray:
    U0 = np.zeros((size, size))
    for row in U0:
        row[rng.choice(size, CLASSES_OF_A_ROW, replace=False)] = 0.5
    return U0


def _row(problem: Problem, norm: str, dual: str, steps: int) -> dict[str, Any]:
    """The constants of the paper, and the gaps with the step of the theory and with adaptive steps."""
    n, d, k = *problem.design.shape, problem.b.shape[1]
    radius = problem.regularizer.radius
    fixed = MirrorProx(step_multiple=1.0, dual_geometry=DUALS[dual])
    adaptive = MirrorProx(dual_geometry=DUALS[dual])
    theory = follow("theory", problem, fixed, np.inf, 0, most=steps)
    return {
        "primal": norm,
        "dual": dual,
        "radius": radius,
        "omega_u": radius**2 * float(np.log(d if norm == "1x2" else 2 * d * k)),
        "omega_v": n * (float(np.log(k)) if dual == "2x1" else 1.0),
        "theory": theory.as_dict(),
        "gap": _gap(theory),
        "halfway": _gap(theory, steps // 2),
        "adaptive_gap": _gap(follow("adaptive", problem, adaptive, np.inf, 0, most=steps)),
    }


def _gap(one: Followed, steps: float = np.inf) -> float:
    """P - D at the last record within a number of steps."""
    at = max(index for index, count in enumerate(one.iterations) if count <= max(steps, one.iterations[0]))
    dual = one.dual[at]
    assert dual is not None
    return one.primal[at] - dual


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the rows as text."""
    return [
        f"U {row['primal']}, V {row['dual']}: Omega_U {row['omega_u']:10.4g}  Omega_V {row['omega_v']:8.4g}"
        f"  gap {row['gap']:8.4f}  adaptive {row['adaptive_gap']:8.4f}"
        for row in rows
    ]


def _claims(rows: list[dict[str, Any]]) -> list[Claim]:
    gaps = [row["gap"] for row in rows]
    falls = [row["gap"] / row["halfway"] for row in rows]
    return [
        Claim(
            "all four geometries have gaps of the same order after as many steps",
            ", ".join(f"{row['primal']}/{row['dual']} {row['gap']:.3f}" for row in rows),
            max(gaps) <= 10.0 * min(gaps),
        ),
        Claim(
            "the gap falls like 1/T in each: to two thirds or less from half of the steps on",
            ", ".join(f"{fall:.2f}" for fall in falls),
            max(falls) <= 2.0 / 3.0,
        ),
    ]


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw P - D against steps, with the step of the theory."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4), layout="constrained")
    axes = figure.subplots()
    for row in summary["rows"]:
        one = row["theory"]
        gaps = [primal - dual for primal, dual in zip(one["primal"], one["dual"], strict=True)]
        axes.loglog(one["iterations"], gaps, ".-", label=f"U {row['primal']}, V {row['dual']}")
    axes.set(xlabel="steps", ylabel="P - D")
    axes.legend()
    path = folder / "gaps.png"
    figure.savefig(path, dpi=120)
    return [path]


EXPERIMENT = Experiment(
    name="mirror_table2",
    description="Mirror prox in the four geometries of the appendix: constants and gaps.",
    run=run,
    plot=plot,
)
