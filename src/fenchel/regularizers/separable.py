"""The common calculus of the regularizers that are a sum over coordinates."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.by_value import RegularizerByValue
from fenchel.typing import FloatArray

__all__ = ["SeparableRegularizer"]


@dataclass(frozen=True, eq=False)
class SeparableRegularizer(RegularizerByValue):
    r"""A regularizer :math:`g(w) = \sum_j g_j(w_j)` that one :class:`CoordinateForm` describes.

    A concrete class adds its parameters as fields and :meth:`coordinate_form`. Every method costs O(d k).
    """

    @abstractmethod
    def coordinate_form(self, n_features: int) -> CoordinateForm:
        """The per-feature strengths and bounds."""

    def value(self, w: FloatArray) -> float:
        return self.coordinate_form(w.shape[0]).value(w)

    def conjugate(self, v: FloatArray) -> float:
        return self.coordinate_form(v.shape[0]).conjugate(v)

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The minimiser over x of ``step * g(x) + ||x - w||**2 / 2``."""
        return self.coordinate_form(w.shape[0]).prox(w, step)

    def lmo(self, v: FloatArray) -> FloatArray:
        """A minimiser over w of ``<v, w> + g(w)``; infinite entries where there is none."""
        return self.coordinate_form(v.shape[0]).lmo(v)

    def strong_convexity(self, n_features: int) -> float:
        return self.coordinate_form(n_features).strong_convexity

    def conjugate_domain(self, n_features: int) -> tuple[FloatArray, FloatArray]:
        return self.coordinate_form(n_features).conjugate_domain()

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        return self.coordinate_form(v.shape[0]).conjugate_on_level(v, level)

    def check(self, n_features: int) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray) and value.size != n_features:
                raise InvalidInputError(
                    f"{type(self).__name__} cannot use {name} of length {value.size} with "
                    f"{n_features} features: there is one entry for each feature. "
                    f"Pass {n_features} entries."
                )
