"""A fitted model with its claims, free of the estimator that made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.estimators.fingerprint import Fingerprint
from fenchel.losses.base import Loss
from fenchel.problem.certificate import Certificate
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["Claim", "SavedModel"]


class Claim(NamedTuple):
    """What a fit reported about one problem; only recomputing it makes it a fact."""

    primal: float
    dual: float
    gap: float
    radius: float

    @classmethod
    def of(cls, certificate: Certificate) -> Claim:
        """Take the numbers of a certificate."""
        return cls(certificate.primal, certificate.dual, certificate.gap, certificate.radius)


@dataclass(frozen=True, eq=False)
class SavedModel:
    """One linear model, or one a class, with the claims about it.

    Attributes
    ----------
    loss : Loss
    regularizer : Regularizer
    coefficients : ndarray of shape (n_problems, n_features)
    intercepts : ndarray of shape (n_problems,)
    dual_points : ndarray of shape (n_problems, n_samples)
    claims : tuple of Claim
        One a problem.
    fit_intercept : bool
    data : Fingerprint
        Of the data that the model was fitted on.
    classes : ndarray of shape (n_classes,), or None for regression
        With two classes there is one problem, in which the second is +1; with more, problem k
        tells class k (+1) from the rest.
    class_weight : "balanced" or None
        How the rows were weighted by their classes.
    feature_names : tuple of str, or None
    reading : dict
        The options that decide how the data file is read: ``target``, ``drop``.
    status, version : str
        The status of the fit, and the version of the library that wrote the file.
    """

    loss: Loss
    regularizer: Regularizer
    coefficients: FloatArray
    intercepts: FloatArray
    dual_points: FloatArray
    claims: tuple[Claim, ...]
    fit_intercept: bool
    data: Fingerprint
    classes: np.ndarray[Any, Any] | None = None
    class_weight: str | None = None
    feature_names: tuple[str, ...] | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    status: str = ""
    version: str = ""

    def __post_init__(self) -> None:
        count = len(self.claims)
        n, d = self.data.n_samples, self.data.n_features
        expected = {"coefficients": (count, d), "intercepts": (count,), "dual_points": (count, n)}
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise InvalidInputError(f"{name} has shape {array.shape}, not {shape}")
            if not np.all(np.isfinite(array)):
                raise InvalidInputError(f"{name} has values that are not finite")
        self.regularizer.check(d)
        if self.feature_names is not None and len(self.feature_names) != d:
            raise InvalidInputError(f"there are {len(self.feature_names)} feature names for {d} features")
        self._check_classes(count)

    def _check_classes(self, count: int) -> None:
        if (self.classes is None) != (self.loss.task == "regression"):
            raise InvalidInputError(f"the loss {self.loss.name!r} does not go with the classes of the file")
        if self.classes is None:
            if count != 1:
                raise InvalidInputError(f"there are {count} certificates for one regression")
            return
        n_classes = len(self.classes)
        if n_classes < 2 or count != (1 if n_classes == 2 else n_classes):
            raise InvalidInputError(f"there are {count} problems for {n_classes} classes")

    @property
    def n_problems(self) -> int:
        """1, or the number of classes when there are more than two."""
        return len(self.claims)

    def coordinates(self, index: int) -> FloatArray:
        """The primal point of one problem: its coefficients, and the intercept if it has one."""
        intercept = self.intercepts[index : index + int(self.fit_intercept)]
        return np.concatenate([self.coefficients[index], intercept])
