"""A penalty that treats every column as if it had unit scale."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.errors import InvalidInputError
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["Standardized"]


@dataclass(frozen=True, eq=False)
class Standardized(SeparableRegularizer):
    r"""A separable penalty of the coefficients that belong to the scaled columns.

    .. math:: g(w) = \sum_j l_{1j} s_j |w_j| + \frac{l_{2j}}{2} (s_j w_j)^2 + \mathbb 1[lo_j \le w_j \le hi_j]

    With :math:`s_j` the standard deviation of column j this is the penalty on the standardised data,
    while the data and the coefficients keep their units; so do the bounds.

    Parameters
    ----------
    penalty : SeparableRegularizer
        The penalty of the scaled columns.
    scales : array-like of shape (n_features,)
        The factors :math:`s_j`, finite and > 0. Stored as a read-only array.

    Raises
    ------
    InvalidInputError
        If the penalty is not separable, or a scale is not a finite number > 0.

    Notes
    -----
    Cost O(d k) a call.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani, M. Wainwright, "Statistical Learning with Sparsity", CRC Press,
       2015, section 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.regularizers import ElasticNet
    >>> penalty = Standardized(ElasticNet(l1=1.0, l2=2.0), scales=[1.0, 10.0])
    >>> penalty.value(np.array([3.0, 0.0])), penalty.value(np.array([0.0, 0.3]))
    (12.0, 12.0)
    """

    name: ClassVar[str] = "standardized"
    penalty: SeparableRegularizer
    scales: npt.ArrayLike

    def __post_init__(self) -> None:
        if not isinstance(self.penalty, SeparableRegularizer):
            raise InvalidInputError(
                f"Standardized cannot use {self.penalty!r}: it is not a sum over coordinates, so a scale "
                "for each has no meaning. Scale the columns, or use a separable regularizer."
            )
        scales = np.array(self.scales, dtype=np.float64)
        if scales.ndim != 1 or not np.all((scales > 0) & (scales < np.inf)):
            raise InvalidInputError(
                "Standardized cannot use these scales: there is one finite number > 0 for each feature. "
                "Give a constant column the scale 1."
            )
        scales.setflags(write=False)
        self._store(scales=scales)

    def check(self, n_features: int) -> None:
        super().check(n_features)
        self.penalty.check(n_features)

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        self.check(n_features)
        form, scales = self.penalty.coordinate_form(n_features), np.asarray(self.scales)
        return CoordinateForm(form.l1 * scales, form.l2 * scales**2, form.lower, form.upper)
