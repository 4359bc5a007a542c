"""The real data of the experiments, split at random: four fifths to fit, the rest to judge by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.datasets import images, texts
from benchmarks.instance import Matrix
from experiments.mirror.real_fits import Split

__all__ = ["SETS"]

FITTED = 0.8


def _split(source: str, A: Matrix, labels: np.ndarray, rng: np.random.Generator) -> Split:
    """Number the classes from 0, and draw the rows."""
    classes, numbers = np.unique(labels, return_inverse=True)
    order = rng.permutation(len(numbers))
    first, rest = np.split(order, [int(FITTED * len(order))])
    return Split(source, A[first], numbers[first], A[rest], numbers[rest], len(classes))


def _of_texts(read: Callable[[bool, np.random.Generator], texts.Texts]) -> Callable[..., Split]:
    def split(full: bool, rng: np.random.Generator) -> Split:
        source, A, members = read(full, rng)
        labels = np.asarray(members.argmax(axis=1)).ravel()
        return _split(source, A.tocsr(), labels, rng)

    return split


def _of_mnist(full: bool, rng: np.random.Generator) -> Split:
    source, X, labels = images.mnist(60_000 if full else None, rng)
    return _split(source, X, labels, rng)


SETS: dict[str, Callable[[bool, np.random.Generator], Split]] = {
    "news20": _of_texts(texts.news20),
    "clinc150": _of_texts(texts.clinc150),
    "rcv1_topic_sets": _of_texts(texts.topic_sets),
    "mnist": _of_mnist,
}
