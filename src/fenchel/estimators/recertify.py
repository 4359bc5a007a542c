"""Recompute the certificate of a saved model from its data, and hold the model to its claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fenchel.design.base import Design
from fenchel.design.validation import as_design
from fenchel.errors import InvalidInputError
from fenchel.estimators.labels import apply_class_weight, class_targets
from fenchel.estimators.saved_model import Claim, SavedModel
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem

__all__ = ["Verdict", "recertify", "saved_problem"]

_ROUNDING = 1e-9
"""A claim may differ from the recomputed value by this share of it: sums depend on the machine."""


@dataclass(frozen=True)
class Verdict:
    """A claim beside the certificate that the data prove.

    Attributes
    ----------
    claim : Claim
    proven : Certificate
    slack : float
        The difference that counts as rounding.
    """

    claim: Claim
    proven: Certificate
    slack: float

    @property
    def objections(self) -> tuple[str, ...]:
        """The claims that are better than the truth; empty for an honest model."""
        claim, proven, slack = self.claim, self.proven, self.slack
        # Written so that a comparison with NaN, on either side, is an objection.
        honest = {
            "primal": claim.primal >= proven.primal - slack,
            "dual": claim.dual <= proven.dual + slack,
            "gap": claim.gap >= proven.gap - slack,
            "radius": claim.radius >= proven.radius * (1.0 - _ROUNDING),
        }
        return tuple(name for name, holds in honest.items() if not holds)

    @property
    def holds(self) -> bool:
        """Whether nothing is claimed beyond what is true."""
        return not self.objections


def recertify(model: SavedModel, X: Any, y: Any, *, name: str = "the data") -> list[Verdict]:
    """Recompute every certificate of ``model`` in float64, from its coefficients and dual points alone.

    Parameters
    ----------
    model : SavedModel
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data that the model was fitted on.
    y : array-like of shape (n_samples,)
    name : str
        What error messages call the data.

    Returns
    -------
    list of Verdict
        One a problem: one a class where each of more than two is told from the rest, else a single one.

    Raises
    ------
    InvalidInputError
        When the data are not those that the model was fitted on.

    Notes
    -----
    Cost two or three passes over the data a problem.
    """
    model.data.check(X, y, name)
    design, y = as_design(X), np.asarray(y)
    problems = (saved_problem(model, design, y, index) for index in range(model.n_problems))
    return [_verdict(model, problem, index) for index, problem in enumerate(problems)]


def saved_problem(model: SavedModel, design: Design, y: np.ndarray[Any, Any], index: int) -> Problem:
    """State again one of the problems that the model claims to solve."""
    weight = np.ones(design.shape[0])
    b = y
    if model.classes is not None:
        _check_known(model.classes, y)
        b = class_targets(model.loss, y, model.classes)[index]
        weight = apply_class_weight(model.class_weight, y, model.classes, weight)
    return Problem(design, b, model.loss, model.regularizer, weight, model.fit_intercept)


def _verdict(model: SavedModel, problem: Problem, index: int) -> Verdict:
    proven = problem.certify(model.coordinates(index), model.dual_point(index))
    scale = max((abs(value) for value in (proven.primal, proven.dual) if np.isfinite(value)), default=0.0)
    # Near a zero optimum the values are differences of terms of the size of the loss at zero.
    slack = _ROUNDING * scale + 2 * problem.rounding
    return Verdict(model.claims[index], proven, slack)


def _check_known(classes: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> None:
    if not np.array_equal(np.unique(y), classes):
        raise InvalidInputError(
            f"The data have the classes {np.unique(y).tolist()}, but the model has {classes.tolist()}. "
            "Pass the training file."
        )
