"""What the cross-validated regressors share: the squared loss, and the mean squared error."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.estimators.cross_validation import PathCV
from fenchel.estimators.regression import LinearRegressor
from fenchel.losses import Loss, Squared
from fenchel.typing import FloatArray

__all__ = ["RegressorCV"]


class RegressorCV(LinearRegressor, PathCV):
    """Least squares along paths; several outputs share the strength."""

    own_score = "minus the mean squared error"

    def _loss(self) -> Loss:
        return Squared()

    def _default_scores(self, scores: FloatArray, y: Any, weight: FloatArray) -> FloatArray:
        """Minus the mean squared error."""
        errors = (scores - np.asarray(y, dtype=np.float64).reshape(len(weight), -1)) ** 2
        return -np.average(errors.mean(axis=2), axis=1, weights=weight)

    @property
    def alpha_(self) -> float:
        """The chosen strength, by its name in scikit-learn."""
        return self.strength_

    @property
    def alphas_(self) -> FloatArray:
        """The strengths, by their name in scikit-learn."""
        return self.strengths_

    @property
    def mse_path_(self) -> FloatArray:
        """The mean squared errors, by their name in scikit-learn."""
        if self.scoring is not None:
            raise AttributeError("mse_path_ is there for scoring=None alone; scores_ holds the scores.")
        return -self.scores_
