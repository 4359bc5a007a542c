"""The bounded sets that stand in for penalties where a method needs a best response everywhere."""

from __future__ import annotations

import numpy as np

from fenchel.regularizers.base import Regularizer
from fenchel.regularizers.box import Box
from fenchel.regularizers.elastic_net import ElasticNet
from fenchel.regularizers.group_l2 import GroupL2
from fenchel.regularizers.group_l2_ball import GroupL2Ball
from fenchel.regularizers.l1 import L1
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.regularizers.l2_ball import L2Ball
from fenchel.regularizers.non_negative import NonNegative
from fenchel.regularizers.ridge import Ridge

__all__ = ["bounded_on_level"]

_LEAST = float(np.finfo(float).tiny)


def bounded_on_level(g: Regularizer, level: float) -> Regularizer:
    r"""Return a regularizer equal to g where ``g(w) <= level`` and infinite far outside, if one is known.

    .. math:: \lambda \|w\|_1 \to \|w\|_1 \le \ell/\lambda, \qquad
        \lambda \textstyle\sum_k \|w_k\| \to \sum_k \|w_k\| \le \ell/\lambda, \qquad
        \tfrac\mu2 \|w\|^2 \to \|w\| \le \sqrt{2\ell/\mu},

    and bounds :math:`|w_j| \le \sqrt{2\ell/(\omega_j\mu)}` for an elastic net, a ridge with weights and a
    positive orthant. Losses are not negative, so that every w at least as good as 0 has
    :math:`g(w) \le P(0)`: with that level the bounds are redundant, and both problems have the same
    solutions.

    Parameters
    ----------
    g : Regularizer
        L1 and GroupL2 without weights, or one with an l2 part; any other comes back as it is.
    level : float, not negative

    Examples
    --------
    >>> from fenchel.regularizers import L1
    >>> from fenchel.regularizers.bounded import bounded_on_level
    >>> bounded_on_level(L1(0.1), 0.5)
    L1Ball(radius=5.0, l1=0.1)
    """
    if isinstance(g, Ridge) and g.weights is None and g.strength > 0.0:
        return L2Ball(_reach(level, g.strength), l2=g.strength)
    if isinstance(g, L1 | GroupL2) and g.weights is None and g.strength > 0.0:
        radius = max(level / g.strength, _LEAST)
        return L1Ball(radius, g.strength) if isinstance(g, L1) else GroupL2Ball(radius, g.groups, g.strength)
    if isinstance(g, Ridge):
        return _between_bounds(g, level, g.strength, 0.0)
    if isinstance(g, ElasticNet | NonNegative):
        return _between_bounds(g, level, g.l2, g.l1)
    return g


def _between_bounds(g: Ridge | ElasticNet | NonNegative, level: float, l2: float, l1: float) -> Regularizer:
    weights = None if g.weights is None else np.asarray(g.weights, dtype=np.float64)
    if l2 == 0.0 or (weights is not None and not np.all(weights > 0.0)):
        return g
    reach = _reach(level, l2) / np.sqrt(1.0 if weights is None else weights)
    return Box(0.0 if isinstance(g, NonNegative) else -reach, reach, l1, l2, weights)


def _reach(level: float, l2: float) -> float:
    return max(float(np.sqrt(2.0 * level / l2)), _LEAST)
