"""What a problem refuses before any work: pairs that do not go together, and targets of another task."""

from __future__ import annotations

import numpy as np

from fenchel.design.base import Design
from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.losses.base import Loss
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["check_matrix", "check_targets"]


def check_matrix(design: Design, loss: Loss, regularizer: Regularizer, fit_intercept: bool) -> None:
    """Refuse what a matrix of coefficients cannot have."""
    if design.factored and not regularizer.takes_factors:
        raise UnsupportedProblemError(
            f"{type(design).__name__} keeps the coefficients in factors, which {type(regularizer).__name__} "
            "cannot use. Use NuclearBall."
        )
    if design.visits_coordinates:
        return
    if loss.vector_output:
        raise UnsupportedProblemError(
            f"{type(design).__name__} has a matrix of coefficients and scores of one output, but "
            f"{type(loss).__name__} has several. Use a scalar loss."
        )
    if fit_intercept:
        raise UnsupportedProblemError(
            f"{type(design).__name__} has a matrix of coefficients, and no intercept. Centre the targets."
        )


def check_targets(loss: Loss, b: FloatArray) -> None:
    """Refuse targets that are not coded as the task of the loss needs them."""
    name = type(loss).__name__
    if loss.task == "classification" and not (np.abs(b) == 1.0).all():
        raise InvalidInputError(
            f"b has values other than -1 and +1: {name} needs two classes coded so. Recode the targets, or "
            "use an estimator, which does it for you."
        )
    if loss.task == "multiclass" and not np.all((np.abs(b - 0.5) == 0.5) & (b.sum(axis=1) == 1.0)[:, None]):
        raise InvalidInputError(
            f"b has rows other than a single 1 among zeros: {name} needs one column a class, coded so. "
            "Recode the targets, or use an estimator, which does it for you."
        )
