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

    A row is what the arrays hold of one class, or of the only problem where that has a single output.

    Attributes
    ----------
    loss : Loss
    regularizer : Regularizer
    coefficients : ndarray of shape (n_rows, n_features)
    intercepts : ndarray of shape (n_rows,)
    dual_points : ndarray of shape (n_rows, n_samples)
    claims : tuple of Claim
        One a problem.
    fit_intercept : bool
    data : Fingerprint
        Of the data that the model was fitted on.
    classes : ndarray of shape (n_classes,), or None for regression
        A loss of several classes has one problem, with a row for each. Any other has one problem
        for two classes, in which the second is +1, and for more problem k tells class k (+1) from the rest.
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
        count, rows = self._counts()
        if len(self.claims) != count:
            raise InvalidInputError(f"there are {len(self.claims)} certificates for {count} problems")
        n, d = self.data.n_samples, self.data.n_features
        expected = {"coefficients": (rows, d), "intercepts": (rows,), "dual_points": (rows, n)}
        for name, shape in expected.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise InvalidInputError(f"{name} has shape {array.shape}, not {shape}")
            if not np.all(np.isfinite(array)):
                raise InvalidInputError(f"{name} has values that are not finite")
        self.regularizer.check(d)
        if self.feature_names is not None and len(self.feature_names) != d:
            raise InvalidInputError(f"there are {len(self.feature_names)} feature names for {d} features")

    def _counts(self) -> tuple[int, int]:
        """The problems, and the rows of the arrays."""
        if (self.classes is None) != (self.loss.task == "regression"):
            raise InvalidInputError(f"the loss {self.loss.name!r} does not go with the classes of the file")
        if self.classes is None:
            return 1, 1
        n_classes = len(self.classes)
        if n_classes < 2:
            raise InvalidInputError(f"there are {n_classes} classes")
        if self.loss.vector_output:
            return 1, n_classes
        return (1, 1) if n_classes == 2 else (n_classes, n_classes)

    @property
    def n_problems(self) -> int:
        """1, or the number of classes where each of more than two has its own."""
        return len(self.claims)

    def coordinates(self, index: int) -> FloatArray:
        """The primal point of one problem: its coefficients, and the intercept if it has one."""
        rows = self.coefficients
        if self.fit_intercept:
            rows = np.column_stack([rows, self.intercepts])
        return np.ascontiguousarray(rows.T) if self.loss.vector_output else rows[index].copy()

    def dual_point(self, index: int) -> FloatArray:
        """The dual point of one problem."""
        points = self.dual_points
        return np.ascontiguousarray(points.T) if self.loss.vector_output else points[index]
