"""Pictures as vectors, one class each, and random features of them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler

from benchmarks.datasets.files import SMALL_ROWS, refuse
from benchmarks.datasets.labelled import IntArray
from benchmarks.datasets.stored import data_folder
from benchmarks.instance import FloatArray, Matrix
from fenchel import RandomBinning

__all__ = ["aloi_like", "binned", "fourier", "mnist"]

Pictures = tuple[str, FloatArray, IntArray]


def mnist(rows: int | None, rng: np.random.Generator) -> Pictures:
    """Return rows of Mnist; the digits of scikit-learn without a number of rows where the file is absent."""
    path = data_folder() / "mnist.npz"
    if not path.exists():
        refuse(path, full=rows is not None)
        X, labels = load_digits(return_X_y=True)
        return "digits of scikit-learn", X / 16.0, labels.astype(np.int64)
    with np.load(path) as stored:
        X, labels = stored["X_train"], stored["y_train"].astype(np.int64)
    chosen = np.sort(rng.choice(len(X), rows or SMALL_ROWS, replace=False))
    return f"{len(chosen)} rows of Mnist", X[chosen] / 255.0, labels[chosen]


def aloi_like(n_classes: int, rows_of_a_class: int, rng: np.random.Generator) -> Pictures:
    """Draw 128 colour counts a row in the manner of Aloi: objects, each seen from several sides.

    An object is a prototype with about 24% non-zero entries from a gamma law; a view multiplies each of
    them by ``exp(0.25 normal)`` and adds small entries at one place in fifty. Columns are scaled to 1.
    """
    shape = (n_classes, 128)
    prototypes = np.where(rng.random(shape) < 0.24, rng.gamma(0.7, size=shape), 0.0)
    labels = np.repeat(np.arange(n_classes), rows_of_a_class)
    X = prototypes[labels] * np.exp(0.25 * rng.standard_normal((len(labels), 128)))
    noisy = rng.random(X.shape) < 0.02
    X[noisy] += 0.1 * rng.gamma(0.7, size=int(noisy.sum()))
    return f"{len(labels)} rows of {n_classes} generated objects", X / X.max(axis=0), labels


def fourier(X: FloatArray, n_features: int, rng: np.random.Generator) -> FloatArray:
    """Return random Fourier features; the width is half the median distance of two rows."""
    seed = int(rng.integers(2**31))
    width = 0.5 * _median_distance(X, "euclidean", rng)
    sampler = RBFSampler(gamma=0.5 / width**2, n_components=n_features, random_state=seed)
    return np.asfortranarray(sampler.fit_transform(X))


def binned(X: FloatArray, n_grids: int, rng: np.random.Generator) -> Matrix:
    """Return random binning features; the width is half the median distance of two rows."""
    seed = int(rng.integers(2**31))
    width = 0.5 * _median_distance(X, "cityblock", rng)
    binning = RandomBinning(n_grids=n_grids, scale=width, random_state=seed)
    return sp.csc_matrix(binning.fit_transform(X))


def _median_distance(X: FloatArray, metric: str, rng: np.random.Generator) -> float:
    chosen = rng.choice(len(X), min(len(X), 300), replace=False)
    return float(np.median(pdist(X[chosen], metric)))
