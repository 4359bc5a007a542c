"""From a fitted estimator to a saved model, and back to an estimator that predicts."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from fenchel.errors import InvalidInputError
from fenchel.estimators.base import LinearModel
from fenchel.estimators.classifier import Classifier
from fenchel.estimators.fingerprint import Fingerprint
from fenchel.estimators.minimum_norm import MinimumNormModel
from fenchel.estimators.penalty import Penalty
from fenchel.estimators.regressor import Regressor
from fenchel.estimators.saved_model import Claim, SavedModel

__all__ = ["from_estimator", "to_estimator"]


def from_estimator(
    estimator: LinearModel,
    X: Any,
    y: Any,
    *,
    feature_names: tuple[str, ...] | None = None,
    reading: dict[str, Any] | None = None,
) -> SavedModel:
    """Take what a model file holds from a fitted estimator and the data of its fit.

    Parameters
    ----------
    estimator : LinearModel
        Fitted on ``X`` and ``y`` without sample weights; ``class_weight`` is None or "balanced".
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    feature_names : tuple of str, optional
    reading : dict, optional
        The options with which the data file was read.

    Returns
    -------
    SavedModel

    Raises
    ------
    InvalidInputError
        When the model has several outputs, or class weights that are not "balanced", or is one of least
        norm.
    """
    check_is_fitted(estimator)
    if isinstance(estimator, MinimumNormModel):
        raise InvalidInputError(
            f"A model file cannot hold {type(estimator).__name__}, whose intercept counts in the norm. "
            "Keep it with joblib or pickle."
        )
    class_weight = getattr(estimator, "class_weight", None)
    if np.ndim(y) != 1:
        raise InvalidInputError("A model file holds one target a row. Fit and save one output at a time.")
    if class_weight not in (None, "balanced"):
        raise InvalidInputError(
            f"A model file cannot hold class_weight={class_weight!r}. Use 'balanced', or none."
        )
    coefficients = estimator.coef_.toarray() if sp.issparse(estimator.coef_) else estimator.coef_
    return SavedModel(
        loss=estimator.loss_,
        regularizer=estimator.regularizer_,
        coefficients=np.atleast_2d(coefficients),
        intercepts=np.atleast_1d(estimator.intercept_),
        dual_points=np.atleast_2d(estimator.dual_coef_),
        claims=tuple(Claim.of(certificate) for certificate in estimator.certificates_),
        fit_intercept=bool(estimator.fit_intercept),
        data=Fingerprint.of(X, y),
        classes=getattr(estimator, "classes_", None),
        class_weight=class_weight,
        feature_names=feature_names,
        reading=reading or {},
        status=estimator.status_.name,
        version=version("fenchel"),
    )


def to_estimator(model: SavedModel) -> Classifier | Regressor:
    """Return an estimator with the coefficients of ``model``: it predicts as the one that was saved."""
    estimator: Classifier | Regressor
    penalty: dict[str, Any] = Penalty.parameters(model.regularizer)
    if model.classes is None:
        estimator = Regressor(model.loss, fit_intercept=model.fit_intercept, **penalty)
        estimator.coef_, estimator.intercept_ = model.coefficients[0], model.intercepts[0]
    else:
        estimator = Classifier(
            model.loss,
            multi_class="auto" if model.loss.vector_output else "one_vs_rest",
            fit_intercept=model.fit_intercept,
            **penalty,
        )
        estimator.coef_, estimator.intercept_ = model.coefficients, model.intercepts
        estimator.classes_ = model.classes
    estimator.loss_ = model.loss
    estimator.n_features_in_ = model.data.n_features
    return estimator
