"""A matrix whose rows belong to classes, and one class against the rest as a problem.

The paper writes the mean of the losses. No derivative of the loss exceeds 1, so no coefficient moves from
zero where lambda is at least the largest entry of A: ``sqrt(2 / 10,000)`` for its Fourier features and
``1 / sqrt(1,000)`` for its bins, both below 0.1. Its numbers of non-zero variables can thus come from the
sum of the losses, not from the mean (with features of the usual scale). We divide the sum by n:
lambda/n and mu/n give the same minimisers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.instance import FloatArray, Matrix
from fenchel import Problem, as_design
from fenchel.design import Design
from fenchel.losses import SmoothedHinge
from fenchel.regularizers import ElasticNet

__all__ = ["IntArray", "Labelled", "indicator", "problem_of"]

IntArray = npt.NDArray[np.int64]


def indicator(labels: IntArray) -> Matrix:
    """Return the sparse indicator matrix of one class a row."""
    numbers = np.unique(labels, return_inverse=True)[1]
    places = (np.arange(len(labels)), numbers)
    return sp.csc_matrix((np.ones(len(labels), dtype=bool), places))


@dataclass(frozen=True, eq=False)
class Labelled:
    """A matrix by columns, and the sparse indicator matrix of the classes: a row may have several."""

    name: str
    source: str
    A: Matrix
    members: Matrix

    @cached_property
    def design(self) -> Design:
        """The matrix as fenchel sees it, its views by rows and by columns made; all classes share it."""
        design = as_design(self.A)
        _ = design.rows, design.columns
        return design

    @property
    def classes(self) -> IntArray:
        """The classes that have rows, the one with the most first."""
        counts = np.diff(self.members.indptr)
        ordered: IntArray = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        return ordered

    @property
    def labels(self) -> IntArray:
        """The class of each row, for data whose rows have one class each."""
        numbers: IntArray = self.members.tocsr().indices.astype(np.int64)
        return numbers

    def spread(self, most: int) -> IntArray:
        """Return at most so many classes, evenly spread over their order by size, the largest first."""
        classes = self.classes
        places = np.linspace(0, len(classes) - 1, min(most, len(classes)))
        return classes[places.round().astype(np.int64)]

    def targets(self, label: int) -> FloatArray:
        """Return +1 for the rows of the class, -1 for the rest."""
        b = np.full(self.members.shape[0], -1.0)
        b[self.members.indices[self.members.indptr[label] : self.members.indptr[label + 1]]] = 1.0
        return b

    @property
    def dense(self) -> bool:
        """Whether the matrix is stored with its zeros."""
        return not sp.issparse(self.A)

    @property
    def entries_per_row(self) -> float:
        """The mean number of stored entries of a row."""
        return float(self.A.shape[1] if self.dense else self.A.nnz / self.A.shape[0])


def problem_of(data: Labelled, label: int, strengths: tuple[float, float], summed: bool = True) -> Problem:
    """Return one class against the rest; ``summed`` strengths belong to the sum of the losses."""
    l1, l2 = (strength / data.A.shape[0] if summed else strength for strength in strengths)
    return Problem(data.design, data.targets(label), SmoothedHinge(), ElasticNet(l1, l2))
