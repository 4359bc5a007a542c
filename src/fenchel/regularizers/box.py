"""Bounds on every coefficient, with an optional elastic-net penalty inside them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy.typing as npt

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.arguments import as_bounds, as_strength, as_weights
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["Box"]


@dataclass(frozen=True, eq=False)
class Box(SeparableRegularizer):
    r"""The indicator of a box plus an elastic-net penalty.

    .. math:: g(w) = \sum_j \omega_j \Bigl(l_1 |w_j| + \frac{l_2}{2} w_j^2\Bigr)
              + \mathbb 1[lo_j \le w_j \le hi_j], \qquad
              g^*(v) = \sum_j v_j x_j - g_j(x_j), \quad x = \operatorname{lmo}(-v)

    The prox is the prox of the penalty, clipped: in one dimension that is exact. :meth:`lmo` clips
    :math:`-\operatorname{sign}(v_j)(|v_j| - \omega_j l_1)_+ / (\omega_j l_2)`; without an l2 part it
    takes an end of the interval, or its point nearest zero when :math:`|v_j| \le \omega_j l_1`. The
    strong convexity is :math:`l_2 \min_j \omega_j`.

    Parameters
    ----------
    lower, upper : float or array-like of shape (n_features,)
        The bounds, ``lower <= upper``. ``-inf`` and ``inf`` leave a side open. Zero need not lie between
        them. Arrays are stored read-only.
    l1, l2 : float, finite and >= 0, default 0.0
        The strengths of the penalty inside the box.
    weights : array-like of shape (n_features,), default None
        The factors :math:`\omega_j`, finite and >= 0, of ``l1`` and ``l2``; None means 1. The bounds hold
        whatever the weight. Stored as a read-only array.

    Raises
    ------
    InvalidInputError
        If an argument is out of range, or no number lies between two bounds; from :meth:`check` and
        every evaluation, if the length of an array is not the number of features.

    Notes
    -----
    Cost O(d k) a call. With both bounds finite the conjugate is finite everywhere; without a penalty it
    is the support function of the box.

    References
    ----------
    .. [1] N. Parikh and S. Boyd, "Proximal algorithms", Foundations and Trends in Optimization 1(3),
       2014, section 6.2.4.
    .. [2] A. Beck, *First-Order Methods in Optimization*, SIAM, 2017, section 6.4.3.

    Examples
    --------
    >>> import numpy as np
    >>> box = Box(lower=-1.0, upper=[2.0, 0.5])
    >>> box.prox(np.array([3.0, -3.0]), 1.0)
    array([ 2., -1.])
    >>> box.lmo(np.array([-1.0, 4.0])), box.conjugate(np.array([1.0, -4.0]))
    (array([ 2., -1.]), 6.0)
    >>> box.value(np.array([2.0, 0.6]))
    inf
    """

    name: ClassVar[str] = "box"
    is_set: ClassVar[bool] = True
    lower: npt.ArrayLike
    upper: npt.ArrayLike
    l1: float = 0.0
    l2: float = 0.0
    weights: npt.ArrayLike | None = None

    def __post_init__(self) -> None:
        lower, upper = as_bounds(self, self.lower, self.upper)
        self._store(
            lower=lower,
            upper=upper,
            l1=as_strength(self, "l1", self.l1),
            l2=as_strength(self, "l2", self.l2),
            weights=as_weights(self, self.weights),
        )

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        self.check(n_features)
        return CoordinateForm.broadcast(
            n_features, self.l1, self.l2, self.lower, self.upper, weights=self.weights
        )
