"""A separable regularizer and its conjugate, each value of the conjugate by one scan of its argument."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from fenchel._kernels.coordinate import form_conjugate, form_excess, largest_scale
from fenchel.numerics.coordinate import CoordinateForm, bound_on_level
from fenchel.typing import FloatArray

__all__ = ["ScannedForm"]


class ScannedForm:
    """What a regularizer tells of its conjugate, by kernels that read a vector once and allocate nothing.

    It has the value of the regularizer too, from a form that is made once. Certificates ask for these values
    several times each, and on wide data they cost as much as a pass.

    Parameters
    ----------
    form : CoordinateForm
        Of the features.

    Attributes
    ----------
    form : as given.
    """

    def __init__(self, form: CoordinateForm) -> None:
        self.form = form

    @cached_property
    def domain(self) -> tuple[FloatArray, FloatArray]:
        """The interval of each feature on which the conjugate is finite, as two arrays."""
        return self.form.conjugate_domain()

    @cached_property
    def whole_lines(self) -> bool:
        """Whether no such interval has an end."""
        return self.form.curved or all(bool(np.isinf(ends).all()) for ends in self.domain)

    def value(self, w: FloatArray) -> float:
        """``g(w)``."""
        return self.form.value(w)

    def conjugate(self, v: FloatArray) -> float:
        """``g*(v)``."""
        return form_conjugate(self.form, v)

    def conjugate_scale(self, v: FloatArray) -> float:
        """The largest ``s`` in [0, 1] with ``g*(s * v)`` finite."""
        scale = largest_scale(*self.domain, v)
        # The quotient rounds, so that scale * v can miss the interval by an ulp: step down until it does not.
        while 0.0 < scale < 1.0 and largest_scale(*self.domain, scale * v) < 1.0:
            scale = float(np.nextafter(scale, 0.0))
        return scale

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """An upper bound on ``sup <v, w> - g(w)`` over ``g(w) <= level``."""
        return bound_on_level(form_excess(self.form, v), level)
