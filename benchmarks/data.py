"""Readers of the stored data sets; each returns the matrix and the targets."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

from benchmarks.instance import FloatArray, Matrix

__all__ = ["a9a", "colon", "data_folder", "leukemia", "rcv1_binary", "w8a"]

Data = tuple[Matrix, FloatArray]


def data_folder(given: Path | None = None) -> Path:
    """Return the folder of the data files: the argument, FENCHEL_DATA, or ../shared/data."""
    if given is not None:
        return given
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("FENCHEL_DATA", default))


def _svmlight(path: Path, n_features: int) -> Data:
    A, b = load_svmlight_file(str(path), n_features=n_features)
    return sp.csr_matrix(A), np.asarray(b, dtype=np.float64)


def _shuffled(A: Matrix, b: FloatArray) -> Data:
    order = np.random.default_rng(0).permutation(len(b))
    return A[order], b[order]


def _standardised(A: FloatArray) -> FloatArray:
    """Give every column mean 0 and variance 1; constant columns become 0."""
    deviation = A.std(axis=0)
    scaled: FloatArray = (A - A.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    return scaled


def a9a(folder: Path) -> Data:
    """Census income: 32,561 x 123, sparse, binary features."""
    return _svmlight(folder / "a9a.svm.bz2", 123)


def w8a(folder: Path) -> Data:
    """Web pages: 49,749 x 300, sparse, 3% positive; shuffled, for the positives are stored together."""
    return _shuffled(*_svmlight(folder / "w8a.svm.bz2", 300))


def rcv1_binary(folder: Path) -> Data:
    """News stories, corporate or economic against government or market: 23,749 x 47,236, sparse text."""
    with np.load(folder / "rcv1_topics.npz") as stored:
        values = stored["data"].astype(np.float64)
        A = sp.csr_matrix((values, stored["indices"], stored["indptr"]), tuple(stored["shape"]))
        b = stored["y_binary"].astype(np.float64)
    kept = np.flatnonzero(b)
    return A[kept], b[kept]


def colon(folder: Path) -> Data:
    """Gene expression of tumours: 62 x 2,000, dense; log, each row and then each column standardised."""
    with np.load(folder / "colon.npz") as stored:
        log, b = np.log(stored["X"].astype(np.float64)), stored["y"].astype(np.float64)
    return _standardised(_standardised(log.T).T), b


def leukemia(folder: Path) -> Data:
    """Gene expression of leukaemia: 72 x 7,129, dense, standardised as colon; centred targets."""
    with np.load(folder / "leukemia.npz") as stored:
        A, b = stored["X"].astype(np.float64), stored["y"].astype(np.float64)
    return _standardised(_standardised(A.T).T), b - b.mean()
