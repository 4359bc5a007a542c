r"""One problem of several classes, and how scikit-learn is given it.

Ours is a mean, :math:`\frac1n \sum_i \phi(W^\top a_i, b_i) + \frac{l_2}2\|W\|^2`; scikit-learn's are sums,
:math:`C \sum_i \phi_i + \frac12\|W\|^2`, so that :math:`C = 1/(n l_2)`. Nobody fits an intercept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.instance import FloatArray, Matrix
from benchmarks.limited import cpu_limit
from benchmarks.peers.base import UNLIMITED
from fenchel import Problem, RelativeGap, Result, solve
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.regularizers import Ridge

__all__ = ["PROVEN", "MulticlassInstance"]

PROVEN = 3e-7
"""The relative gap to which the optimum of the hinge is found first: peers are judged by what it proves."""


@dataclass(frozen=True, eq=False)
class MulticlassInstance:
    """The rows in CSR with 32-bit indices, the labels and their one-hot rows, the loss and its l2 part."""

    A: Matrix
    y: FloatArray
    b: FloatArray
    loss: str
    l2: float

    @classmethod
    def of(cls, A: Matrix, y: FloatArray, loss: str, l2: float) -> MulticlassInstance:
        """Take the classes that occur."""
        rows = sp.csr_matrix(A)
        rows.sort_indices()
        parts = (rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
        classes, label = np.unique(y, return_inverse=True)
        return cls(sp.csr_matrix(parts, shape=rows.shape), y, np.eye(len(classes))[label], loss, l2)

    @property
    def C(self) -> float:
        return 1.0 / (len(self.y) * self.l2)

    @property
    def peers(self) -> tuple[str, ...]:
        return ("lbfgs", "saga") if self.loss == "softmax" else ("crammer_singer",)

    def problem(self) -> Problem:
        """The problem as fenchel sees it."""
        loss = Softmax() if self.loss == "softmax" else MulticlassHinge()
        return Problem(self.A, self.b, loss, Ridge(self.l2))

    def options(self, tolerance: float) -> dict[str, Any]:
        """What every estimator of scikit-learn is given."""
        return {
            "C": self.C,
            "tol": tolerance,
            "fit_intercept": False,
            "max_iter": UNLIMITED,
            "random_state": 0,
        }

    def fit_peer(self, name: str, tolerance: float) -> FloatArray:
        """The coefficients, a column a class, of a fit that stops at scikit-learn's own tolerance."""
        shared = self.options(tolerance)
        if name == "crammer_singer":
            model = LinearSVC(multi_class=name, **shared)
        else:
            model = LogisticRegression(solver=name, **shared)
        return np.ascontiguousarray(model.fit(self.A, self.y).coef_.T, dtype=np.float64)

    def solve(self, target: float, limit: float) -> Result:
        """Ours, with the choice of solvers that the estimators make."""
        return solve(self.problem(), stopping=RelativeGap(target), callback=cpu_limit(limit))

    def proven_gap(self, target: float, limit: float) -> Callable[[], float]:
        """Fit ours; what is returned recomputes the gap of its two points."""
        result = self.solve(target, limit)
        return lambda: self.problem().certify(result.w, result.u).relative_gap

    def lower_bound(self, limit: float) -> tuple[float, float]:
        """What a long run proves about the optimum, and the gap it leaves; a smooth loss needs none."""
        if self.loss == "softmax":
            return -np.inf, 0.0
        certificate = self.solve(PROVEN, limit).certificate
        return certificate.dual, certificate.relative_gap

    def relative_gap(self, w: FloatArray, lower: float) -> float:
        """The gap of any coefficients, by their own dual point or by a known lower bound."""
        certificate = self.problem().certify(w)
        return (certificate.primal - max(certificate.dual, lower)) / abs(certificate.primal)
