"""The largest margin on real data with more features than rows, under lp norms between round and sparse.

Leukemia, colon, arcene and dorothea, with p = 2, 1.5 and 1 + 1/log d. For each the margin in its two proven
bounds, the features that carry the solution, and the errors on rows that were held out: those of the original
test set for leukemia, a fifth at random, three times, for the others. No intercept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import stored
from benchmarks.instance import Matrix
from experiments.claims import Claim, claim_lines
from experiments.interpolation.problems import sparse_exponent
from experiments.runner import Experiment, Summary
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import MarginConstraint
from fenchel.regularizers import SquaredLp

__all__ = ["EXPERIMENT"]

FITTED, SPLITS = 0.8, 3
GAP = 1e-3
CARRIES = 1e-3
"""A coefficient of at least that share of the largest one counts."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit and rows to judge by."""

    data: str
    A: Matrix
    b: np.ndarray
    test_A: Matrix
    test_b: np.ndarray


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Fit all norms to all splits; one generated set unless ``full`` and the files are there."""
    rows = []
    for split in _splits(full, rng):
        for name, p in (("2", 2.0), ("1.5", 1.5), ("1+1/log d", sparse_exponent(split.A.shape[1]))):
            rows.append(_row(split, name, p, 2000 if full else 300))
            print(line(rows[-1]), flush=True)
    found = _claims(rows)
    print("\n".join(claim_lines(found)))
    return {"rows": rows, "claims": [claim.as_dict() for claim in found]}


def _splits(full: bool, rng: np.random.Generator) -> Iterator[Split]:
    """The sets one after the other, so that one is in memory at a time."""
    folder = stored.data_folder()
    if not (full and (folder / "dorothea.npz").exists()):
        A = rng.normal(size=(50, 300))
        yield _random("generated", A, np.sign(A[:, :5].sum(axis=1)), rng)
        return
    A, b = stored.leukemia(folder)
    with np.load(folder / "leukemia.npz") as file:
        train = file["train"].astype(bool)
    yield Split("leukemia", A[train], np.sign(b[train]), A[~train], np.sign(b[~train]))
    for name, read in (("colon", stored.colon), ("arcene", stored.arcene), ("dorothea", stored.dorothea)):
        A, b = read(folder)
        for _ in range(SPLITS):
            yield _random(name, A, b, rng)


def _random(name: str, A: Matrix, b: np.ndarray, rng: np.random.Generator) -> Split:
    order = rng.permutation(len(b))
    first, rest = np.split(order, [int(FITTED * len(order))])
    return Split(name, A[first], b[first], A[rest], b[rest])


def _row(split: Split, name: str, p: float, passes: int) -> dict[str, Any]:
    """The margin ``1 / |w|_p`` in its bounds: that of the solution, and what the dual allows."""
    problem = Problem(split.A, split.b, MarginConstraint(), SquaredLp(p))
    began = time.process_time()
    result = solve(problem, stopping=RelativeGap(GAP) | MaxPasses(passes))
    seconds = time.process_time() - began
    w, dual = result.w, float(result.certificate.dual)
    lowest = float(np.min(split.b * (split.A @ w)))
    norm = float(np.sqrt(2.0 * problem.regularizer.value(w)))
    size = np.abs(w)
    return {
        "data": split.data,
        "norm": name,
        "p": p,
        "shape": list(split.A.shape),
        "margin": [max(lowest, 0.0) / norm, 1.0 / float(np.sqrt(2.0 * dual))],
        "status": result.status.name.lower(),
        "passes": float(result.passes),
        "seconds": round(seconds, 3),
        "features": int(np.count_nonzero(size >= CARRIES * size.max())),
        "l1_over_l2": float(size.sum() / np.linalg.norm(w)),
        "test_error": float(np.mean(split.test_b * (split.test_A @ w) <= 0.0)),
        "rarer_class": float(min(np.mean(split.test_b > 0), np.mean(split.test_b < 0))),
    }


def line(row: dict[str, Any]) -> str:
    """Return a fit as text."""
    lower, upper = row["margin"]
    rows, columns = row["shape"]
    return (
        f"{row['data']:<10} {rows:>4} x {columns:<6} p = {row['norm']:<10}"
        f" margin in [{lower:.5g}, {upper:.5g}]"
        f"  features {row['features']:>6}  |w|_1/|w|_2 {row['l1_over_l2']:7.1f}"
        f"  test error {row['test_error']:.3f} (rarer class {row['rarer_class']:.3f})"
        f"  {row['passes']:.0f} passes, {row['seconds']:.2f} s"
    )


def _claims(rows: list[dict[str, Any]]) -> list[Claim]:
    separated = [row for row in rows if row["margin"][0] > 0.0]
    close = [row for row in rows if row["margin"][0] >= (1.0 - GAP) * row["margin"][1]]
    names = list(dict.fromkeys(row["data"] for row in rows))
    means = {
        (data, norm): [
            float(np.mean([row[key] for row in rows if (row["data"], row["norm"]) == (data, norm)]))
            for key in ("l1_over_l2", "test_error")
        ]
        for data in names
        for norm in ("2", "1+1/log d")
    }
    sparser = [means[data, "1+1/log d"][0] < means[data, "2"][0] for data in names]
    errors = ", ".join(
        f"{data} {means[data, '2'][1]:.3f} and {means[data, '1+1/log d'][1]:.3f}" for data in names
    )
    return [
        Claim("every set is separated", f"{len(separated)} of {len(rows)}", len(separated) == len(rows)),
        Claim(
            f"the bounds of the margin are within {GAP:g} of each other",
            f"{len(close)} of {len(rows)}",
            len(close) == len(rows),
        ),
        Claim("p near 1 is the sparser one", f"on {sum(sparser)} of {len(names)} sets", all(sparser)),
        Claim(
            "p near 1 has the smaller test error on each set (p = 2 first)",
            errors,
            all(means[data, "1+1/log d"][1] < means[data, "2"][1] for data in names),
        ),
    ]


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the sizes of the solutions and the test errors against p, one line a set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.8), layout="constrained")
    axes = figure.subplots(1, 2)
    rows = summary["rows"]
    for data in dict.fromkeys(row["data"] for row in rows):
        norms = list(dict.fromkeys(row["norm"] for row in rows))
        groups = [[row for row in rows if (row["data"], row["norm"]) == (data, norm)] for norm in norms]
        exponents = [group[0]["p"] for group in groups]
        for axis, key in zip(axes, ("l1_over_l2", "test_error"), strict=True):
            axis.plot(exponents, [np.mean([row[key] for row in group]) for group in groups], ".-", label=data)
    axes[0].set(xlabel="p", ylabel="|w|_1 / |w|_2", yscale="log")
    axes[1].set(xlabel="p", ylabel="error on held-out rows")
    axes[0].legend(fontsize="small")
    path = folder / "margins.png"
    figure.savefig(path, dpi=110)
    return [path]


EXPERIMENT = Experiment(
    name="interpolation_real",
    description="Largest margins under lp norms on real data: bounds, sparsity, errors.",
    run=run,
    plot=plot,
)
