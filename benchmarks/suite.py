"""The problems of ``--all``: every data set with every loss that it has targets for, at three strengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.datasets import generated, stored
from benchmarks.instance import LossName
from benchmarks.problems import BenchmarkProblem

__all__ = ["FAMILIES", "OWN_FAMILIES", "Family", "parted", "suite"]

Source = Callable[[Path], stored.Data]

FRACTIONS = (0.1, 0.01, 0.001)
"""Of the smallest l1 strength with the zero solution."""
COSTS = (0.1, 1.0, 10.0)
"""C times the mean squared length of the rows: the same numbers suit rows of any length."""


@dataclass(frozen=True)
class Family:
    """A loss and a penalty; ``l1_ratio`` is 0 for l2 alone."""

    name: str
    loss: LossName
    l1_ratio: float


FAMILIES = (
    Family("l1-logistic", "logistic", 1.0),
    Family("l1-squared-hinge", "squared_hinge", 1.0),
    Family("lasso", "squared", 1.0),
    Family("elastic-net", "squared", 0.5),
    Family("l2-hinge", "hinge", 0.0),
    Family("l2-logistic", "logistic", 0.0),
)
OWN_FAMILIES = (
    Family("elastic-net-logistic", "logistic", 0.5),
    Family("elastic-net-squared-hinge", "squared_hinge", 0.5),
    Family("elastic-net-smoothed-hinge", "smoothed_hinge", 0.5),
    Family("l2-squared-hinge", "squared_hinge", 0.0),
    Family("ridge", "squared", 0.0),
)
"""More problems among which "auto" has to choose; few peers have them."""


@dataclass(frozen=True)
class DataSet:
    """A matrix with labels of -1 and 1, and where a regression makes sense with targets for that."""

    name: str
    labelled: Source
    regression: Source | None = None
    stored: bool = True


@lru_cache(maxsize=1)
def _read(reader: Source, folder: Path) -> stored.Data:
    """Read a file once for all problems with it, which follow each other."""
    return reader(folder)


def _labelled(reader: Source, label: float | None, rows: int | None, folder: Path) -> stored.Data:
    """Return the first rows, with one label against the rest, or positive targets against the others."""
    A, b = _read(reader, folder)
    return A[:rows], np.where(b > 0 if label is None else b == label, 1.0, -1.0)[:rows]


def _centred(labelled: Source, folder: Path) -> stored.Data:
    A, b = labelled(folder)
    return A, b - b.mean()


def _file(
    name: str, reader: Source, label: float | None = None, rows: int | None = None, regression: bool = False
) -> DataSet:
    """Return a stored data set; the targets of its regression are the centred labels."""
    labelled = partial(_labelled, reader, label, rows)
    return DataSet(name, labelled, partial(_centred, labelled) if regression else None)


def _made(name: str, source: Callable[..., stored.Data], *shape: int) -> DataSet:
    def make(classification: bool, _: Path) -> stored.Data:
        return source(*shape, classification=classification)

    labelled, regression = (partial(_read, partial(make, kind)) for kind in (True, False))
    return DataSet(name, labelled, regression, stored=False)


DATA = (
    _file("a9a", stored.a9a),
    _file("w8a", stored.w8a),
    _file("mushrooms", stored.mushrooms),
    _file("phishing", stored.phishing),
    _file("splice", stored.splice),
    _file("madelon", stored.madelon, regression=True),
    _file("rcv1", stored.rcv1_binary, regression=True),
    _file("news20", stored.news20, label=1.0, regression=True),
    _file("mnist", stored.mnist, label=8.0, rows=10_000, regression=True),
    _file("colon", stored.colon, regression=True),
    _file("leukemia", stored.leukemia, regression=True),
    _file("arcene", stored.arcene, regression=True),
    _file("dorothea", stored.dorothea, regression=True),
    _made("text", generated.text, 20_000, 47_000),
    _made("text-large", generated.text, 50_000, 100_000),
    _made("wide", generated.gaussian, 100, 5_000),
    _made("tall", generated.gaussian, 20_000, 500),
)


def suite(families: tuple[Family, ...] = FAMILIES) -> Iterator[BenchmarkProblem]:
    """Yield the problems, those with the same data after each other.

    One class of news20 and of mnist stands against the rest, and mnist has its first 10,000 rows.
    """
    for data, family in product(DATA, families):
        source = data.regression if family.loss == "squared" else data.labelled
        if source is None:
            continue
        problem = partial(BenchmarkProblem, source=source, loss=family.loss, stored=data.stored)
        for strength in FRACTIONS if family.l1_ratio else COSTS:
            if family.l1_ratio:
                name = f"{data.name}-{family.name}-{1 / strength:g}"
                yield problem(name, fraction=strength, l1_ratio=family.l1_ratio)
            else:
                yield problem(f"{data.name}-{family.name}-{strength:g}", C=strength, relative=True)


def parted(name: str) -> tuple[str, str, str]:
    """Return the data set, the family and the strength of a problem's name."""
    families = (family.name for family in FAMILIES + OWN_FAMILIES)
    family = max((one for one in families if f"-{one}-" in name), key=len)
    data, _, strength = name.rpartition(f"-{family}-")
    return data, family, strength
