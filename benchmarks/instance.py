"""One problem with its data, in the layouts that the libraries prefer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel import Problem, as_design
from fenchel.design import Design
from fenchel.losses import Hinge, Logistic, Loss, SmoothedHinge, Squared, SquaredHinge
from fenchel.regularizers import L1, ElasticNet, L1Ball, Ridge

__all__ = ["LOSSES", "Instance", "LossName", "Matrix", "mean_squared_row"]

FloatArray: TypeAlias = npt.NDArray[np.float64]
Matrix: TypeAlias = Any
"""A float64 array, or a scipy matrix in CSR or CSC; scipy has no types to tell them apart by."""
LossName: TypeAlias = Literal["logistic", "hinge", "smoothed_hinge", "squared_hinge", "squared"]

LOSSES: dict[LossName, Loss] = {
    "logistic": Logistic(),
    "hinge": Hinge(),
    "smoothed_hinge": SmoothedHinge(),
    "squared_hinge": SquaredHinge(),
    "squared": Squared(),
}


@dataclass(frozen=True, eq=False)
class Instance:
    r"""The problem :math:`\min_w \frac1n \sum_i \phi(a_i^\top w, b_i) + l_1\|w\|_1 + \frac{l_2}2\|w\|^2`.

    With a ``radius`` it is the mean of the losses alone, under :math:`\|w\|_1 \le r`. There is no
    intercept: several peers penalise theirs, which is another problem. The matrix is float64 in every layout,
    with sorted indices of 32 bits, as liblinear and saga need them. The layouts are made before any clock
    starts.
    """

    A: Matrix
    b: FloatArray
    loss: LossName
    l1: float = 0.0
    l2: float = 0.0
    radius: float = 0.0

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return int(self.A.shape[0])

    @property
    def penalty(self) -> str:
        """The penalty: "l1", "l2", "elastic net" or "l1 ball"."""
        if self.radius > 0:
            return "l1 ball"
        return "l2" if self.l1 == 0 else "l1" if self.l2 == 0 else "elastic net"

    @property
    def l1_ratio(self) -> float:
        """The share of the l1 part in ``l1 + l2``."""
        return self.l1 / (self.l1 + self.l2)

    @cached_property
    def rows(self) -> Matrix:
        """The matrix by rows: CSR, or C order."""
        if not sp.issparse(self.A):
            return np.ascontiguousarray(self.A)
        return _with_short_indices(sp.csr_matrix(self.A))

    @cached_property
    def columns(self) -> Matrix:
        """The matrix by columns: CSC, or Fortran order."""
        if not sp.issparse(self.A):
            return np.asfortranarray(self.A)
        return _with_short_indices(sp.csc_matrix(self.A))

    def handed(self, conversion: bool) -> Instance:
        """Return this problem, or for ``conversion`` a copy that has the matrix by rows alone."""
        return replace(self, A=self.rows) if conversion else self

    @property
    def family(self) -> str:
        """The name of the loss and the penalty, for the means of ratios."""
        if self.loss == "squared" and self.l1 > 0:
            return "lasso, elastic net"
        return f"{self.penalty} {self.loss.replace('_', ' ')}"

    def fenchel_problem(self, by_rows: bool = False, design: Design | None = None) -> Problem:
        """Return the problem as fenchel sees it: from the design, or the layout that its solvers visit."""
        if design is None:
            design = as_design(self.rows if by_rows or self.penalty == "l2" else self.columns)
        if self.radius > 0:
            return Problem(design, self.b, LOSSES[self.loss], L1Ball(self.radius))
        if self.l1 == 0:
            return Problem(design, self.b, LOSSES[self.loss], Ridge(self.l2))
        penalty = L1(self.l1) if self.l2 == 0 else ElasticNet(self.l1, self.l2)
        return Problem(design, self.b, LOSSES[self.loss], penalty)

    def sample(self, size: int = 60) -> Instance:
        """Return the problem on a few rows, with both classes and less l1, so that all code runs once."""
        if self.loss == "squared":
            chosen = np.arange(min(size, self.n_samples))
        else:
            halves = [np.flatnonzero(self.b == label)[: size // 2] for label in (-1.0, 1.0)]
            chosen = np.sort(np.concatenate(halves))
        return replace(self, A=self.rows[chosen], b=self.b[chosen], l1=0.1 * self.l1)


def mean_squared_row(A: Matrix) -> float:
    """Return the mean of the squared lengths of the rows."""
    entries = A.data if sp.issparse(A) else A.ravel()
    return float(entries @ entries) / float(A.shape[0])


def _with_short_indices(A: Matrix) -> Matrix:
    """Return the matrix with sorted 32-bit indices."""
    A.sort_indices()
    parts = (A.data, A.indices.astype(np.int32, copy=False), A.indptr.astype(np.int32, copy=False))
    return type(A)(parts, shape=A.shape)
