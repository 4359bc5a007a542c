"""What the tests of the estimators share: the table of estimators, data of users' threads, and rule G."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from fenchel import (
    Certificate,
    Classifier,
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    LpPerceptron,
    MaximumMarginClassifier,
    MinimumNormRegressor,
    Regressor,
)
from fenchel.typing import FloatArray

_SMOOTH: dict[str, Any] = {"l2": 0.1, "tol": 1e-15, "solver": "primal_cd", "max_passes": 200}
"""Tight: scikit-learn compares fits with weights and with repeated rows to seven digits."""
_KINKED: dict[str, Any] = {"l2": 0.1, "tol": 1e-14, "max_passes": 300}
_NATIVE: dict[str, Any] = {"l2": 0.1, "tol": 1e-13, "max_passes": 500, "random_state": 0}
_NEAR: dict[str, Any] = {"epsilon": 1.1, "fit_intercept": True, "tol": 1e-14, "max_passes": 300}
"""The data of the checks have no exact fit, and a model that breaks constraints depends on its seed."""
_PATHS: dict[str, Any] = {"n_strengths": 3, "ratio": 0.3, "tol": 1e-11, "max_passes": 100, "random_state": 0}

ESTIMATORS: list[Any] = [
    Classifier("logistic", multi_class="one_vs_rest", **_SMOOTH),
    Classifier("hinge", multi_class="one_vs_rest", l2=2.0, tol=1e-15),
    Classifier("smoothed_hinge", l1=0.01, **_SMOOTH),
    Regressor("squared", **_SMOOTH),
    Regressor("absolute", **_KINKED),
    Regressor("huber", **_SMOOTH),
    Regressor("quantile", **_KINKED),
    Regressor("epsilon_insensitive", **_KINKED),
    Regressor("multi_squared", l2=0.1),
    Classifier("softmax", l1=0.01, **_NATIVE),
    Classifier("multiclass_hinge", **_NATIVE),
    LogisticRegression(l1="0.01max", multi_class="one_vs_rest", **_SMOOTH),
    LogisticRegression(**_NATIVE),
    LinearSVC(**_SMOOTH),
    LinearSVC(multi_class="crammer_singer", **_NATIVE),
    Lasso(),
    ElasticNet(),
    LassoCV(**_PATHS),
    ElasticNetCV(**_PATHS),
    LogisticRegressionCV(l1_ratio=0.5, cv=3, multi_class="one_vs_rest", **_PATHS),
    LogisticRegressionCV(l1_ratio=0.5, cv=3, **_PATHS),
    MinimumNormRegressor(**_NEAR),
    MinimumNormRegressor(p=1.5, **_NEAR),
    MaximumMarginClassifier(slack=1.0, fit_intercept=True, tol=1e-14, max_passes=500),
    LpPerceptron(p=1.5, fit_intercept=True, max_passes=100),
]
"""One row a loss, and one a named estimator."""


# Losses and penalties in plain NumPy, for objectives that owe nothing to the library.

LOSSES = {
    "logistic": lambda y, z: np.logaddexp(0.0, -y * z),
    "hinge": lambda y, z: np.maximum(0.0, 1.0 - y * z),
    "squared_hinge": lambda y, z: 0.5 * np.maximum(0.0, 1.0 - y * z) ** 2,
    "squared": lambda y, z: 0.5 * (y - z) ** 2,
}


def objective(
    estimator: Any,
    X: Any,
    y: FloatArray,
    *,
    loss: str,
    l1: float = 0.0,
    l2: float = 0.0,
    factors: Any = 1.0,
    sample_weight: FloatArray | None = None,
) -> float:
    """Recompute P from the coefficients of one problem; ``y`` is -1 and +1 for a classifier."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X)
    w = np.asarray(estimator.coef_, dtype=np.float64).ravel()
    z = X.astype(np.float64) @ w + float(np.ravel(estimator.intercept_)[0])
    fit = np.average(LOSSES[loss](y, z), weights=sample_weight)
    return float(fit + l1 * np.sum(factors * np.abs(w)) + 0.5 * l2 * np.sum(factors * w**2))


MULTICLASS_LOSSES = {
    "softmax": lambda z, own: logsumexp(z, axis=1) - own,
    "multiclass_hinge": lambda z, own: np.max(z + (z != own[:, None]), axis=1) - own,
}


def native_objective(
    estimator: Any, X: Any, y: Any, *, l1: float = 0.0, l2: float = 0.0, sample_weight: Any = None
) -> float:
    """Recompute P from the coefficients of all classes; the scores of no two classes may be equal."""
    X = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    z = X @ estimator.coef_.T + estimator.intercept_
    own = z[np.arange(len(z)), np.searchsorted(estimator.classes_, y)]
    fit = np.average(MULTICLASS_LOSSES[estimator.loss_.name](z, own), weights=sample_weight)
    return float(fit + l1 * np.abs(estimator.coef_).sum() + 0.5 * l2 * np.sum(estimator.coef_**2))


def assert_rule_g(
    fitted: Any, value: float, p_star: float, *, accuracy: float = 1e-9, requested: float = 1e-6
) -> None:
    """Hold a fit to its certificate, with ``value`` the objective of its coefficients in plain NumPy.

    The suboptimality is at most the reported gap, and the dual value a lower bound on the optimum. A
    fit that says it is solved is within ``requested`` of ``p_star``, which is known up to ``accuracy``.
    """
    certificate: Certificate = getattr(fitted, "certificate_", fitted)
    scale = max(1.0, abs(p_star))
    assert abs(certificate.primal - value) <= 1e-10 * scale
    assert value - p_star <= certificate.gap + max(1e-10, accuracy) * scale
    assert certificate.dual <= p_star + accuracy
    assert certificate.gap >= 0
    if fitted is not certificate and fitted.status_.solved:
        assert value - p_star <= (requested + accuracy) * scale


# Data of the threads; every function checks its own fingerprint.


def strong_penalty_data() -> tuple[FloatArray, FloatArray]:
    X = np.random.RandomState(0).rand(10, 4)
    np.testing.assert_allclose(X[0, :3], [0.548814, 0.715189, 0.602763], atol=5e-7)
    return X, np.where(np.array([0, 1, 0, 1, 1, 1, 1, 1, 1, 0]) == 1, 1.0, -1.0)


def largest_l1_data() -> tuple[FloatArray, FloatArray]:
    r = np.random.RandomState(1)
    X = r.randn(60, 15)
    y = np.where(r.rand(60) < 0.3, 1.0, -1.0)
    np.testing.assert_allclose(X[0, :3], [1.624345, -0.611756, -0.528172], atol=5e-7)
    assert (y > 0).sum() == 15
    return X, y


def offset_columns_data() -> tuple[FloatArray, FloatArray]:
    r = np.random.RandomState(2)
    X = r.normal(100, 1, (100, 2))
    y = np.where(r.rand(100) < 0.5, 1.0, -1.0)
    np.testing.assert_allclose(X[0], [99.583242, 99.943733], atol=5e-7)
    assert y.sum() == 12
    return X, y


def column_scales_data() -> tuple[FloatArray, FloatArray]:
    r = np.random.RandomState(3)
    Z = r.randn(300, 8)
    X = Z * 10.0 ** np.array([-3, -2, -1, 0, 1, 2, 4, 6])
    truth = np.array([1, -1, 0.5, 0, 2, -0.5, 1, 0])
    y = np.where(r.rand(300) < 1 / (1 + np.exp(-(Z @ truth))), 1.0, -1.0)
    np.testing.assert_allclose(Z[0, :3], [1.788628, 0.43651, 0.096497], atol=5e-7)
    assert y.sum() == -38
    return X, y


def weak_penalty_data() -> tuple[FloatArray, FloatArray]:
    r = np.random.RandomState(4)
    X = r.randn(100, 50)
    y = np.sign(r.randn(100))
    np.testing.assert_allclose(X[0, :3], [0.050562, 0.499951, -0.995909], atol=5e-7)
    assert y.sum() == 26
    return X, y


def rare_class_data() -> tuple[FloatArray, FloatArray]:
    X = np.random.RandomState(5).randn(200, 5) + 3
    X[:20, 0] += 1.5
    np.testing.assert_allclose(X[0, :3], [4.941227, 2.66913, 5.430771], atol=5e-7)
    return X, np.where(np.arange(200) < 20, 1.0, -1.0)


def three_classes_data() -> tuple[FloatArray, np.ndarray[Any, Any]]:
    r = np.random.RandomState(6)
    X = r.randn(120, 6)
    V = r.randn(6, 3)
    y = (X @ V + 0.5 * r.randn(120, 3)).argmax(axis=1)
    np.testing.assert_allclose(X[0, :3], [-0.311784, 0.729004, 0.217821], atol=5e-7)
    assert np.bincount(y).tolist() == [42, 35, 43]
    return X, y


def repetition_weights() -> np.ndarray[Any, Any]:
    s = np.random.RandomState(7).randint(0, 4, 120)
    assert s.sum() == 196
    assert (s == 0).sum() == 31
    assert s[:10].tolist() == [3, 0, 1, 2, 3, 3, 3, 3, 0, 1]
    return s


def sparse_data() -> tuple[Any, np.ndarray[Any, Any]]:
    S = sp.random(300, 50, density=0.1, format="csr", random_state=0)
    return S, np.asarray(S.sum(axis=1)).ravel() > 2.5


def factors_data() -> tuple[FloatArray, FloatArray]:
    r = np.random.RandomState(11)
    X = r.randn(40, 8)
    y = X @ np.array([2.0, -1, 0, 0, 1, 0, 0, 0]) + 0.3 * r.randn(40)
    np.testing.assert_allclose(X[0, :3], [1.749455, -0.286073, -0.484565], atol=5e-7)
    return X, y


def constrained_data() -> tuple[FloatArray, FloatArray]:
    r = np.random.RandomState(8)
    X = r.randn(80, 6)
    t = np.array([1, -1, 0.5, 0, 2, -2])
    y = np.where(r.rand(80) < 1 / (1 + np.exp(-(X @ t))), 1.0, -1.0)
    np.testing.assert_allclose(X[0, :3], [0.091205, 1.091283, -1.94697], atol=5e-7)
    assert y.sum() == -8
    return X, y
