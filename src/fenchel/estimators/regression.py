"""What the regressors share: real targets, several outputs, and predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import column_or_1d

from fenchel.design import as_target
from fenchel.errors import InvalidInputError
from fenchel.estimators.base import LinearModel, Task
from fenchel.estimators.penalty import Penalty
from fenchel.losses import Loss, MultiSquared, Squared
from fenchel.typing import FloatArray

__all__ = ["LinearRegressor"]


class LinearRegressor(RegressorMixin, LinearModel):  # type: ignore[misc]
    """One problem; for the squared loss with several outputs, one an output or a joint one."""

    def _task(self, y: Any, sample_weight: FloatArray, *, reset: bool) -> Task:
        loss, y = self._loss(), np.asarray(y)
        several = y.ndim == 2 and isinstance(loss, Squared | MultiSquared)
        if several or loss.vector_output:
            matrix = as_target(y, len(sample_weight), n_dim=2)
            # With a penalty that is a sum over coefficients, every output is a problem of its own.
            if isinstance(loss, Squared) and not Penalty.of(self.get_params(deep=False)).separable:
                loss = MultiSquared()
            targets = [matrix] if loss.vector_output else [column.copy() for column in matrix.T]
        else:
            self._refuse_several(loss, y)
            targets = [as_target(column_or_1d(y, warn=True), len(sample_weight))]
        if reset:
            self._several = several
        return Task(loss, targets, sample_weight)

    def _refuse_several(self, loss: Loss, y: Any) -> None:
        if y.ndim == 2 and y.shape[1] > 1:
            raise InvalidInputError(
                f"{type(self).__name__} cannot use y of shape {y.shape} with the loss {loss.name!r}, which "
                "has one output. Fit one output at a time (MultiOutputRegressor), or use loss='squared'."
            )

    def _shaped(self, rows: FloatArray) -> FloatArray:
        return rows if self._several else rows[0]

    def predict(self, X: Any) -> FloatArray:
        """Return the predicted targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._scores(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        loss = getattr(self, "loss", "squared")
        named = loss in ("squared", "multi_squared")
        tags.target_tags.multi_output = named or isinstance(loss, Squared | MultiSquared)
        return tags
