"""Whether fenchel is faster than each of the other libraries on every problem."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.claims import Claim
from experiments.dgpd.speedups import Run, geometric_mean, ratio

__all__ = ["TARGETS", "claims", "ratio_lines"]

TARGETS = (1e-3, 1e-6)


def claims(runs: list[Run], targets: Sequence[float]) -> list[Claim]:
    """Return one claim for each target, objective, solver of ours and peer that was there."""
    names = dict.fromkeys(
        (run["objective"], ours, peer)
        for run in runs
        for ours in run["ours"]
        for peer in run["methods"]
        if peer not in run["ours"]
    )
    return [_faster(runs, *triple, target) for target in targets for triple in names]


def _faster(runs: list[Run], objective: str, ours: str, peer: str, target: float) -> Claim:
    matched = [run for run in runs if run["objective"] == objective and peer in run["methods"]]
    ratios = {run["data"]: ratio(run, "seconds", target, (peer,), ours) for run in matched}
    judged = {name: r for name, r in ratios.items() if r is not None}
    lost = [f"{name} {r}" for name, r in judged.items() if r.proven <= 1]
    measured = f"on {len(judged) - len(lost)} of {len(matched)} data sets"
    if judged:
        measured += f", {geometric_mean(list(judged.values()))} times in the geometric mean"
    if lost:
        measured += f"; not on {', '.join(lost)}"
    if len(judged) < len(matched):
        measured += f"; neither got there on {', '.join(name for name in ratios if name not in judged)}"
    won = len(judged) == len(matched) and not lost
    return Claim(f"{ours} faster than {peer}, {objective}, to {target:g}", measured, won)


def ratio_lines(runs: list[Run], targets: Sequence[float]) -> list[str]:
    """Return the seconds of every method on every problem as text, and the peers that were absent."""
    lines = [f"{'data':<16}{'objective':<27}{'to':>6}   seconds of each method"]
    for run in runs:
        for target in targets:
            cells = [_cell(name, method, target) for name, method in run["methods"].items()]
            lines.append(f"{run['data']:<16}{run['objective']:<27}{target:>6g}   {', '.join(cells)}")
    absent = dict.fromkeys(f"{name} ({why})" for run in runs for name, why in run["absent"].items())
    return [*lines, f"absent: {', '.join(absent) or 'none'}"]


def _cell(name: str, method: Run, target: float) -> str:
    needed = method["seconds"]["needed"][f"{target:g}"]
    if needed is None:
        return f"{name} over {method['seconds']['spent']:.3f} (gap {method['relative_gap']:.0e})"
    return f"{name} {needed:.3f}"
