"""The regularizers by name, and the choice of one from strengths and bounds."""

import numpy as np
import numpy.typing as npt

from fenchel.regularizers.base import Regularizer
from fenchel.regularizers.box import Box
from fenchel.regularizers.elastic_net import ElasticNet
from fenchel.regularizers.group_l2 import GroupL2
from fenchel.regularizers.group_l2_ball import GroupL2Ball
from fenchel.regularizers.l1 import L1
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.regularizers.l1_inf_ball import L1InfBall
from fenchel.regularizers.l2_ball import L2Ball
from fenchel.regularizers.non_negative import NonNegative
from fenchel.regularizers.none import NoPenalty
from fenchel.regularizers.nuclear_ball import NuclearBall
from fenchel.regularizers.relative_entropy import RelativeEntropy
from fenchel.regularizers.ridge import Ridge
from fenchel.regularizers.row_column_ball import RowColumnBall
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.regularizers.simplex import Simplex
from fenchel.regularizers.solid_simplex import SolidSimplex
from fenchel.regularizers.squared_lp import SquaredLp

__all__ = ["REGULARIZERS", "make_regularizer"]

REGULARIZERS: dict[str, type[Regularizer]] = {
    "none": NoPenalty,
    "l1": L1,
    "ridge": Ridge,
    "elastic_net": ElasticNet,
    "box": Box,
    "non_negative": NonNegative,
    "l1_ball": L1Ball,
    "solid_simplex": SolidSimplex,
    "l2_ball": L2Ball,
    "simplex": Simplex,
    "group_l2": GroupL2,
    "group_l2_ball": GroupL2Ball,
    "l1_inf_ball": L1InfBall,
    "nuclear_ball": NuclearBall,
    "row_column_ball": RowColumnBall,
    "squared_lp": SquaredLp,
    "relative_entropy": RelativeEntropy,
}


def make_regularizer(
    l1: float = 0.0,
    l2: float = 0.0,
    *,
    weights: npt.ArrayLike | None = None,
    lower: npt.ArrayLike | None = None,
    upper: npt.ArrayLike | None = None,
) -> SeparableRegularizer:
    r"""Return the simplest regularizer with these strengths and bounds.

    .. math:: g(w) = \sum_j \omega_j \Bigl(l_1 |w_j| + \frac{l_2}{2} w_j^2\Bigr)
              + \mathbb 1[lo_j \le w_j \le hi_j]

    Parameters
    ----------
    l1, l2 : float, finite and >= 0, default 0.0
        The strengths of the penalty.
    weights : array-like of shape (n_features,), default None
        The factors :math:`\omega_j`; None means 1.
    lower, upper : float or array-like of shape (n_features,), default None
        The bounds; None leaves that side open.

    Returns
    -------
    SeparableRegularizer
        NoPenalty, L1, Ridge or ElasticNet without bounds; NonNegative when the only bound is a lower
        one of 0; else Box.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Examples
    --------
    >>> make_regularizer(l1=0.1)
    L1(strength=0.1, weights=None)
    >>> make_regularizer(l2=2.0, lower=0.0)
    NonNegative(l1=0.0, l2=2.0, weights=None)
    >>> make_regularizer(upper=1.0)
    Box(lower=-inf, upper=1.0, l1=0.0, l2=0.0, weights=None)
    """
    if lower is None and upper is None:
        return _penalty(l1, l2, weights)
    low = -np.inf if lower is None else lower
    if upper is None and np.ndim(low) == 0 and low == 0:
        return NonNegative(l1, l2, weights)
    return Box(low, np.inf if upper is None else upper, l1, l2, weights)


def _penalty(l1: float, l2: float, weights: npt.ArrayLike | None) -> SeparableRegularizer:
    if l1 == 0 and l2 == 0:
        return NoPenalty()
    if l2 == 0:
        return L1(l1, weights)
    return Ridge(l2, weights) if l1 == 0 else ElasticNet(l1, l2, weights)
