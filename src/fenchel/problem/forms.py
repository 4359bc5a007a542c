"""The regularizer coordinate by coordinate, with the intercept, which is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fenchel.errors import UnsupportedProblemError
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.base import Separable
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.typing import FloatArray

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["conjugate_domain", "coordinate_form"]


def coordinate_form(problem: Problem) -> CoordinateForm:
    """See :attr:`fenchel.Problem.coordinate_form`."""
    regularizer = problem.regularizer
    if isinstance(regularizer, SeparableRegularizer):
        form = problem.scanned_form.form
    elif isinstance(regularizer, Separable):
        form = regularizer.coordinate_form(problem.n_features)
    else:
        raise UnsupportedProblemError(
            f"{type(regularizer).__name__} is not separable, so it has no form by coordinates. "
            "Use solver='proximal_gradient'."
        )
    return form.extended_by_free(1) if problem.fit_intercept else form


def conjugate_domain(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """See :attr:`fenchel.Problem.conjugate_domain`."""
    regularizer = problem.regularizer
    if isinstance(regularizer, SeparableRegularizer):
        lower, upper = problem.scanned_form.domain
    else:
        lower, upper = regularizer.conjugate_domain(problem.n_features)
    if problem.fit_intercept:
        return np.append(lower, 0.0), np.append(upper, 0.0)
    return lower, upper
