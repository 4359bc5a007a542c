"""The sum of a constraint set and a penalty."""

from __future__ import annotations

from dataclasses import replace

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
from fenchel.regularizers.none import NoPenalty
from fenchel.regularizers.ridge import Ridge
from fenchel.regularizers.solid_simplex import SolidSimplex

__all__ = ["is_penalised", "penalised"]


def is_penalised(constraint: Regularizer) -> bool:
    """Whether a set has a penalty inside."""
    return any(getattr(constraint, name, 0.0) != 0.0 for name in ("l1", "l2"))


def penalised(constraint: Regularizer, penalty: Regularizer) -> Regularizer | None:
    r"""Return :math:`\mathbb 1_C + g` where one regularizer is that sum, else None.

    Parameters
    ----------
    constraint : Regularizer
        A set without a penalty inside.
    penalty : Regularizer

    Returns
    -------
    Regularizer or None
        Box and NonNegative hold an elastic net; L1Ball and SolidSimplex an l1 part and L2Ball an l2 part
        without weights; GroupL2Ball the penalty of its own groups. Every set takes NoPenalty.

    Examples
    --------
    >>> from fenchel.regularizers import L1, L1Ball, Ridge
    >>> from fenchel.regularizers.penalised import penalised
    >>> penalised(L1Ball(5.0), L1(0.1))
    L1Ball(radius=5.0, l1=0.1)
    >>> penalised(L1Ball(5.0), Ridge(0.1)) is None
    True
    """
    if isinstance(penalty, NoPenalty):
        return constraint
    if isinstance(constraint, GroupL2Ball) and isinstance(penalty, GroupL2):
        same = penalty.weights is None and _same_groups(constraint, penalty)
        return replace(constraint, l1=penalty.strength) if same else None
    net = _elastic_net(penalty)
    if net is None:
        return None
    if isinstance(constraint, Box | NonNegative):
        return replace(constraint, l1=net.l1, l2=net.l2, weights=net.weights)
    if net.weights is not None:
        return None
    if isinstance(constraint, L1Ball | SolidSimplex) and net.l2 == 0.0:
        return replace(constraint, l1=net.l1)
    if isinstance(constraint, L2Ball) and net.l1 == 0.0:
        return replace(constraint, l2=net.l2)
    return None


def _elastic_net(penalty: Regularizer) -> ElasticNet | None:
    if isinstance(penalty, L1):
        return ElasticNet(penalty.strength, 0.0, penalty.weights)
    if isinstance(penalty, Ridge):
        return ElasticNet(0.0, penalty.strength, penalty.weights)
    return penalty if isinstance(penalty, ElasticNet) else None


def _same_groups(ball: GroupL2Ball, penalty: GroupL2) -> bool:
    if ball.groups is None or penalty.groups is None:
        return ball.groups is penalty.groups
    return np.array_equal(ball.groups, penalty.groups)
