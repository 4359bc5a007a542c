"""Texts as bags of words: each reader returns where the rows come from, the matrix, and the indicator matrix.

Where a file is absent, the small sizes take generated text whose classes are linear in the words.
"""

from __future__ import annotations

import bz2
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import MultiLabelBinarizer

from benchmarks.datasets import generated
from benchmarks.datasets.files import SMALL_ROWS, refuse
from benchmarks.datasets.labelled import IntArray, indicator
from benchmarks.datasets.stored import data_folder
from benchmarks.instance import Matrix

__all__ = ["clinc150", "delicious", "news20", "sector_like", "topic_sets"]

Texts = tuple[str, Matrix, Matrix]

LEAST_ROWS_OF_A_CLASS = 10


def topic_sets(full: bool, rng: np.random.Generator) -> Texts:
    """News stories; a class is a distinct set of topics with at least 10 stories."""
    path = data_folder() / "rcv1_topics.npz"
    if not path.exists():
        refuse(path, full)
        return _generated(5, rng)
    with np.load(path) as stored:
        values = stored["data"].astype(np.float64)
        A = sp.csr_matrix((values, stored["indices"], stored["indptr"]), tuple(stored["shape"]))
        topics, bounds = stored["Y_indices"], stored["Y_indptr"]
    sets = [tuple(topics[first:last]) for first, last in pairwise(bounds)]
    numbers = {topic_set: k for k, topic_set in enumerate(dict.fromkeys(sets))}
    labels = np.array([numbers[topic_set] for topic_set in sets], dtype=np.int64)
    chosen = _chosen(len(labels), full, rng)
    kept = chosen[np.bincount(labels[chosen])[labels[chosen]] >= LEAST_ROWS_OF_A_CLASS]
    return f"{len(kept)} rows of rcv1_topics", A[kept], indicator(labels[kept])


def news20(full: bool, rng: np.random.Generator) -> Texts:
    """Messages to 20 groups, log tf-idf, unit rows."""
    path = data_folder() / "news20.svm.bz2"
    if not path.exists():
        refuse(path, full)
        return _generated(20, rng)
    counts, groups = load_svmlight_file(str(path), n_features=62_061)
    chosen = _chosen(len(groups), full, rng)
    A = TfidfTransformer(sublinear_tf=True).fit_transform(counts[chosen])
    return f"{len(chosen)} rows of news20", A, indicator(groups[chosen].astype(np.int64))


def clinc150(full: bool, rng: np.random.Generator) -> Texts:
    """Short questions of 150 intents, the training part; tf-idf of words, unit rows."""
    path = data_folder() / "clinc150.tsv.bz2"
    if not path.exists():
        refuse(path, full)
        return _generated(30, rng)
    with bz2.open(path, "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    training = [(intent, text) for part, intent, text in lines if part == "train"]
    labels = np.unique([intent for intent, _ in training], return_inverse=True)[1]
    chosen = _chosen(len(labels), full, rng)
    A = TfidfVectorizer(sublinear_tf=True).fit_transform([training[i][1] for i in chosen])
    return f"{len(chosen)} rows of clinc150", A, indicator(labels[chosen])


def delicious(full: bool, rng: np.random.Generator) -> Texts:
    """Web pages with many tags each, every tag a class; 500 words, there or not, unit rows."""
    path = data_folder() / "delicious.multilabel.svm.bz2"
    if not path.exists():
        refuse(path, full)
        return _generated(40, rng, tags=True)
    words, tags = load_svmlight_file(str(path), n_features=500, multilabel=True)
    chosen = _chosen(len(tags), full, rng)
    members = MultiLabelBinarizer(sparse_output=True).fit_transform([tags[i] for i in chosen])
    A = TfidfTransformer(use_idf=False).fit_transform(words[chosen])
    return f"{len(chosen)} rows of delicious", A, sp.csc_matrix(members, dtype=bool)


def sector_like(full: bool, rng: np.random.Generator) -> Texts:
    """Generated text of the size of Sector: classes with words of their own over a common background.

    Three words in ten are of the 200 of the class, with geometric weights; the others follow Zipf's law.
    """
    shape = (9619, 105, 55_197, 247) if full else (600, 15, 3000, 60)
    n_samples, n_classes, n_words, tokens = shape
    labels = rng.integers(n_classes, size=n_samples)
    frequency = np.cumsum(rng.permutation(1.0 / np.arange(1, n_words + 1) ** 1.05))
    background = np.searchsorted(frequency / frequency[-1], rng.random((n_samples, tokens)))
    keywords = rng.integers(n_words, size=(n_classes, 200))
    ranks = np.minimum(rng.geometric(0.02, size=(n_samples, tokens)), 200) - 1
    own = rng.random((n_samples, tokens)) < 0.3
    words = np.where(own, keywords[labels[:, None], ranks], background)
    places = (np.repeat(np.arange(n_samples), tokens), words.ravel())
    counts = sp.csr_matrix((np.ones(words.size), places), (n_samples, n_words))
    A = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    return f"{n_samples} rows of generated text with keywords", A, indicator(labels)


def _chosen(n_samples: int, full: bool, rng: np.random.Generator) -> IntArray:
    """Return all rows in order, or 2,000 of them."""
    if full or n_samples <= SMALL_ROWS:
        return np.arange(n_samples)
    return np.sort(rng.choice(n_samples, SMALL_ROWS, replace=False))


def _generated(n_classes: int, rng: np.random.Generator, tags: bool = False) -> Texts:
    """Return text whose class is the largest of random scores; with tags every class of the best tenth."""
    A, _ = generated.text(1000, 2000, classification=True, tokens=60)
    scores = A @ rng.standard_normal((2000, n_classes))
    if tags:
        return "generated text", A, sp.csc_matrix(scores > np.quantile(scores, 0.9, axis=0))
    return "generated text", A, indicator(np.argmax(scores, axis=1))
