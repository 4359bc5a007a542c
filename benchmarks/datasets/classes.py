"""The data sets of the paper, or what stands in for them, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from benchmarks.datasets import texts
from benchmarks.datasets.images import aloi_like, binned, fourier, mnist
from benchmarks.datasets.labelled import Labelled, indicator

__all__ = ["DATA", "load", "loaded"]

_TEXTS: dict[str, Callable[[bool, np.random.Generator], texts.Texts]] = {
    "RCV1 topic sets": texts.topic_sets,
    "news20": texts.news20,
    "clinc150": texts.clinc150,
    "Sector-like": texts.sector_like,
    "delicious": texts.delicious,
}
DATA = ("Mnist-RF", "Mnist-RB", "Aloi-RF", "Aloi-RB", *_TEXTS)


def loaded(names: tuple[str, ...], full: bool, rng: np.random.Generator) -> Iterator[Labelled]:
    """Load one after the other, so that only one is in memory."""
    for name in names:
        yield load(name, full, rng)


def load(name: str, full: bool, rng: np.random.Generator) -> Labelled:
    """Return a data set of DATA; small, and generated where its file is absent, unless ``full``.

    Full sizes: 10,000 rows of 1,000 Fourier features, 20,000 rows in 200 grids, the whole files of text.
    """
    if name in _TEXTS:
        source, A, members = _TEXTS[name](full, rng)
        return Labelled(name, source, sp.csc_matrix(A), members)
    kind, _, feature = name.partition("-")
    rows = {"RF": 10_000, "RB": 20_000}[feature]
    if kind == "Mnist":
        source, X, labels = mnist(rows if full else None, rng)
    else:
        source, X, labels = aloi_like(*((1000, rows // 1000) if full else (40, 25)), rng)
    if feature == "RF":
        return Labelled(name, source, fourier(X, 1000 if full else 300, rng), indicator(labels))
    return Labelled(name, source, binned(X, 200 if full else 50, rng), indicator(labels))
