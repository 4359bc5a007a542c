"""The elastic-net penalty."""

from dataclasses import dataclass
from typing import ClassVar

import numpy.typing as npt

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.arguments import as_strength, as_weights
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["ElasticNet"]


@dataclass(frozen=True, eq=False)
class ElasticNet(SeparableRegularizer):
    r"""The sum of a lasso and a ridge penalty: sparse and strongly convex.

    .. math:: g(w) = \sum_j \omega_j \Bigl(l_1 |w_j| + \frac{l_2}{2} w_j^2\Bigr), \qquad
              g^*(v) = \sum_j \frac{(|v_j| - \omega_j l_1)_+^2}{2 \omega_j l_2}

    The prox with step :math:`\eta` is
    :math:`\operatorname{sign}(w_j)(|w_j| - \eta\omega_j l_1)_+ / (1 + \eta\omega_j l_2)`; the strong
    convexity is :math:`l_2 \min_j \omega_j`.

    Parameters
    ----------
    l1, l2 : float, finite and >= 0
        The strengths of the two parts. With ``l2 = 0`` this is :class:`L1`, with ``l1 = 0`` :class:`Ridge`.
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
    Cost O(d k) a call. The conjugate is evaluated at its maximiser in a factored form, which keeps its
    relative accuracy where :math:`|v_j|` is just above :math:`\omega_j l_1`.

    References
    ----------
    .. [1] H. Zou and T. Hastie, "Regularization and variable selection via the elastic net", Journal
       of the Royal Statistical Society B 67(2), 2005.
    .. [2] N. Parikh and S. Boyd, "Proximal algorithms", Foundations and Trends in Optimization 1(3),
       2014, section 6.5.3.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = ElasticNet(l1=1.0, l2=2.0)
    >>> penalty.value(np.array([1.0, -1.0])), penalty.conjugate(np.array([3.0, 0.5]))
    (4.0, 1.0)
    >>> penalty.lmo(np.array([-3.0, 0.5]))
    array([1., 0.])
    """

    name: ClassVar[str] = "elastic_net"
    l1: float
    l2: float
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        self._store(
            l1=as_strength(self, "l1", self.l1),
            l2=as_strength(self, "l2", self.l2),
            weights=as_weights(self, self.weights),
        )

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        self.check(n_features)
        return CoordinateForm.broadcast(n_features, self.l1, self.l2, weights=self.weights)
