"""The benchmark problems by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.datasets import generated, stored
from benchmarks.instance import LOSSES, Instance, LossName, mean_squared_row

__all__ = ["PROBLEMS", "BenchmarkProblem", "matching"]


@dataclass(frozen=True)
class BenchmarkProblem:
    r"""A data set, a loss and the strength of the penalty.

    Attributes
    ----------
    fraction : float
        :math:`l_1` over its smallest value at which the solution is zero,
        :math:`\lambda_{\max} = \|A^\top \nabla\phi(0)\|_\infty / n`. 0 leaves an l2 problem.
    C : float
        The l2 strength of an l2 problem, as :math:`l_2 = 1/(nC)`.
    relative : bool
        Divide C by the mean squared length of the rows.
    l1_ratio : float
        :math:`l_1/(l_1 + l_2)` of a problem with an l1 part.
    radius : float
        That of an l1 ball, in place of a penalty; 0 for none.
    """

    name: str
    source: Callable[[Path], stored.Data]
    loss: LossName
    fraction: float = 0.0
    C: float = 1.0
    l1_ratio: float = 1.0
    radius: float = 0.0
    stored: bool = True
    relative: bool = False

    @property
    def description(self) -> str:
        """The penalty and its strength in words."""
        if self.radius > 0:
            return f"l1 ball, radius {self.radius:g}"
        if self.fraction == 0:
            return f"l2, C = {self.C:g}" + (" / mean squared row" if self.relative else "")
        part = "l1" if self.l1_ratio == 1 else f"elastic net, l1_ratio {self.l1_ratio:g}"
        return f"{part}, lambda_max/{1 / self.fraction:g}"

    def load(self, folder: Path) -> Instance:
        """Read or generate the data; raise FileNotFoundError when the file is absent."""
        A, b = self.source(folder)
        n_samples = len(b)
        if self.radius > 0:
            return Instance(A, b, self.loss, radius=self.radius)
        if self.fraction == 0:
            length = mean_squared_row(A) if self.relative else 1.0
            return Instance(A, b, self.loss, 0.0, length / (n_samples * self.C))
        at_zero = LOSSES[self.loss].gradient(np.zeros(n_samples), b)
        l1 = self.fraction * float(np.abs(A.T @ at_zero).max()) / n_samples
        return Instance(A, b, self.loss, l1, l1 * (1 / self.l1_ratio - 1))


def _generated(
    name: str,
    source: Callable[..., stored.Data],
    loss: LossName,
    fraction: float = 0.0,
    l1_ratio: float = 1.0,
    radius: float = 0.0,
) -> BenchmarkProblem:
    def make(_: Path) -> stored.Data:
        return source(classification=loss != "squared")

    return BenchmarkProblem(name, make, loss, fraction, l1_ratio=l1_ratio, radius=radius, stored=False)


_TEXT = partial(generated.text, 20_000, 47_000)
_WIDE = partial(generated.gaussian, 100, 5_000)
_TALL = partial(generated.gaussian, 20_000, 500)
_TINY = partial(generated.gaussian, 120, 40)

PROBLEMS: tuple[BenchmarkProblem, ...] = (
    BenchmarkProblem("a9a-l1-logistic", stored.a9a, "logistic", fraction=0.01),
    BenchmarkProblem("a9a-elastic-net-logistic", stored.a9a, "logistic", fraction=0.01, l1_ratio=0.5),
    BenchmarkProblem("rcv1-l1-logistic-10", stored.rcv1_binary, "logistic", fraction=0.1),
    BenchmarkProblem("rcv1-l1-logistic-100", stored.rcv1_binary, "logistic", fraction=0.01),
    BenchmarkProblem("rcv1-l1-squared-hinge", stored.rcv1_binary, "squared_hinge", fraction=0.01),
    BenchmarkProblem("rcv1-l2-hinge", stored.rcv1_binary, "hinge"),
    BenchmarkProblem("rcv1-l2-logistic", stored.rcv1_binary, "logistic"),
    BenchmarkProblem("w8a-l2-hinge", stored.w8a, "hinge"),
    BenchmarkProblem("w8a-l2-logistic", stored.w8a, "logistic"),
    BenchmarkProblem("colon-l1-logistic", stored.colon, "logistic", fraction=0.1),
    BenchmarkProblem("leukemia-lasso-10", stored.leukemia, "squared", fraction=0.1),
    BenchmarkProblem("leukemia-lasso-100", stored.leukemia, "squared", fraction=0.01),
    BenchmarkProblem("leukemia-elastic-net", stored.leukemia, "squared", fraction=0.01, l1_ratio=0.5),
    BenchmarkProblem("a9a-l1-ball", stored.a9a, "logistic", radius=5.0),
    BenchmarkProblem("w8a-l1-ball", stored.w8a, "logistic", radius=5.0),
    BenchmarkProblem("mushrooms-l1-ball", stored.mushrooms, "logistic", radius=5.0),
    BenchmarkProblem("gisette-like-l1-ball", stored.gisette_like, "logistic", radius=5.0),
    BenchmarkProblem("leukemia-l1-ball", stored.leukemia, "squared", radius=1.0),
    _generated("text-l1-ball", _TEXT, "logistic", radius=100.0),
    _generated("text-l1-ball-wide", _TEXT, "logistic", radius=1000.0),
    _generated("text-l1-logistic", _TEXT, "logistic", fraction=0.01),
    _generated("text-l2-hinge", _TEXT, "hinge"),
    _generated("text-lasso", _TEXT, "squared", fraction=0.01),
    _generated("wide-l1-logistic", _WIDE, "logistic", fraction=0.01),
    _generated("wide-lasso", _WIDE, "squared", fraction=0.01),
    _generated("tall-l1-logistic", _TALL, "logistic", fraction=0.01),
    _generated("tall-l2-logistic", _TALL, "logistic"),
    _generated("tall-lasso", _TALL, "squared", fraction=0.01),
    _generated("tiny-l1-logistic", _TINY, "logistic", fraction=0.1),
    _generated("tiny-elastic-net-logistic", _TINY, "logistic", fraction=0.1, l1_ratio=0.5),
    _generated("tiny-l1-ball-logistic", _TINY, "logistic", radius=2.0),
    _generated("tiny-l1-ball", _TINY, "squared", radius=2.0),
    _generated("tiny-l2-logistic", _TINY, "logistic"),
    _generated("tiny-l2-hinge", _TINY, "hinge"),
    _generated("tiny-l1-squared-hinge", _TINY, "squared_hinge", fraction=0.1),
    _generated("tiny-l2-squared-hinge", _TINY, "squared_hinge"),
    _generated("tiny-lasso", _TINY, "squared", fraction=0.1),
    _generated("tiny-elastic-net", _TINY, "squared", fraction=0.1, l1_ratio=0.5),
)


def matching(patterns: list[str], among: Iterable[BenchmarkProblem] = PROBLEMS) -> list[BenchmarkProblem]:
    """Return the problems whose name matches one of the patterns; without patterns all but the tiny ones."""
    if not patterns:
        return [problem for problem in among if not problem.name.startswith("tiny-")]
    return [problem for problem in among if any(fnmatch(problem.name, text) for text in patterns)]
