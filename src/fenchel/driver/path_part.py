"""A problem on the features that can be non-zero, at any strength."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.solvers.coordinate.orthant_newton import OrthantNewton
from fenchel.typing import FloatArray, IndexArray

__all__ = ["FormPenalty", "Part"]


@dataclass(frozen=True, eq=False)
class FormPenalty(SeparableRegularizer):
    """The penalty that a form describes."""

    name: ClassVar[str] = "form"
    form: CoordinateForm

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        return self.form

    def times(self, factor: float, features: IndexArray | slice = slice(None)) -> FormPenalty:
        """The penalty of some features, times a factor; the bounds stay."""
        form = self.form.restrict(features)
        return FormPenalty(replace(form, l1=factor * form.l1, l2=factor * form.l2))


@dataclass(frozen=True, eq=False)
class Part:
    """The problem on ``features``, in ascending order, with the penalty at strength 1."""

    features: IndexArray
    problem: Problem
    penalty: FormPenalty
    inside: IndexArray
    """The coordinates of the whole problem that are those of the part."""

    @classmethod
    def of(cls, whole: Problem, penalty: FormPenalty, features: IndexArray) -> Part:
        """Take the features out of a problem; it copies their columns."""
        own = penalty.times(1.0, features)
        free = np.arange(whole.n_features, whole.n_coordinates)
        return cls(features, whole.restricted(features, own), own, np.concatenate([features, free]))

    @cached_property
    def columns(self) -> FloatArray:
        """The columns of the part as a dense array, for small ones."""
        return self.problem.design.select_columns(np.arange(self.problem.n_coordinates))

    @cached_property
    def follows(self) -> bool:
        """Whether Newton steps on orthants follow the path here, at any strength."""
        return OrthantNewton.serves(self.problem)

    def at(self, strength: float) -> Problem:
        """The problem at a strength."""
        return self.problem.with_regularizer(self.penalty.times(strength))

    def widened(self, w: FloatArray, n_coordinates: int) -> FloatArray:
        """A primal point of the whole problem from one of the part."""
        whole = np.zeros(n_coordinates)
        whole[self.inside] = w
        return whole
