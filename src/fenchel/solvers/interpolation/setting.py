r"""Interpolation problems as the kernels take them.

.. math:: \min_w \{ g(w) : w^\top x_i \in Y_i \;\forall i \}

The dual point of :class:`~fenchel.Problem` and the variables of these solvers are related by
:math:`s_i u_i = -n a_i`: in a there is no 1/n, and weights of constraints without slack do not count.
"""

from __future__ import annotations

import numpy as np

from fenchel._kernels.dual_ascent import ConstraintArrays, MapArrays, row_norms
from fenchel.losses import (
    BallConstraint,
    ConstraintLoss,
    Loss,
    ScalarConstraint,
    SimplexConstraint,
    SquaredDistance,
)
from fenchel.problem.problem import Problem
from fenchel.regularizers import Regularizer, RelativeEntropy, Ridge, SquaredLp
from fenchel.solvers.base import Requirement, Start
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "CONSTRAINED",
    "MIRRORED",
    "UNSHIFTED",
    "best_scale",
    "constraint_arrays",
    "curvatures",
    "dual_point",
    "dual_variables",
    "is_euclidean",
    "map_arrays",
    "moving_rows",
]

CONSTRAINED = Requirement(
    holds=lambda problem: (
        isinstance(constraint_of(problem.loss), ScalarConstraint | BallConstraint | SimplexConstraint)
        and problem.design.visits_coordinates
    ),
    reason=lambda problem: (
        f"it needs a constraint that the kernels know, and {problem.loss.name!r} is not one"
        if problem.design.visits_coordinates
        else f"it visits rows, and {type(problem.design).__name__} has a matrix of coefficients"
    ),
    way_out=(
        "Use EqualityConstraint, MarginConstraint, IntervalConstraint, BallConstraint or SimplexConstraint, "
        "or one of them with slack in SquaredDistance."
    ),
)

MIRRORED = Requirement(
    holds=lambda problem: isinstance(problem.regularizer, SquaredLp | RelativeEntropy) or _plain(problem),
    reason=lambda problem: "it needs half a squared lp norm or an entropy, whose best responses it keeps",
    way_out="Use SquaredLp(p), Ridge(strength) without weights, or RelativeEntropy().",
)

UNSHIFTED = Requirement(
    holds=lambda problem: not problem.fit_intercept,
    reason=lambda problem: "it moves one row at a time, which a free intercept (sum of s_i u_i = 0) forbids",
    way_out="Use fit_intercept=False; a constant column may take its place, and is then penalised.",
)


def _plain(problem: Problem) -> bool:
    g = problem.regularizer
    return isinstance(g, Ridge) and g.weights is None and g.strength > 0.0


def constraint_of(loss: Loss) -> Loss:
    """The constraint inside of a loss with slack; any other loss itself."""
    return loss.constraint if isinstance(loss, SquaredDistance) else loss


def is_euclidean(g: Regularizer) -> bool:
    """Whether the best response is a multiple of the image."""
    return isinstance(g, Ridge) or (isinstance(g, SquaredLp) and g.p == 2.0)


def constraint_arrays(problem: Problem) -> ConstraintArrays:
    r"""The sets of the rows, and :math:`1/c_i = n / (C s_i)`; 0 without slack."""
    slack = np.zeros(problem.n_samples)
    if isinstance(problem.loss, SquaredDistance):
        scale = problem.loss.strength * problem.sample_weight
        np.divide(problem.n_samples, scale, out=slack, where=scale > 0.0)
    constraint = constraint_of(problem.loss)
    if isinstance(constraint, ScalarConstraint):
        lower, upper = constraint.bounds(problem.b)
        return ConstraintArrays("interval", _contiguous(lower), _contiguous(upper), slack)
    if isinstance(constraint, BallConstraint):
        radius = np.full(problem.n_samples, constraint.radius)
        return ConstraintArrays("ball", _contiguous(problem.b), radius, slack)
    return ConstraintArrays("simplex", np.empty(0), np.empty(0), slack)


def _contiguous(array: FloatArray) -> FloatArray:
    return np.ascontiguousarray(array, dtype=np.float64)


def map_arrays(problem: Problem) -> MapArrays:
    """The map from an image to the best response."""
    g, none = problem.regularizer, np.empty(0)
    if isinstance(g, RelativeEntropy):
        prior = np.ones(problem.n_features) if g.prior is None else np.asarray(g.prior, dtype=np.float64)
        outputs = int(np.prod(problem.b.shape[1:]))
        return MapArrays("entropy", g.strength, 1.0, np.log(prior / prior.sum()) - np.log(outputs))
    assert isinstance(g, SquaredLp | Ridge)
    kind = "euclidean" if is_euclidean(g) else "power"
    return MapArrays(kind, g.strength, g.q if isinstance(g, SquaredLp) else 2.0, none)


def curvatures(problem: Problem) -> FloatArray:
    r"""``L_i``: :math:`\|x_i\|_q^2` over the strong convexity in the norm of g, q the dual exponent.

    Cost: two passes, with a power an entry for 1 < p < 2.
    """
    g = problem.regularizer
    q = g.q if isinstance(g, SquaredLp) else 2.0 if isinstance(g, Ridge) else np.inf
    return row_norms(problem.design.rows, q) ** 2 / g.strong_convexity(problem.n_features)


def moving_rows(problem: Problem, sets: ConstraintArrays, curvature: FloatArray) -> IndexArray:
    """The rows that are constraints, and whose scores something can move.

    A row of zeros without slack has a score of 0 whatever happens: in its set or not, it has no step.
    """
    movable = (problem.sample_weight > 0.0) & (curvature + sets.inverse_slack > 0.0)
    return np.flatnonzero(movable).astype(np.int64)


def dual_variables(problem: Problem, start: Start) -> FloatArray:
    """``a = -s u / n`` of the start, or zero."""
    u = start.dual_within(problem)
    if u is None:
        return np.zeros_like(problem.b)
    weight = problem.sample_weight if u.ndim == 1 else problem.sample_weight[:, None]
    return -weight * u / problem.n_samples


def dual_point(problem: Problem, a: FloatArray) -> FloatArray:
    """``u = -n a / s``; 0 where the weight is."""
    weight = problem.sample_weight if a.ndim == 1 else problem.sample_weight[:, None]
    scaled = -problem.n_samples * a
    return np.divide(scaled, weight, out=np.zeros_like(a), where=weight > 0.0) + 0.0


def _conjugate_at(problem: Problem, t: FloatArray, tilt: FloatArray | None) -> float:
    """``g*(t)``, by the sum of powers that a pass has left in ``tilt``: O(1) for 1 < p < 2."""
    g = problem.regularizer
    if tilt is not None and isinstance(g, SquaredLp) and not is_euclidean(g):
        return 0.5 / g.strength * float(tilt[0] * tilt[1] ** (1.0 / g.q)) ** 2
    return g.conjugate(t)


def best_scale(problem: Problem, a: FloatArray, t: FloatArray, tilt: FloatArray | None = None) -> float:
    r"""The factor on a, and on its image t, that makes the dual value largest, for half a squared norm.

    .. math:: s = \frac{-\sum_i \sigma_i(-a_i)}{2 g^*(t) + \sum_i \|a_i\|^2 / c_i},

    as the dual value is a parabola in s; 1 where that is not positive, or g is an entropy. Cost O(n) times
    the outputs, and O(D) more for p = 2.
    """
    if isinstance(problem.regularizer, RelativeEntropy):
        return 1.0
    u = dual_point(problem, a)
    constraint = constraint_of(problem.loss)
    assert isinstance(constraint, ConstraintLoss)
    reach = -float(np.mean(problem.sample_weight * constraint.conjugate(u, problem.b)))
    bend = 2.0 * _conjugate_at(problem, t, tilt)
    if isinstance(problem.loss, SquaredDistance):
        squares = u**2 if u.ndim == 1 else np.sum(u**2, axis=1)
        bend += float(np.mean(problem.sample_weight * squares)) / problem.loss.strength
    scale = reach / bend if bend > 0.0 else 1.0
    return scale if 0.0 < scale < np.inf else 1.0
