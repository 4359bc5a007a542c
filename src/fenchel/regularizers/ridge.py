"""The ridge penalty."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.vertices import Ray
from fenchel.regularizers.arguments import as_strength, as_weights
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["Ridge"]


@dataclass(frozen=True, eq=False)
class Ridge(SeparableRegularizer):
    r"""Half the weighted sum of squares.

    .. math:: g(w) = \frac{\mu}{2} \sum_j \omega_j w_j^2, \qquad
              g^*(v) = \sum_j \frac{v_j^2}{2 \mu \omega_j}

    The prox with step :math:`\eta` is :math:`w_j / (1 + \eta\mu\omega_j)`; the strong convexity is
    :math:`\mu \min_j \omega_j`. Where :math:`\mu\omega_j = 0` the conjugate is the indicator of 0.

    Parameters
    ----------
    strength : float, finite and >= 0
        The factor :math:`\mu`. Note the one half in the formula.
    weights : array-like of shape (n_features,), default None
        The factors :math:`\omega_j`, finite and >= 0; None means 1. A zero leaves the feature
        unpenalised. Stored as a read-only array.

    Raises
    ------
    InvalidInputError
        If an argument is out of range; from :meth:`check` and every evaluation, if the number of
        weights is not the number of features.

    Notes
    -----
    Cost O(d k) a call.

    References
    ----------
    .. [1] A. E. Hoerl and R. W. Kennard, "Ridge regression: biased estimation for nonorthogonal
       problems", Technometrics 12(1), 1970.
    .. [2] N. Parikh and S. Boyd, "Proximal algorithms", Foundations and Trends in Optimization 1(3),
       2014, section 6.1.1.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = Ridge(2.0)
    >>> penalty.value(np.array([1.0, -3.0])), penalty.conjugate(np.array([2.0, 0.0]))
    (10.0, 1.0)
    >>> penalty.prox(np.array([3.0, -6.0]), 1.0)
    array([ 1., -2.])
    >>> penalty.strong_convexity(n_features=2)
    2.0
    """

    name: ClassVar[str] = "ridge"
    strength: float
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        self._store(
            strength=as_strength(self, "strength", self.strength), weights=as_weights(self, self.weights)
        )

    @property
    def ray(self) -> Ray | None:
        """No radius and the strength; None with weights."""
        return Ray(np.inf, self.strength) if self.weights is None else None

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        self.check(n_features)
        return CoordinateForm.broadcast(n_features, l2=self.strength, weights=self.weights)
