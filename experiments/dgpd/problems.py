"""The data sets of the paper, or what stands in for them, as one-vs-rest problems.

The paper writes the mean of the losses. No derivative of the loss exceeds 1, so no coefficient moves from
zero where lambda is at least the largest entry of A: ``sqrt(2 / 10,000)`` for its Fourier features and
``1 / sqrt(1,000)`` for its bins, both below 0.1. Its numbers of non-zero variables can thus come from the
sum of the losses, not from the mean (with features of the usual scale). We divide the sum by n:
lambda/n and mu/n give the same minimisers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler

from benchmarks import generated
from benchmarks.data import data_folder
from benchmarks.instance import Matrix
from fenchel import Problem, RandomBinning, as_design
from fenchel.losses import SmoothedHinge
from fenchel.regularizers import ElasticNet

__all__ = ["Labelled", "fourier", "load", "loaded", "problem_of"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

SMALL_ROWS = 2000
LEAST_ROWS_OF_A_CLASS = 10


@dataclass(frozen=True, eq=False)
class Labelled:
    """A matrix by columns, and the class of each row."""

    name: str
    source: str
    A: Matrix
    labels: IntArray

    @property
    def classes(self) -> IntArray:
        """The classes, the one with the most rows first."""
        values, counts = np.unique(self.labels, return_counts=True)
        ordered: IntArray = values[np.argsort(-counts, kind="stable")]
        return ordered

    @property
    def entries_per_row(self) -> float:
        """The mean number of stored entries of a row."""
        return float(self.A.nnz / self.A.shape[0] if sp.issparse(self.A) else self.A.shape[1])


def problem_of(data: Labelled, label: int, strengths: tuple[float, float], summed: bool = True) -> Problem:
    """Return one class against the rest; ``summed`` strengths belong to the sum of the losses."""
    l1, l2 = (strength / len(data.labels) if summed else strength for strength in strengths)
    b = np.where(data.labels == label, 1.0, -1.0)
    return Problem(as_design(data.A), b, SmoothedHinge(), ElasticNet(l1, l2))


def loaded(names: tuple[str, ...], full: bool, rng: np.random.Generator) -> Iterator[Labelled]:
    """Load one after the other, so that only one is in memory."""
    for name in names:
        yield load(name, full, rng)


def load(name: str, full: bool, rng: np.random.Generator) -> Labelled:
    """Return "Mnist-RF", "Mnist-RB" or "RCV1 topic sets"; small and perhaps generated unless ``full``."""
    if name == "RCV1 topic sets":
        source, A, labels = _topic_sets(full, rng)
        return Labelled(name, source, sp.csc_matrix(A), labels)
    rows = None if not full else {"Mnist-RF": 10_000, "Mnist-RB": 20_000}[name]
    source, X, labels = _images(rows, rng)
    seed = int(rng.integers(2**31))
    if name == "Mnist-RF":
        return Labelled(name, source, fourier(X, 1000 if full else 300, seed, rng), labels)
    width = 0.5 * _median_distance(X, "cityblock", rng)
    binning = RandomBinning(n_grids=200 if full else 50, scale=width, random_state=seed)
    return Labelled(name, source, sp.csc_matrix(binning.fit_transform(X)), labels)


def fourier(X: FloatArray, n_features: int, seed: int, rng: np.random.Generator) -> FloatArray:
    """Return random Fourier features; the width is half the median distance of two rows."""
    width = 0.5 * _median_distance(X, "euclidean", rng)
    sampler = RBFSampler(gamma=0.5 / width**2, n_components=n_features, random_state=seed)
    return np.asfortranarray(sampler.fit_transform(X))


def _median_distance(X: FloatArray, metric: str, rng: np.random.Generator) -> float:
    chosen = rng.choice(len(X), min(len(X), 300), replace=False)
    return float(np.median(pdist(X[chosen], metric)))


def _images(rows: int | None, rng: np.random.Generator) -> tuple[str, FloatArray, IntArray]:
    """Return rows of Mnist, or the digits that scikit-learn carries where the file is absent."""
    path = data_folder() / "mnist.npz"
    if not path.exists():
        _refuse(path, full=rows is not None)
        X, labels = load_digits(return_X_y=True)
        return "digits of scikit-learn", X / 16.0, labels.astype(np.int64)
    with np.load(path) as stored:
        X, labels = stored["X_train"], stored["y_train"].astype(np.int64)
    chosen = np.sort(rng.choice(len(X), rows or SMALL_ROWS, replace=False))
    return f"{len(chosen)} rows of Mnist", X[chosen] / 255.0, labels[chosen]


def _topic_sets(full: bool, rng: np.random.Generator) -> tuple[str, Matrix, IntArray]:
    """Return news stories, one class a distinct set of topics; generated text where the file is absent."""
    path = data_folder() / "rcv1_topics.npz"
    if not path.exists():
        _refuse(path, full)
        A, _ = generated.text(1000, 2000, classification=True, tokens=60)
        return "generated text", A, np.argmax(A @ rng.standard_normal((2000, 5)), axis=1)
    with np.load(path) as stored:
        values = stored["data"].astype(np.float64)
        A = sp.csr_matrix((values, stored["indices"], stored["indptr"]), tuple(stored["shape"]))
        topics, bounds = stored["Y_indices"], stored["Y_indptr"]
    sets = [tuple(topics[first:last]) for first, last in pairwise(bounds)]
    numbers = {topic_set: k for k, topic_set in enumerate(dict.fromkeys(sets))}
    labels = np.array([numbers[topic_set] for topic_set in sets], dtype=np.int64)
    if not full:
        chosen = np.sort(rng.choice(len(labels), SMALL_ROWS, replace=False))
        A, labels = A[chosen], labels[chosen]
    kept = np.flatnonzero(np.bincount(labels)[labels] >= LEAST_ROWS_OF_A_CLASS)
    return f"{len(kept)} rows of rcv1_topics", A[kept], labels[kept]


def _refuse(path: Path, full: bool) -> None:
    if full:
        raise FileNotFoundError(f"{path.name} is not in {path.parent}. Set FENCHEL_DATA to its folder.")
