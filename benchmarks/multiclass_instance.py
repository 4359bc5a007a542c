r"""One problem of several classes, and how scikit-learn is given it.

Ours is a mean, :math:`\frac1n \sum_i \phi(W^\top a_i, b_i) + \frac{l_2}2\|W\|^2`; scikit-learn's are sums,
:math:`C \sum_i \phi_i + \frac12\|W\|^2`, so that :math:`C = 1/(n l_2)`. Nobody fits an intercept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from benchmarks.instance import FloatArray, Matrix
from benchmarks.limited import quiet, run_limited
from benchmarks.peers.base import UNLIMITED
from fenchel import Classifier, Problem
from fenchel.losses import MulticlassHinge, Softmax
from fenchel.regularizers import Ridge

__all__ = ["PEERS", "MulticlassInstance", "one_vs_rest"]

PEERS = {"softmax": ("lbfgs", "saga"), "multiclass_hinge": ("crammer_singer",)}


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

    def problem(self) -> Problem:
        """The problem as fenchel sees it."""
        loss = Softmax() if self.loss == "softmax" else MulticlassHinge()
        return Problem(self.A, self.b, loss, Ridge(self.l2))

    def fit_peer(self, name: str, tolerance: float) -> FloatArray:
        """The coefficients, a column a class, of a fit that stops at scikit-learn's own tolerance."""
        shared = {
            "C": self.C,
            "tol": tolerance,
            "fit_intercept": False,
            "max_iter": UNLIMITED,
            "random_state": 0,
        }
        if name == "crammer_singer":
            model = LinearSVC(multi_class=name, **shared)
        else:
            model = LogisticRegression(solver=name, **shared)
        return np.ascontiguousarray(model.fit(self.A, self.y).coef_.T, dtype=np.float64)


def one_vs_rest(instance: MulticlassInstance, limit: float) -> list[str]:
    """The CPU seconds of one-vs-rest at its default tolerance, and the accuracy on the rows it has seen."""
    if instance.loss == "softmax":
        base = LogisticRegression(solver="liblinear", C=instance.C, fit_intercept=False, max_iter=UNLIMITED)
        theirs, ours = OneVsRestClassifier(base), "logistic"
    else:
        theirs = LinearSVC(
            loss="hinge", C=instance.C, fit_intercept=False, max_iter=UNLIMITED, random_state=0
        )
        ours = "hinge"
    mine = Classifier(ours, l2=instance.l2, fit_intercept=False, multi_class="one_vs_rest")
    lines = []
    for name, model in (("fenchel", mine), ("liblinear", theirs)):
        with quiet():
            answer = run_limited(_timed(model, instance), limit)
        told = answer if isinstance(answer, str) else f"{answer[0]:.3g} s, accuracy {answer[1]:.4f}"
        lines.append(f"one-vs-rest {ours} of {name}: {told}")
    return lines


def _timed(model: object, instance: MulticlassInstance) -> Callable[[], tuple[float, float]]:
    def fit() -> tuple[float, float]:
        start = time.process_time()
        model.fit(instance.A, instance.y)  # type: ignore[attr-defined]
        return time.process_time() - start, float(model.score(instance.A, instance.y))  # type: ignore[attr-defined]

    return fit
