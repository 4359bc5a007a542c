"""Coefficients that are not negative, with an optional elastic-net penalty."""

from dataclasses import dataclass
from typing import ClassVar

import numpy.typing as npt

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.arguments import as_strength, as_weights
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["NonNegative"]


@dataclass(frozen=True, eq=False)
class NonNegative(SeparableRegularizer):
    r"""The indicator of the non-negative orthant plus an elastic-net penalty.

    .. math:: g(w) = \sum_j \omega_j \Bigl(l_1 w_j + \frac{l_2}{2} w_j^2\Bigr) + \mathbb 1[w_j \ge 0],
              \qquad g^*(v) = \sum_j \frac{(v_j - \omega_j l_1)_+^2}{2 \omega_j l_2}

    Where :math:`\omega_j l_2 = 0` the conjugate is the indicator of :math:`v_j \le \omega_j l_1`. The
    prox with step :math:`\eta` is :math:`(w_j - \eta\omega_j l_1)_+ / (1 + \eta\omega_j l_2)`; the
    strong convexity is :math:`l_2 \min_j \omega_j`.

    Parameters
    ----------
    l1, l2 : float, finite and >= 0, default 0.0
        The strengths of the penalty.
    weights : array-like of shape (n_features,), default None
        The factors :math:`\omega_j`, finite and >= 0, of ``l1`` and ``l2``; None means 1. The sign
        constraint holds whatever the weight. Stored as a read-only array.

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
    .. [1] C. L. Lawson and R. J. Hanson, *Solving Least Squares Problems*, SIAM, 1995, chapter 23.
    .. [2] A. Beck, *First-Order Methods in Optimization*, SIAM, 2017, lemma 6.5.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = NonNegative(l1=1.0)
    >>> penalty.value(np.array([2.0, 0.0])), penalty.value(np.array([2.0, -0.1]))
    (2.0, inf)
    >>> penalty.prox(np.array([3.0, -3.0]), 1.0)
    array([2., 0.])
    >>> penalty.conjugate(np.array([1.0, -7.0]))
    0.0
    """

    name: ClassVar[str] = "non_negative"
    is_set: ClassVar[bool] = True
    l1: float = 0.0
    l2: float = 0.0
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        self._store(
            l1=as_strength(self, "l1", self.l1),
            l2=as_strength(self, "l2", self.l2),
            weights=as_weights(self, self.weights),
        )

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        self.check(n_features)
        return CoordinateForm.broadcast(n_features, self.l1, self.l2, lower=0.0, weights=self.weights)
