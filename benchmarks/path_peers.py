"""The paths of other libraries, one small class each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from benchmarks.instance import FloatArray, Instance, Matrix
from benchmarks.peers.base import UNLIMITED

__all__ = ["PATH_PEERS", "PathPeer"]


class PathPeer(ABC):
    """A library that fits a path of l1 strengths with warm starts; by columns, without intercept."""

    name: ClassVar[str]
    module: ClassVar[str]
    losses: ClassVar[tuple[str, ...]]

    def refusal(self, instance: Instance) -> str | None:
        """Say why this peer has no path for the problem; None when it has."""
        if instance.loss not in self.losses:
            return f"no path for the {instance.loss} loss"
        return None if find_spec(self.module) is not None else f"{self.module} is not installed"

    def fit(self, instance: Instance, strengths: FloatArray, tolerance: float) -> FloatArray:
        """Return the coefficients, one strength a row."""
        found = self._coefficients(instance.columns, instance, strengths, tolerance)
        return np.ascontiguousarray(found, dtype=np.float64)

    @abstractmethod
    def _coefficients(
        self, A: Matrix, instance: Instance, strengths: FloatArray, tolerance: float
    ) -> FloatArray:
        """Fit the path."""


class CelerPath(PathPeer):
    r"""Celer; its logistic loss is a sum: :math:`\sum_i\phi_i + \alpha\|w\|_1`, :math:`\alpha = n l_1`."""

    name = module = "celer"
    losses = ("squared", "logistic")

    def _coefficients(
        self, A: Matrix, instance: Instance, strengths: FloatArray, tolerance: float
    ) -> FloatArray:
        from celer import celer_path

        kind = {"squared": "lasso", "logistic": "logreg"}[instance.loss]
        alphas = strengths if kind == "lasso" else instance.n_samples * strengths
        shared: dict[str, Any] = {"tol": tolerance, "max_iter": UNLIMITED, "max_epochs": UNLIMITED}
        # As its LogisticRegression does.
        shared["use_PN"] = kind == "logreg"
        coefficients: FloatArray = celer_path(A, instance.b, kind, alphas=alphas, **shared)[1].T
        return coefficients


class SklearnPath(PathPeer):
    """Scikit-learn's lasso_path: coordinate descent with screening."""

    name, module = "sklearn", "sklearn"
    losses = ("squared",)

    def _coefficients(
        self, A: Matrix, instance: Instance, strengths: FloatArray, tolerance: float
    ) -> FloatArray:
        from sklearn.linear_model import lasso_path

        found = lasso_path(A, instance.b, alphas=strengths, tol=tolerance, max_iter=UNLIMITED)
        coefficients: FloatArray = found[1].T
        return coefficients


class SkglmPath(PathPeer):
    """Skglm: its solvers from strength to strength, each from the last coefficients and scores."""

    name = module = "skglm"
    losses = ("squared", "logistic")

    def _coefficients(
        self, A: Matrix, instance: Instance, strengths: FloatArray, tolerance: float
    ) -> FloatArray:
        from skglm import datafits, penalties, solvers

        logistic = instance.loss == "logistic"
        loss = datafits.Logistic() if logistic else datafits.Quadratic()
        kind = solvers.ProxNewton if logistic else solvers.AndersonCD
        solver = kind(tol=tolerance, max_iter=1000, fit_intercept=False)
        w, z = np.zeros(A.shape[1]), np.zeros(A.shape[0])
        found = []
        for strength in strengths:
            w = solver.solve(A, instance.b, loss, penalties.L1(strength), w_init=w, Xw_init=z)[0].copy()
            z = A @ w
            found.append(w)
        return np.array(found)


PATH_PEERS: tuple[PathPeer, ...] = (CelerPath(), SklearnPath(), SkglmPath())
