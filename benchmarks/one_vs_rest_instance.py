r"""One binary problem a class, and how scikit-learn is given them.

The objective is the mean over the classes of :math:`\frac1n \sum_i \phi(w_c^\top a_i, \pm1) +
\frac{l_2}2\|w_c\|^2`, and so are its bounds: a gap of the whole is asked for, not one of every class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.instance import FloatArray
from benchmarks.multiclass_instance import PROVEN, MulticlassInstance
from fenchel import Certificate, Classifier, Problem
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

    def proven_gap(self, target: float, limit: float) -> Callable[[], float]:
        """Fit ours; what is returned gives the gap of all classes together."""
        certificates = self.classifier(target, limit).certificates_
        return lambda: _bounds(certificates)[1]

    def fit_peer(self, name: str, tolerance: float) -> FloatArray:
        """The coefficients, a column a class; liblinear takes the classes one after the other itself."""
        shared = self.whole.options(tolerance)
        if self.whole.loss == "multiclass_hinge":
            coef = LinearSVC(loss="hinge", **shared).fit(self.whole.A, self.whole.y).coef_
        else:
            model = LogisticRegression(solver="liblinear", **shared)
            coef = np.concatenate([model.fit(self.whole.A, b).coef_ for b in self.whole.b.T])
        return np.ascontiguousarray(coef.T, dtype=np.float64)

    def lower_bound(self, limit: float) -> tuple[float, float]:
        """What fits of ours prove about the optimum, and the gap they leave."""
        return _bounds(self.classifier(PROVEN, limit).certificates_)

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


def _bounds(certificates: list[Certificate]) -> tuple[float, float]:
    """The mean of the dual values, and the relative gap to that of the primal ones."""
    primal = float(np.mean([certificate.primal for certificate in certificates]))
    dual = float(np.mean([certificate.dual for certificate in certificates]))
    return dual, 1.0 - dual / primal
