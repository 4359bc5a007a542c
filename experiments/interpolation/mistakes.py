"""Mistakes against passes on the data of the paper, over several draws: medians, quartiles, and claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.claims import Claim, claim_lines
from experiments.interpolation.problems import Classified, draw
from experiments.runner import Summary
from fenchel import Start
from fenchel.solvers.base import Solver

__all__ = ["Stored", "compare", "earlier", "like_stored", "plot_mistakes", "with_claims"]

PASSES = (1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 60)
SMALL = (1, 2, 5)
SEEDS = 10
Stored = dict[str, dict[int, tuple[int, int]]]
"""By method and passes the mistakes on the rows to fit and on those to judge by, counted by another program.

It drew one problem, of seed 0, whose theta is that of our first draw; the rows and their order are not ours.
"""


def compare(kind: str, methods: dict[str, Solver[Any]], stored: Stored, full: bool) -> Summary:
    """Follow all methods on every draw; 10 draws of the paper's size, or two small ones.

    A method may come in two forms, after its name and a comma. The mistakes of the other program are printed
    beside ours.
    """
    passes, seeds, size = (PASSES, SEEDS, (1000, 2000)) if full else (SMALL, 2, (60, 120))
    found: dict[str, list[list[tuple[int, int]]]] = {name: [] for name in methods}
    for seed in range(seeds):
        data = draw(kind, np.random.default_rng(seed), *size)
        for name, solver in methods.items():
            found[name].append(_follow(data, solver, passes, seed))
        print(f"{kind}: draw {seed + 1} of {seeds}", flush=True)
    rows = [_row(name, np.array(counts), passes) for name, counts in found.items()]
    print("\n".join(line for row in rows for line in lines(row, stored.get(row["method"], {}))))
    return {"kind": kind, "passes": list(passes), "seeds": seeds, "rows": rows}


def _follow(
    data: Classified, solver: Solver[Any], passes: tuple[int, ...], seed: int
) -> list[tuple[int, int]]:
    """The mistakes after each number of passes."""
    problem = data.problem
    solver.check(problem)
    state = solver.init(problem, Start(), np.random.default_rng(seed))
    counts = []
    for done in range(1, passes[-1] + 1):
        state.epoch = 0  # so that an epoch is one pass
        solver.run_epoch(problem, state)
        if done in passes:
            counts.append(data.mistakes(solver.extract(problem, state)[0]))
    return counts


def _row(name: str, counts: np.ndarray, passes: tuple[int, ...]) -> dict[str, Any]:
    """Medians, quartiles and ranges of both counts; ``counts`` has the draws first."""
    row: dict[str, Any] = {"method": name, "passes": list(passes)}
    for index, side in enumerate(("train", "test")):
        values = counts[:, :, index]
        levels = {"median": 50, "lower": 25, "upper": 75, "least": 0, "most": 100}
        row[side] = {key: np.percentile(values, level, axis=0).tolist() for key, level in levels.items()}
        row[side]["first"] = values[0].tolist()
    return row


def lines(row: dict[str, Any], stored: dict[int, tuple[int, int]]) -> list[str]:
    """Return the mistakes as text, on the rows to fit and in brackets on the others.

    The medians; and where another program has counted, our first draw and its own.
    """

    def text(train: float, test: float) -> str:
        return f"{train:g} ({test:g})".rjust(15)

    def ours(key: str) -> str:
        return "".join(text(*pair) for pair in zip(row["train"][key], row["test"][key], strict=True))

    shown = [f"{row['method']:<24}{ours('median')}"]
    if stored:
        theirs = "".join(text(*stored[at]) if at in stored else " " * 15 for at in row["passes"])
        shown += [f"{'  first draw':<24}{ours('first')}", f"{'  another program':<24}{theirs}"]
    return shown


def earlier(summary: Summary, first: str, second: str, at: int) -> Claim:
    """Claim that one method has fewer mistakes on the rows to fit after as many passes, by the medians."""
    at = min(at, summary["passes"][-1])
    place = summary["passes"].index(at)
    one, two = (
        next(row for row in summary["rows"] if row["method"] == name)["train"]["median"][place]
        for name in (first, second)
    )
    statement = f"{first} has fewer mistakes than {second} after {at} passes"
    return Claim(statement, f"{one:g}, {two:g}", one < two)


def like_stored(summary: Summary, stored: Stored) -> Claim:
    """Claim that the mistakes of another program are those of our first draw, but for its rows and order.

    Two counts differ by chance by about the root of their sum; three times that is allowed.
    """
    near = total = 0
    for row in summary["rows"]:
        for at, pair in stored.get(row["method"], {}).items():
            if at not in row["passes"]:
                continue
            place = row["passes"].index(at)
            for side, count in zip(("train", "test"), pair, strict=True):
                ours = row[side]["first"][place]
                total += 1
                near += bool(abs(ours - count) <= 3.0 * np.sqrt(ours + count) + 1.0)
    statement = "nine tenths of the counts of another program are ours for that theta, up to chance"
    return Claim(statement, f"{near} of {total}", near >= 0.9 * total)


def with_claims(summary: Summary, found: list[Claim]) -> Summary:
    """Print the claims and put them into the summary."""
    print("\n".join(claim_lines(found)))
    return summary | {"claims": [claim.as_dict() for claim in found]}


def plot_mistakes(summary: Summary, folder: Path, name: str) -> list[Path]:
    """Draw the median mistakes with their quartiles, on the rows to fit and on those to judge by."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.2), layout="constrained")
    axes = figure.subplots(1, 2)
    titles = {"train": "rows to fit", "test": "rows to judge by"}
    for axis, (side, title) in zip(axes, titles.items(), strict=True):
        for row in summary["rows"]:
            axis.plot(row["passes"], row[side]["median"], ".-", label=row["method"])
            axis.fill_between(row["passes"], row[side]["lower"], row[side]["upper"], alpha=0.15)
        axis.set(xlabel="passes", ylabel="mistakes", title=title, xscale="log")
        axis.set_yscale("symlog", linthresh=1.0)
    axes[0].legend(fontsize="small")
    path = folder / f"{name}.png"
    figure.savefig(path, dpi=110)
    return [path]
