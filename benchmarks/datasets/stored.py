"""Readers of the stored data sets; each returns the matrix and the targets."""

from __future__ import annotations

import bz2
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

from benchmarks.instance import FloatArray, Matrix

__all__ = [
    "a9a",
    "arcene",
    "clinc150",
    "colon",
    "data_folder",
    "dorothea",
    "gisette_like",
    "leukemia",
    "madelon",
    "mnist",
    "mushrooms",
    "news20",
    "phishing",
    "rcv1_binary",
    "rcv1_classes",
    "splice",
    "w8a",
]

Data = tuple[Matrix, FloatArray]


def data_folder(given: Path | None = None) -> Path:
    """Return the folder of the data files: the argument, FENCHEL_DATA, or ../shared/data."""
    if given is not None:
        return given
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
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


def mushrooms(folder: Path) -> Data:
    """Edible or not: 8,124 x 112, sparse, binary features."""
    A, labels = _svmlight(folder / "mushrooms.svm.bz2", 112)
    return A, np.where(labels == labels.max(), 1.0, -1.0)


def phishing(folder: Path) -> Data:
    """Web sites that phish or not: 11,055 x 68, sparse, rows of unit length."""
    A, labels = _svmlight(folder / "phishing.svm.bz2", 68)
    return A, np.where(labels > 0, 1.0, -1.0)


def splice(folder: Path) -> Data:
    """Splice junctions of DNA: 3,175 x 60, dense, the letters as 1 to 4, each column standardised."""
    A, b = _svmlight(folder / "splice.svm.bz2", 60)
    return _standardised(A.toarray()), b


def madelon(folder: Path) -> Data:
    """Generated clusters with 480 features of noise: 2,600 x 500, dense, each column standardised."""
    with np.load(folder / "madelon.npz") as stored:
        A, labels = stored["X"].astype(np.float64), stored["y"]
    return _standardised(A), np.where(labels == labels.max(), 1.0, -1.0)


def rcv1_binary(folder: Path) -> Data:
    """News stories, corporate or economic against government or market: 23,749 x 47,236, sparse text."""
    with np.load(folder / "rcv1_topics.npz") as stored:
        values = stored["data"].astype(np.float64)
        A = sp.csr_matrix((values, stored["indices"], stored["indptr"]), tuple(stored["shape"]))
        b = stored["y_binary"].astype(np.float64)
    kept = np.flatnonzero(b)
    return A[kept], b[kept]


def rcv1_classes(folder: Path) -> Data:
    """News stories by their only second-level topic: 18,554 x 47,236, sparse text in 52 classes."""
    with np.load(folder / "rcv1_topics.npz") as stored:
        values = stored["data"].astype(np.float64)
        A = sp.csr_matrix((values, stored["indices"], stored["indptr"]), tuple(stored["shape"]))
        b = stored["y_multiclass"].astype(np.float64)
    kept = np.flatnonzero(b >= 0)
    return A[kept], b[kept]


def mnist(folder: Path) -> Data:
    """Handwritten digits: 60,000 x 784, 19% non-zero, pixels scaled to [0, 1]."""
    with np.load(folder / "mnist.npz") as stored:
        pixels, b = stored["X_train"].reshape(-1, 784) / 255.0, stored["y_train"].astype(np.float64)
    return sp.csr_matrix(pixels), b


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


def arcene(folder: Path) -> Data:
    """Mass spectra of patients: 100 x 10,000, each column standardised, which makes it dense."""
    with np.load(folder / "arcene.npz") as stored:
        return _standardised(stored["X"].astype(np.float64)), stored["y"].astype(np.float64)


def dorothea(folder: Path) -> Data:
    """Compounds that bind or not: 800 x 88,119, sparse and binary, 10% positive."""
    with np.load(folder / "dorothea.npz") as stored:
        ones = np.ones(len(stored["indices"]))
        A = sp.csr_matrix((ones, stored["indices"], stored["indptr"]), tuple(stored["shape"]))
        return A, stored["y"].astype(np.float64)


def gisette_like(folder: Path) -> Data:
    """Fours against nines: 6,000 x 5,000, dense, made from MNIST in the way of gisette; not gisette itself.

    The true features, 2,500 in all, are the active pixels (not zero in more than 2% of the images) and
    active geometric means of random pairs of them in the upper two thirds of the image; as many probes are
    the same columns, each with its rows shuffled. Rounded to 0..999, columns in random order, each scaled
    to [-1, 1].
    """
    rng = np.random.default_rng(0)
    with np.load(folder / "mnist.npz") as stored:
        images, digits = stored["X_train"].reshape(-1, 784), stored["y_train"]
    chosen = np.concatenate([np.flatnonzero(digits == digit)[:3000] for digit in (4, 9)])
    chosen = chosen[rng.permutation(len(chosen))]
    pixels, b = images[chosen] / 255.0, np.where(digits[chosen] == 4, 1.0, -1.0)
    active = np.flatnonzero((pixels > 0).mean(axis=0) > 0.02)[:500]
    upper = active[active // 28 < 19]
    first, second = rng.choice(upper, (2, 8000))
    together = np.flatnonzero(((pixels[:, first] > 0) & (pixels[:, second] > 0)).mean(axis=0) > 0.02)
    pairs = together[: 2500 - len(active)]
    products = pixels[:, first[pairs]] * pixels[:, second[pairs]]
    true = np.hstack([pixels[:, active], np.sqrt(products)])
    A = np.rint(999.0 * np.hstack([true, rng.permuted(true, axis=0)]))
    lowest, highest = A.min(axis=0), A.max(axis=0)
    scaled = 2.0 * (A - lowest) / np.maximum(highest - lowest, 1.0) - 1.0
    return np.ascontiguousarray(scaled[:, rng.permutation(A.shape[1])]), b


def news20(folder: Path) -> Data:
    """Newsgroups: 15,935 x 62,061, sparse text in 20 classes; tf-idf with unit rows."""
    counts, labels = _svmlight(folder / "news20.svm.bz2", 62_061)
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts), labels


def clinc150(folder: Path) -> Data:
    """Short questions: 22,500 x 6,223, sparse text in 150 classes; tf-idf of words with unit rows."""
    with bz2.open(folder / "clinc150.tsv.bz2", "rt", encoding="utf-8") as stored:
        _, intents, texts = zip(*(line.rstrip("\n").split("\t") for line in stored), strict=True)
    A = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b").fit_transform(texts)
    return A, np.unique(intents, return_inverse=True)[1].astype(np.float64)
