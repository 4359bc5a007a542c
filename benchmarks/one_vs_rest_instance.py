r"""One binary problem a class, and how scikit-learn is given them.

The objective is the mean over the classes of :math:`\frac1n \sum_i \phi(w_c^\top a_i, \pm1) +
\frac{l_2}2\|w_c\|^2`, and so are its bounds: a gap of the whole is asked for, not one of every class.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.instance import FloatArray
from benchmarks.multiclass_instance import PROVEN, MulticlassInstance
from benchmarks.peers.base import UNLIMITED
from fenchel import Classifier, Problem
from fenchel.losses import Hinge, Logistic
from fenchel.regularizers import Ridge

__all__ = ["OneVsRestInstance"]


@dataclass(frozen=True, eq=False)
class OneVsRestInstance:
    """The binary problems of the classes of ``whole``: the hinge loss, or the logistic one for softmax."""

    whole: MulticlassInstance
    peers = ("liblinear_ovr",)

    def classifier(self, target: float, limit: float) -> Classifier:
        """Ours, fitted; every class to the gap."""
        loss = "logistic" if self.whole.loss == "softmax" else "hinge"
        model = Classifier(
            loss,
            l2=self.whole.l2,
            fit_intercept=False,
            multi_class="one_vs_rest",
            tol=target,
            time_limit=limit,
        )
        return model.fit(self.whole.A, self.whole.y)

    def fit(self, target: float, limit: float) -> FloatArray:
        """The coefficients of ours, a column a class."""
        return np.ascontiguousarray(self.classifier(target, limit).coef_.T)

    def fit_peer(self, name: str, tolerance: float) -> FloatArray:
        """The coefficients, a column a class; liblinear takes the classes one after the other itself."""
        shared = {
            "C": self.whole.C,
            "tol": tolerance,
            "fit_intercept": False,
            "max_iter": UNLIMITED,
            "random_state": 0,
        }
        if self.whole.loss == "multiclass_hinge":
            coef = LinearSVC(loss="hinge", **shared).fit(self.whole.A, self.whole.y).coef_
        else:
            model = LogisticRegression(solver="liblinear", **shared)
            coef = np.concatenate([model.fit(self.whole.A, b).coef_ for b in self.whole.b.T])
        return np.ascontiguousarray(coef.T, dtype=np.float64)

    def lower_bound(self, limit: float) -> tuple[float, float]:
        """What fits of ours prove about the optimum, and the gap they leave."""
        certificates = self.classifier(PROVEN, limit).certificates_
        primal, dual = (sum(getattr(c, side) for c in certificates) for side in ("primal", "dual"))
        return dual / len(certificates), (primal - dual) / primal

    def relative_gap(self, w: FloatArray, lower: float) -> float:
        """The gap of any coefficients by a known lower bound."""
        loss = Logistic() if self.whole.loss == "softmax" else Hinge()
        signs = np.ascontiguousarray((2.0 * self.whole.b - 1.0).T)
        first = Problem(self.whole.A, signs[0], loss, Ridge(self.whole.l2))
        values = [
            first.with_target(b).primal_value(np.ascontiguousarray(w_c))
            for b, w_c in zip(signs, w.T, strict=True)
        ]
        return 1.0 - lower / float(np.mean(values))
