"""Figure 1: P and D against iterations and time, n = d = k = 1000, beside the stored runs of the authors.

The authors ran their sublinear method anew for every number of steps T, with a constant step; so do we, with
the step of the theorem, with 24 times it, where our curve is most like theirs, and with the solver's own
steps, which fit any T. Mirror prox has the theorem's step, and the adaptive one beside it. What is shown are
values at the present points: P is not the smallest and D not the largest so far. D is that of the averaged
dual point in the ball, without the better of it and of zero.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from experiments.claims import claim_lines
from experiments.mirror.figure1_claims import claims
from experiments.mirror.following import Followed, each_horizon, follow
from experiments.mirror.problems import planted
from experiments.runner import Experiment, Summary
from fenchel import SSM, MirrorProx, Problem, SublinearMulticlass

__all__ = ["EXPERIMENT", "anchors"]

HORIZONS = (10, 31, 100, 316, 1000, 3162, 10_000, 31_622, 100_000, 316_227, 1_000_000)
"""Numbers of steps of the authors' runs; the last of theirs, 3,162,277, is left out."""


THEIR_STEP = 24.0
"""The multiple of the theorem's step with which the sublinear method behaves as in the authors' runs."""


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Follow all methods; a small problem for a moment unless ``full``."""
    size, horizons, seconds = (1000, HORIZONS, 15.0) if full else (40, HORIZONS[:6], 0.1)
    problem, seed = planted(size, 0.5, rng), int(rng.integers(2**31))
    followed = []
    for run_one in _methods(problem, list(horizons), seconds, seed):
        followed.append(run_one())
        print(line(followed[-1]), flush=True)
    stored = anchors() if full else None
    found = claims(followed, f"SMD, {THEIR_STEP:g} times", stored)
    print("\n".join(claim_lines(found)))
    return {
        "size": size,
        "radius": 0.5 * size,
        "methods": [one.as_dict() for one in followed],
        "authors": stored,
        "claims": [claim.as_dict() for claim in found],
    }


def _methods(problem: Problem, horizons: list[int], seconds: float, seed: int) -> list[Any]:
    """Return one call a method."""

    def each_with(multiple: float) -> Any:
        name = "SMD, theorem" if multiple == 1.0 else f"SMD, {multiple:g} times"
        return lambda: each_horizon(
            name,
            problem,
            lambda steps: SublinearMulticlass(rows="optimal", steps=steps, step_multiple=multiple),
            horizons,
            seed,
        )

    return [
        each_with(1.0),
        each_with(THEIR_STEP),
        lambda: follow("SMD, any T", problem, SublinearMulticlass(), 2 * seconds, seed),
        lambda: follow("MP, theorem", problem, MirrorProx(step_multiple=1.0), seconds, seed, growth=1.2),
        lambda: follow("MP, adaptive", problem, MirrorProx(), seconds, seed, growth=1.2),
        lambda: follow("SSM", problem, SSM(), seconds, seed),
        lambda: follow("SSM, entropic", problem, SSM(geometry="entropic"), seconds, seed),
    ]


def line(one: Followed) -> str:
    """Return the last point as text."""
    dual = "-" if one.dual[-1] is None else f"{one.dual[-1]:.4f}"
    return (
        f"{one.method:<14} {one.iterations[-1]:>8} iterations {one.seconds[-1]:8.2f} s  "
        f"P {one.primal[-1]:8.4f}  D {dual:>8}"
    )


def anchors() -> dict[str, Any] | None:
    """Return the authors' stored runs, if the file is in FENCHEL_ANCHORS, or in ../shared/anchors."""
    default = Path(__file__).resolve().parents[3] / "shared" / "anchors"
    path = Path(os.environ.get("FENCHEL_ANCHORS", default)) / "mirror-figure1.json"
    return json.loads(path.read_text()) if path.exists() else None


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw P, and P - D, against iterations and seconds; the authors' in dashes, with their own seconds."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7), layout="constrained")
    axes = figure.subplots(2, 2)
    curves = [(one["method"], one, "-") for one in summary["methods"]]
    stored = summary["authors"] or {}
    for key, name in (("smd_full", "authors' SMD"), ("mirror_prox", "authors' MP"), ("ssm", "authors' SSM")):
        curves += [(name, stored[key], "--")] if key in stored else []
    for index, (name, one, style) in enumerate(curves):
        gap = _gaps(one)
        for column, axis in enumerate(("iterations", "seconds")):
            if axis not in one:
                continue
            axes[0, column].loglog(one[axis], one["primal"], style, color=f"C{index}", label=name)
            if gap is not None:
                axes[1, column].loglog(one[axis], gap, style, color=f"C{index}")
            axes[1, column].set_xlabel(axis if axis == "iterations" else "seconds (each on its own machine)")
    axes[0, 0].set_ylabel("P")
    axes[1, 0].set_ylabel("P - D")
    axes[0, 1].legend(fontsize="small")
    path = folder / "figure1.png"
    figure.savefig(path, dpi=110)
    return [path]


def _gaps(one: dict[str, Any]) -> list[float] | None:
    dual = one.get("dual")
    if dual is None or any(value is None for value in dual):
        return None
    return [primal - value for primal, value in zip(one["primal"], dual, strict=True)]


EXPERIMENT = Experiment(
    name="mirror_figure1",
    description="P and D against iterations and time: sublinear SMD, mirror prox, SSM, the authors' runs.",
    run=run,
    plot=plot,
)
