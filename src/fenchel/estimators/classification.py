"""What the classifiers share: labels, the problems that the classes pose, and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from fenchel.errors import InvalidInputError
from fenchel.estimators.base import LinearModel, Task
from fenchel.estimators.labels import apply_class_weight, check_labels, class_targets, find_classes
from fenchel.estimators.multiclass import loss_for_classes
from fenchel.losses import Logistic, Loss, Softmax
from fenchel.numerics.special import log1pexp
from fenchel.typing import FloatArray

__all__ = ["LinearClassifier", "gives_probabilities", "log_probabilities"]


def gives_probabilities(estimator: Any) -> bool:
    """Whether the loss gives probabilities."""
    loss = getattr(estimator, "loss", "logistic")
    return loss in ("logistic", "softmax") or isinstance(loss, Logistic | Softmax)


class LinearClassifier(ClassifierMixin, LinearModel):  # type: ignore[misc]
    """One problem for two classes; for more, one of all classes or one for each against the rest."""

    class_weight: Any
    multi_class: Any

    def _task(self, y: Any, sample_weight: FloatArray, *, reset: bool) -> Task:
        labels = check_labels(y, len(sample_weight))
        if reset:
            self.classes_ = find_classes(labels, sample_weight)
            loss = self._loss_for(len(self.classes_))
        elif not np.isin(labels[sample_weight > 0], self.classes_).all():
            raise InvalidInputError(
                f"y has labels that the model does not know; its classes are {self.classes_.tolist()}. "
                "Pass labels of those classes."
            )
        else:
            loss = self.loss_
        weight = apply_class_weight(self.class_weight, labels, self.classes_, sample_weight)
        return Task(loss, class_targets(loss, labels, self.classes_), weight)

    def _loss_for(self, n_classes: int) -> Loss:
        """The loss of the problem or problems that so many classes pose."""
        return loss_for_classes(self._loss(), n_classes, self.multi_class)

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
            With two classes, positive for the second one; where each has its own coefficients, the
            difference of the two scores.
        """
        scores = self._scores(X)
        if len(self.classes_) > 2:
            return scores
        return scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]

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

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class.

        Only for the logistic and the softmax loss. The softmax of the scores where the classes share one
        problem; one against the rest, normalised to sum 1, where each has its own.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        probabilities: FloatArray = np.exp(self.predict_log_proba(X))
        return probabilities

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithm of :meth:`predict_proba`, accurate where that underflows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return log_probabilities(self.decision_function(X), softmax=self.loss_.vector_output)


def log_probabilities(scores: FloatArray, *, softmax: bool) -> FloatArray:
    """The logarithms of the probabilities of all classes, from the scores of the second or of each one."""
    if scores.ndim == 1:
        return np.column_stack([-log1pexp(scores), -log1pexp(-scores)])
    logs = scores if softmax else -log1pexp(-scores)
    return logs - np.logaddexp.reduce(logs, axis=1, keepdims=True)
