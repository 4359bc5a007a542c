r"""The radius of the l1 ball on which the entropic steps live, and the search for it.

Entropic steps need a bounded set :math:`\|w\|_1 \le R`. With :class:`~fenchel.regularizers.L1Ball` it is
the set of the problem, and nothing is searched. With ``L1(strength)`` the set is ours to choose. Two facts
frame it: no loss is negative, so that every minimiser has

.. math:: \|w^*\|_1 \le \frac{P(w)}{\lambda} \quad \text{for any } w;

and the bounds on the gap grow with R, so that a radius far beyond :math:`\|w^*\|_1` costs time. The search
starts at a tenth of the bound at zero, and doubles the radius, up to the bound, whenever the point that
a solver has reached comes within a tenth of it. A ball that holds no minimiser shows itself so: its own
optimum lies on its boundary. All that a search can do wrong is to take longer; the certificate is
that of the problem without a ball.
"""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.regularizers.base import Regularizer
from fenchel.regularizers.group_l2_ball import GroupL2Ball
from fenchel.regularizers.l1 import L1
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.regularizers.solid_simplex import SolidSimplex
from fenchel.solvers.base import Requirement
from fenchel.typing import FloatArray

__all__ = ["BALL_GEOMETRY", "L1_GEOMETRY", "first_radius", "grown_radius", "l1_strength"]

_FIRST = 0.1
"""The first radius, as a share of the bound at w = 0."""
_NEAR = 0.9
"""A norm beyond this share of the radius is near the boundary."""
_GROWTH = 2.0


def _bounded(*sets: type[Regularizer]) -> Requirement:
    """An l1 penalty or one of these sets, and no coordinate that is free."""

    def holds(problem: Problem) -> bool:
        g = problem.regularizer
        bounded = g.strength > 0 and g.weights is None if isinstance(g, L1) else isinstance(g, sets)
        return bounded and not _labelled(g) and not problem.fit_intercept

    def reason(problem: Problem) -> str:
        g = problem.regularizer
        if not isinstance(g, (L1, *sets)):
            return "it needs a regularizer that bounds the l1 norm"
        if _labelled(g):
            return "its distance is one of single features, and the groups have labels"
        if problem.fit_intercept:
            return "it works on an l1 ball, and nothing bounds the intercept"
        if isinstance(g, L1) and g.weights is not None:
            return "it works on an l1 ball in which all features weigh the same, and there are weights"
        return "it works on an l1 ball, and strength = 0 bounds nothing"

    return Requirement(
        holds,
        reason,
        way_out=(
            "Use L1Ball(radius), or L1(strength) with strength > 0 and without weights, and "
            "fit_intercept=False (a constant column may take its place, and is then penalised)."
        ),
    )


def _labelled(g: Regularizer) -> bool:
    return isinstance(g, GroupL2Ball) and g.groups is not None


L1_GEOMETRY = _bounded(L1Ball)
"""An l1 ball, or an l1 penalty (for which :func:`first_radius` chooses one), and no free coordinate."""

BALL_GEOMETRY = _bounded(L1Ball, SolidSimplex, GroupL2Ball)
"""The same, or one of the other sets for which there is a distance."""


def l1_strength(problem: Problem) -> float:
    """The factor of the norm in P: the strength of L1, or the l1 part of a set."""
    g = problem.regularizer
    assert isinstance(g, L1 | L1Ball | SolidSimplex | GroupL2Ball)
    return g.strength if isinstance(g, L1) else g.l1


def first_radius(problem: Problem, wanted: float | None = None) -> float:
    """The radius to start with.

    Parameters
    ----------
    problem : Problem
        One that meets ``L1_GEOMETRY`` or ``BALL_GEOMETRY``.
    wanted : float, optional
        The user's choice, for ``L1``; by default ``P(0) / (10 strength)``.

    Returns
    -------
    float
        The radius of a set; for L1 the wanted one, but no more than ``P(0) / strength``, beyond which
        there is no minimiser.

    Notes
    -----
    No entry of A is read: the scores of ``w = 0`` are zero.
    """
    g = problem.regularizer
    if isinstance(g, L1Ball | SolidSimplex | GroupL2Ball):
        return g.radius
    # One class has no loss: any radius will do.
    bound = _value_at_zero(problem) / l1_strength(problem) or 1.0
    return min(bound, _FIRST * bound if wanted is None else wanted)


def grown_radius(problem: Problem, radius: float, w: FloatArray, primal: float) -> float:
    """The radius to go on with after a stretch of steps.

    Parameters
    ----------
    problem : Problem
    radius : float
        The radius so far.
    w : ndarray of shape (n_features,) or (n_features, n_outputs)
        The point that the steps have reached.
    primal : float
        The smallest value P of any point so far; ``P(w)`` will do.

    Returns
    -------
    float
        Twice the radius, but no more than ``primal / strength``, for L1 and a w near the boundary;
        otherwise the radius as it is.
    """
    if not isinstance(problem.regularizer, L1) or float(np.abs(w).sum()) <= _NEAR * radius:
        return radius
    return max(radius, min(_GROWTH * radius, primal / l1_strength(problem)))


def _value_at_zero(problem: Problem) -> float:
    return float(np.mean(problem.sample_weight * problem.loss.value(np.zeros_like(problem.b), problem.b)))
