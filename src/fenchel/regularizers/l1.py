"""The lasso penalty."""

from dataclasses import dataclass
from typing import ClassVar

import numpy.typing as npt

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.arguments import as_strength, as_weights
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["L1"]


@dataclass(frozen=True, eq=False)
class L1(SeparableRegularizer):
    r"""The weighted sum of absolute values, which makes coefficients exactly zero.

    .. math:: g(w) = \lambda \sum_j \omega_j |w_j|, \qquad
              g^*(v) = \mathbb 1[\,|v_j| \le \lambda \omega_j \text{ for all } j\,]

    The prox with step :math:`\eta` is soft thresholding,
    :math:`\operatorname{sign}(w_j) (|w_j| - \eta\lambda\omega_j)_+`; the strong convexity is 0.

    Parameters
    ----------
    strength : float, finite and >= 0
        The factor :math:`\lambda`.
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
    Cost O(d k) a call. The conjugate is finite on the closed interval: at
    :math:`|v_j| = \lambda\omega_j` it is 0, with no tolerance beyond it.

    References
    ----------
    .. [1] R. Tibshirani, "Regression shrinkage and selection via the lasso", Journal of the Royal
       Statistical Society B 58(1), 1996.
    .. [2] N. Parikh and S. Boyd, "Proximal algorithms", Foundations and Trends in Optimization 1(3),
       2014, section 6.5.2.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = L1(0.5, weights=[1.0, 0.0])
    >>> penalty.value(np.array([3.0, -4.0]))
    1.5
    >>> penalty.prox(np.array([3.0, -4.0]), 2.0)
    array([ 2., -4.])
    >>> penalty.conjugate(np.array([0.5, 0.0])), penalty.conjugate(np.array([0.6, 0.0]))
    (0.0, inf)
    """

    name: ClassVar[str] = "l1"
    strength: float
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        self._store(
            strength=as_strength(self, "strength", self.strength), weights=as_weights(self, self.weights)
        )

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        self.check(n_features)
        return CoordinateForm.broadcast(n_features, l1=self.strength, weights=self.weights)
