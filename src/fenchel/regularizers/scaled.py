"""A penalty times a factor: the family that a path goes along."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, cast

from fenchel.errors import UnsupportedProblemError
from fenchel.regularizers.base import Regularizer
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.regularizers.standardized import Standardized

__all__ = ["scaled"]

_STRENGTHS = ("strength", "l1", "l2")


def scaled(g: Regularizer, factor: float) -> Regularizer:
    r"""Return :math:`t\,g`, with the bounds and radii of g as they are.

    Parameters
    ----------
    g : Regularizer
        With a field ``strength``, ``l1`` or ``l2`` that is not zero, or such a penalty in Standardized.
    factor : float, finite and >= 0

    Raises
    ------
    UnsupportedProblemError
        When g has no strength: a set alone, or no penalty.

    Examples
    --------
    >>> from fenchel.regularizers import ElasticNet
    >>> scaled(ElasticNet(l1=0.5, l2=0.5), 0.1)
    ElasticNet(l1=0.05, l2=0.05, weights=None)
    """
    if isinstance(g, Standardized):
        return Standardized(cast(SeparableRegularizer, scaled(g.penalty, factor)), g.scales)
    known = {field.name for field in fields(g)} & set(_STRENGTHS)
    strengths: dict[str, Any] = {name: getattr(g, name) for name in known}
    if not any(strengths.values()):
        raise UnsupportedProblemError(
            f"{g!r} has no strength that a path could change: it has no penalty. Give it an l1 or an l2 "
            "part, such as L1(1.0), ElasticNet(0.5, 0.5) or Box(lower=0.0, upper=1.0, l1=1.0)."
        )
    return replace(g, **{name: factor * value for name, value in strengths.items()})
