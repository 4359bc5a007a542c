"""Scikit-learn: liblinear, saga, Newton methods and coordinate descent."""

from __future__ import annotations

from typing import Any, ClassVar

import sklearn

from benchmarks.instance import Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = [
    "LiblinearDual",
    "LiblinearPrimal",
    "NewtonCG",
    "NewtonCholesky",
    "Saga",
    "SklearnCD",
    "sklearn_penalty",
]


def sklearn_penalty(l1_ratio: float) -> dict[str, Any]:
    """Return the arguments that choose the penalty of scikit-learn's LogisticRegression."""
    if tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 8):
        return {"l1_ratio": l1_ratio}
    if 0 < l1_ratio < 1:
        return {"penalty": "elasticnet", "l1_ratio": l1_ratio}
    return {"penalty": "l1" if l1_ratio else "l2"}


class _Liblinear(Peer):
    r"""Liblinear: :math:`C\sum_i \phi_i + \|w\|_1` or :math:`C\sum_i\phi_i + \frac12\|w\|^2`.

    Hence :math:`C = 1/(n(l_1 + l_2))`, one of the two being 0. Its squared hinge is ours, without 1/2.
    """

    module = "sklearn"
    dual: ClassVar[bool]

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        shared: dict[str, Any] = {
            "C": 1.0 / (instance.n_samples * (instance.l1 + instance.l2)),
            "dual": self.dual,
            "tol": tolerance,
            "fit_intercept": False,
            "max_iter": UNLIMITED,
            "random_state": 0,
        }
        if instance.loss == "logistic":
            model = LogisticRegression(solver="liblinear", **sklearn_penalty(instance.l1_ratio), **shared)
        else:
            model = LinearSVC(loss=instance.loss, penalty="l1" if instance.l1 else "l2", **shared)
        return model.fit(A, instance.b).coef_


class LiblinearPrimal(_Liblinear):
    """Trust-region Newton for l2, newGLMNET and coordinate descent for l1."""

    name = "liblinear"
    dual = False
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l1", "l2"), "squared_hinge": ("l1", "l2")}


class LiblinearDual(_Liblinear):
    """Dual coordinate descent, for l2 only."""

    name = "liblinear-dual"
    dual = True
    served: ClassVar[dict[str, tuple[str, ...]]] = {
        "logistic": ("l2",),
        "hinge": ("l2",),
        "squared_hinge": ("l2",),
    }


class _SklearnLogistic(Peer):
    r"""Other solvers of scikit-learn: :math:`C\sum_i\phi_i + r\|w\|_1 + \frac{1-r}2\|w\|^2`.

    Hence :math:`r = l_1/(l_1+l_2)` and :math:`C = 1/(n(l_1+l_2))`.
    """

    module = "sklearn"
    solver: ClassVar[str]

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(
            solver=self.solver,
            **sklearn_penalty(instance.l1_ratio),
            C=1.0 / (instance.n_samples * (instance.l1 + instance.l2)),
            tol=tolerance,
            fit_intercept=False,
            max_iter=UNLIMITED,
            random_state=0,
        )
        return model.fit(A, instance.b).coef_


class Saga(_SklearnLogistic):
    """Stochastic average gradients."""

    name = solver = "saga"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l1", "l2", "elastic net")}


class NewtonCG(_SklearnLogistic):
    """Newton with conjugate gradients."""

    name = solver = "newton-cg"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l2",)}


class NewtonCholesky(_SklearnLogistic):
    """Newton with the d x d Hessian, so only for few features."""

    name = solver = "newton-cholesky"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l2",)}

    def refusal(self, instance: Instance) -> str | None:
        """Refuse Hessians of more than 2,000 columns as well."""
        if instance.A.shape[1] > 2000:
            return "its Hessian has more than 2,000 columns"
        return super().refusal(instance)


class SklearnCD(Peer):
    r"""Coordinate descent of scikit-learn.

    :math:`\frac1{2n}\|b-Aw\|^2 + \alpha(r\|w\|_1 + \frac{1-r}2\|w\|^2)`,
    hence :math:`\alpha = l_1 + l_2` and :math:`r = l_1/(l_1+l_2)`.
    """

    name = "sklearn-cd"
    module = "sklearn"
    layout = "columns"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"squared": ("l1", "elastic net")}

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        from sklearn.linear_model import ElasticNet, Lasso

        shared: dict[str, Any] = {"tol": tolerance, "fit_intercept": False, "max_iter": UNLIMITED}
        if instance.l2 == 0:
            return Lasso(alpha=instance.l1, **shared).fit(A, instance.b).coef_
        strength = {"alpha": instance.l1 + instance.l2, "l1_ratio": instance.l1_ratio}
        return ElasticNet(**strength, **shared).fit(A, instance.b).coef_
