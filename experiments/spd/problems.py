"""The data of the paper's section 5 and Appendix B, or what stands in for them, with its strengths.

Synthetic: A and the planted vector have standard normal entries, b is the sign of the scores plus noise of
variance 1 (the paper says "some constant"). Colon is standardised by rows, then by columns; lambda = 1.
Gisette is replaced by a set built from Mnist in the same spirit, rcv1.binary by the same corpus with more
rows. There is no intercept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.datasets import generated
from benchmarks.datasets.stored import colon, data_folder, gisette_like, rcv1_binary
from benchmarks.instance import FloatArray, Matrix
from fenchel import Problem, as_design
from fenchel.losses import Loss
from fenchel.regularizers import Ridge

__all__ = ["ROWS", "Labelled", "real", "synthetic"]

ROWS = 1000


@dataclass(frozen=True, eq=False)
class Labelled:
    """A matrix by rows, its labels, and the strength of the paper."""

    name: str
    source: str
    A: Matrix
    b: FloatArray
    strength: float

    def problem(self, loss: Loss) -> Problem:
        """Return the mean loss plus half the strength times the squared length."""
        return Problem(as_design(self.A), self.b, loss, Ridge(self.strength))


def synthetic(n: int, d: int, strength: float, rng: np.random.Generator) -> Labelled:
    """Return the data of section 5.1."""
    A, planted = rng.standard_normal((n, d)), rng.standard_normal(d)
    b = np.where(A @ planted + rng.standard_normal(n) > 0, 1.0, -1.0)
    return Labelled(f"n {n}, d {d}", "generated", A, b, strength)


def real(full: bool) -> Iterator[Labelled]:
    """Load one set of section 5.2 after the other; generated data of such shapes unless ``full``."""
    if not full:
        yield Labelled("colon", "generated", *generated.gaussian(62, 400, classification=True), 1.0)
        yield Labelled("gisette-like", "generated", *generated.gaussian(240, 200, classification=True), 1e-2)
        yield Labelled("rcv1", "generated", *generated.text(400, 900, classification=True), 1e-3)
        return
    folder = data_folder()
    yield Labelled("colon", "colon.npz, standardised", *_stored(colon, folder, "colon.npz"), 1.0)
    yield Labelled("gisette-like", "built from mnist.npz", *_stored(gisette_like, folder, "mnist.npz"), 1e-2)
    yield Labelled("rcv1", "rcv1_topics.npz, binary", *_stored(rcv1_binary, folder, "rcv1_topics.npz"), 1e-3)


def _stored(
    load: Callable[[Path], tuple[Matrix, FloatArray]], folder: Path, file: str
) -> tuple[Matrix, FloatArray]:
    if not (folder / file).exists():
        raise FileNotFoundError(f"{file} is not in {folder}. Set FENCHEL_DATA to its folder.")
    return load(folder)
