"""What the classifiers share: labels, one-against-rest problems, and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from fenchel.errors import InvalidInputError
from fenchel.estimators.base import LinearModel, Task
from fenchel.estimators.labels import apply_class_weight, check_labels, find_classes, one_against_rest
from fenchel.losses import Logistic
from fenchel.numerics.special import log1pexp
from fenchel.typing import FloatArray

__all__ = ["LinearClassifier", "is_logistic"]


def is_logistic(estimator: Any) -> bool:
    """Whether the loss gives probabilities."""
    loss = getattr(estimator, "loss", "logistic")
    return loss == "logistic" or isinstance(loss, Logistic)


class LinearClassifier(ClassifierMixin, LinearModel):  # type: ignore[misc]
    """One problem for two classes; one against the rest for each of more."""

    class_weight: Any

    def _task(self, y: Any, sample_weight: FloatArray, *, reset: bool) -> Task:
        labels = check_labels(y, len(sample_weight))
        if reset:
            self.classes_ = find_classes(labels, sample_weight)
        elif not np.isin(labels[sample_weight > 0], self.classes_).all():
            raise InvalidInputError(
                f"y has labels that the model does not know; its classes are {self.classes_.tolist()}. "
                "Pass labels of those classes."
            )
        weight = apply_class_weight(self.class_weight, labels, self.classes_, sample_weight)
        return Task(self._loss(), one_against_rest(labels, self.classes_), weight)

    def _shaped(self, rows: FloatArray) -> FloatArray:
        return rows

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive for the second one.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of the class with the largest score.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: npt.NDArray[Any] = self.classes_[chosen]
        return labels

    @available_if(is_logistic)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class; one against the rest, normalised to sum 1.

        Only for the logistic loss.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        probabilities: FloatArray = np.exp(self.predict_log_proba(X))
        return probabilities

    @available_if(is_logistic)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of :meth:`predict_proba`, accurate where that underflows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([-log1pexp(scores), -log1pexp(-scores)])
        single = -log1pexp(-scores)
        return single - np.logaddexp.reduce(single, axis=1, keepdims=True)
