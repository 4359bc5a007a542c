"""CUR on gene expression: what few genes and samples rebuild, beside leverage scores, draws and the SVD.

The columns and rows with the largest scores of :class:`fenchel.CURSelector`, for a path of radii; as many by
pivoted QR, by the largest leverage scores of the leading singular vectors, by draws in proportion to these,
and by even draws (means of 20). The error is that of the best matrix that the chosen columns and rows span,
relative to the norm of the matrix; the SVD of as small a rank bounds it from below.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.linalg import qr

from benchmarks.datasets.expression import expression
from benchmarks.instance import FloatArray
from experiments.claims import Claim, claim_lines
from experiments.runner import Experiment, Summary
from fenchel import CURSelector
from fenchel.errors import ConvergenceWarning

__all__ = ["EXPERIMENT", "error_of"]

RADII = (0.5, 1.0, 2.0, 4.0)
COUNTS = (5, 10, 20)
DRAWS = 20
GAP, ORACLE = 1e-2, 1e-4

Row = dict[str, Any]


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Choose from both sets; from one generated matrix and with two radii unless ``full``."""
    rows: list[Row] = []
    for name, M in _matrices(full, rng):
        rows += _of_matrix(name, M, RADII if full else RADII[1:3], COUNTS if full else (3, 6), rng)
    found = _claims(rows)
    print("\n".join(claim_lines(found)), flush=True)
    return {"rows": rows, "claims": [claim.as_dict() for claim in found]}


def _matrices(full: bool, rng: np.random.Generator) -> Iterator[tuple[str, FloatArray]]:
    if full:
        yield "colon", expression("colon", 400)
        yield "leukemia", expression("leukemia", 400)
    else:
        factors = rng.normal(size=(20, 4)) * [4.0, 3.0, 2.0, 1.0]
        loadings = rng.normal(size=(4, 30)) * (rng.random((4, 30)) < 0.3)
        yield "generated", factors @ loadings + 0.1 * rng.normal(size=(20, 30))


def _of_matrix(
    name: str, M: FloatArray, radii: tuple[float, ...], counts: tuple[int, ...], rng: np.random.Generator
) -> list[Row]:
    rows: list[Row] = []
    for radius in radii:
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is told
            model = CURSelector(radius, oracle_accuracy=ORACLE, tol=GAP, max_passes=400).fit(M)
        fit = {
            "radius": radius,
            "relative_gap": float(model.certificate_.relative_gap),
            "seconds": round(time.process_time() - began, 3),
        }
        for count in counts:
            columns, rows_taken = (
                np.argsort(-scores, kind="stable")[:count]
                for scores in (model.column_scores_, model.row_scores_)
            )
            rows.append(_row(name, "CUR", count, error_of(M, columns, rows_taken)) | fit)
    rows += [row for count in counts for row in _others(name, M, count, rng)]
    print("\n".join(line(row) for row in rows), flush=True)
    return rows


def error_of(M: FloatArray, columns: Any, rows: Any) -> float:
    """The relative error of the best matrix that these columns and rows span."""
    C, R = M[:, columns], M[rows]
    rebuilt = C @ (np.linalg.pinv(C) @ M @ np.linalg.pinv(R)) @ R
    return float(np.linalg.norm(M - rebuilt) / np.linalg.norm(M))


def _others(name: str, M: FloatArray, count: int, rng: np.random.Generator) -> Iterator[Row]:
    left, sizes, right = np.linalg.svd(M, full_matrices=False)
    best = float(np.linalg.norm(sizes[count:]) / np.linalg.norm(sizes))
    yield _row(name, "SVD", count, best)
    pivots = [qr(side, mode="r", pivoting=True)[1][:count] for side in (M, M.T)]
    yield _row(name, "pivoted QR", count, error_of(M, *pivots))
    leverage = [np.sum(side[:count] ** 2, axis=0) for side in (right, left.T)]
    top = [np.argsort(-scores, kind="stable")[:count] for scores in leverage]
    yield _row(name, "largest leverage", count, error_of(M, *top))
    even = [np.ones(side) for side in M.shape[::-1]]
    for method, weights in (("leverage draws", leverage), ("even draws", even)):
        errors = [
            error_of(
                M, *(rng.choice(len(w), count, replace=False, p=w / w.sum(), shuffle=False) for w in weights)
            )
            for _ in range(DRAWS)
        ]
        yield _row(name, method, count, float(np.mean(errors)))


def _row(name: str, method: str, count: int, error: float) -> Row:
    return {"data": name, "method": method, "count": count, "error": error}


def line(row: Row) -> str:
    """Return a row as text."""
    fit = ""
    if "radius" in row:
        fit = f"  radius {row['radius']:<5g} gap {row['relative_gap']:.1e}  {row['seconds']:.2f} CPU s"
    return f"{row['data']:<10}{row['method']:<18}{row['count']:>4}  error {row['error']:.4f}{fit}"


def _claims(rows: list[Row]) -> list[Claim]:
    proven = [row["relative_gap"] for row in rows if row["method"] == "CUR"]
    found = [
        Claim(
            f"every choice has a certified relative gap of {GAP:g}",
            f"the largest is {max(proven):.1e}",
            max(proven) <= GAP,
        )
    ]
    for other in ("even draws", "leverage draws", "largest leverage", "pivoted QR"):
        wins, shown = [], []
        for data, count in dict.fromkeys((row["data"], row["count"]) for row in rows):
            ours, theirs = (_least(rows, data, count, method) for method in ("CUR", other))
            wins.append(ours < theirs)
            shown.append(f"{data} {count}: {ours:.3f} ({theirs:.3f})")
        found.append(
            Claim(f"the best radius leaves a smaller error than {other}", ", ".join(shown), all(wins))
        )
    return found


def _least(rows: list[Row], data: str, count: int, method: str) -> float:
    return min(
        row["error"] for row in rows if (row["data"], row["count"], row["method"]) == (data, count, method)
    )


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the errors against the radius, a panel a set and a colour a count; the others at the right."""
    from matplotlib.figure import Figure

    rows = summary["rows"]
    names = list(dict.fromkeys(row["data"] for row in rows))
    counts = list(dict.fromkeys(row["count"] for row in rows))
    figure = Figure(figsize=(6 * len(names), 4.5), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)[0]
    for panel, name in zip(panels, names, strict=True):
        for k, count in enumerate(counts):
            chosen = [row for row in rows if (row["data"], row["count"]) == (name, count)]
            path = [row for row in chosen if row["method"] == "CUR"]
            panel.plot(
                [str(row["radius"]) for row in path], [row["error"] for row in path], ".-", color=f"C{k}"
            )
            others = [row for row in chosen if row["method"] != "CUR"]
            panel.plot(
                [row["method"] for row in others], [row["error"] for row in others], "x", color=f"C{k}"
            )
        panel.set(title=f"{name}: {counts} columns and rows", xlabel="CUR with radius; others")
        panel.tick_params(axis="x", rotation=40)
    panels[0].set_ylabel("relative error")
    file = folder / "cur.png"
    figure.savefig(file, dpi=110)
    return [file]


EXPERIMENT = Experiment(
    name="frank_wolfe_cur",
    description="CUR on gene expression: error of the chosen columns and rows, beside leverage, QR and SVD.",
    run=run,
    plot=plot,
)
