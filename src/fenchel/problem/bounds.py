r"""Lower bounds on the optimum from a dual point.

For any u in the domain of the loss conjugates and any level not below :math:`g(w^*)`,

.. math:: P^* \ge D(u) = -\tfrac1n \sum_i s_i \phi_i^*(u_i) - g^*(-v), \qquad v = A'(s \circ u)/n.

Where :math:`g^*` is infinite at -v three points are tried, and the best kept: u scaled into the
domain of :math:`g^*` (legal, because 0 is in every domain), u scaled to the vertex of a parabola
through the dual values at zero and two scales (the maximum, for a squared loss and an l1 norm), and
u itself against :math:`\sup\{\langle -v, w\rangle - g(w) : g(w) \le P(w)\}`. Where the loss is a constraint
the best multiple of u is taken, for any g.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fenchel.numerics.coordinate import along
from fenchel.numerics.special import finite
from fenchel.problem.multiples import best_multiple
from fenchel.problem.repair import orthogonalise
from fenchel.regularizers.separable import SeparableRegularizer
from fenchel.typing import BoolArray, FloatArray, IndexArray

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["Bound", "admissible", "lower_bound", "repaired", "trivial_bound"]

_LARGEST_REPAIR = 25_000_000
"""Entries of the dense columns that a repair may hold (200 MB)."""
_ROUNDS = 5
_RADIUS_FACTOR = 1e3
_RESIDUAL_LIMIT = 1e-9
_ROUNDING = 1e-13
"""Of a mean over the rows, relative to it."""


class Bound(NamedTuple):
    """A lower bound on the optimum, the dual point that gives it, and the radius it assumes."""

    value: float
    point: FloatArray
    radius: float


def trivial_bound(problem: Problem) -> Bound:
    """The dual value at ``u = 0``: no loss is negative, and g is at least its minimum, 0 without bounds."""
    separable = isinstance(problem.regularizer, SeparableRegularizer)
    unbounded = separable and not problem.scanned_form.form.bounded
    least = 0.0 if unbounded else -problem.conjugate(problem.zeros())
    value = least - problem.conjugate_at_zero
    return Bound(value, np.zeros(problem.b.shape), 0.0)


def admissible(problem: Problem, u: FloatArray) -> FloatArray:
    """``u`` in the domain of the loss, and orthogonal to the columns that nothing penalises."""
    domain = problem.loss.dual_domain(problem.b)
    u = domain.project(finite(u))
    if not problem.has_zero_ends:
        return u
    pinned = problem.unpenalised
    return _orthogonal(problem, u, pinned) if pinned.any() and _affordable(problem, pinned) else u


def lower_bound(
    problem: Problem, u: FloatArray, v: FloatArray, w: FloatArray, z: FloatArray, primal: float
) -> Bound:
    """The best lower bound that an admissible ``u`` with ``v = A'(s * u) / n`` gives, with what w tells."""
    trivial = problem.trivial_bound
    if not problem.has_zero_ends:
        bound = Bound(*_best_scaled(problem, u, v, primal, 0.0), 0.0)
        return max(bound, trivial, key=lambda bound: bound.value)
    u, v, pinned = repaired(problem, u, v)
    charge, radius = _charge(problem, u, v, w, z, pinned)
    if not np.isfinite(charge):
        return trivial
    held = np.where(along(pinned, v), 0.0, v) if pinned.any() else v
    value, point = _best_scaled(problem, u, held, primal, charge)
    return max(Bound(value, point, radius), trivial, key=lambda bound: bound.value)


def repaired(problem: Problem, u: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Repair an admissible ``u`` where -v lies beyond an end that is zero.

    Returns it, its v, and the coordinates where -v must be held to such an end. Reads A only if there are
    more of them than those without a penalty.
    """
    held = pinned = problem.unpenalised
    if not problem.has_zero_ends:
        return u, v, pinned
    lower, upper = problem.conjugate_domain
    for _ in range(_ROUNDS):
        pinned = pinned | _broken(v, lower, upper)
        if np.array_equal(pinned, held) or not _affordable(problem, pinned):
            break
        u = _orthogonal(problem, u, pinned)
        v, held = problem.correlation(u), pinned
    return u, v, pinned | _broken(v, lower, upper)


def _affordable(problem: Problem, pinned: BoolArray) -> bool:
    return int(pinned.sum()) * problem.n_samples <= _LARGEST_REPAIR


def _orthogonal(problem: Problem, u: FloatArray, pinned: BoolArray) -> FloatArray:
    columns = problem.design.select_columns(np.flatnonzero(pinned).astype(np.int64))
    return orthogonalise(u, columns, problem.sample_weight, problem.loss.dual_domain(problem.b))


def _broken(v: FloatArray, lower: FloatArray, upper: FloatArray) -> BoolArray:
    """The coordinates that no scaling mends: -v lies beyond an end that is zero."""
    shape = (slice(None),) + (None,) * (v.ndim - 1)
    beyond = ((upper == 0.0)[shape] & (v < 0)) | ((lower == 0.0)[shape] & (v > 0))
    result: BoolArray = beyond if v.ndim == 1 else beyond.any(axis=1)
    return result


def _charge(
    problem: Problem, u: FloatArray, v: FloatArray, w: FloatArray, z: FloatArray, pinned: BoolArray
) -> tuple[float, float]:
    """What the residual on the pinned coordinates costs: radius times residual, summed.

    The radius of a coordinate is 1000 times the larger of its value and of the move that would
    change the scores by their own size. Infinite when the residual is more than rounding.
    """
    coordinates: IndexArray = np.flatnonzero(pinned).astype(np.int64)
    if coordinates.size == 0:
        return 0.0, 0.0
    residual = np.abs(v[coordinates])
    norms = problem.column_norms[coordinates]
    size = max(float(np.abs(z).max(initial=0.0)), float(np.abs(problem.b).max(initial=0.0)))
    reach = np.divide(size, norms, out=np.zeros_like(norms), where=norms > 0)
    if residual.ndim == 2:
        norms, reach = norms[:, None], reach[:, None]
    if np.any(residual > _RESIDUAL_LIMIT * norms * problem.mean_size(u)):
        return np.inf, np.inf
    radius = _RADIUS_FACTOR * np.maximum(np.abs(w[coordinates]), reach)
    return float(np.sum(radius * residual)), float(radius.max())


def _best_scaled(
    problem: Problem, u: FloatArray, v: FloatArray, primal: float, charge: float
) -> tuple[float, FloatArray]:
    """The best of the scaled points and of the level bound; a scaled point has a scaled residual."""
    if problem.loss.indicator:
        return best_multiple(problem, u, v, charge)
    if problem.certifier is not None:
        origin = problem.trivial_bound.value
        value, scale = problem.certifier.best_bound(u, problem.features(v), primal, origin, charge)
        return value, u if scale == 1.0 else scale * u
    pull = -v
    scale = problem.conjugate_scale(pull)
    if scale == 1.0:
        return -problem.mean_conjugate(u) - problem.conjugate(pull) - charge, u
    end = _Place.at(problem, u, pull, scale)
    middle = _Place.at(problem, u, pull, 0.5 * scale)
    best, best_scale = end.dual - scale * charge, scale
    vertex = _vertex(problem.trivial_bound.value, middle.dual, end.dual, scale)
    if vertex != scale:
        value = _Place.at(problem, u, pull, vertex).dual - vertex * charge
        best, best_scale = max((best, best_scale), (value, vertex))
    level = -problem.conjugate_on_level(pull, primal) - charge
    if level - _least_at_one(middle.loss, end.loss, scale) <= best:
        return best, best_scale * u
    level -= problem.mean_conjugate(u)
    return (level, u) if level > best else (best, best_scale * u)


class _Place(NamedTuple):
    """The mean conjugate of the loss at a scaled point, and the dual value there."""

    loss: float
    dual: float

    @classmethod
    def at(cls, problem: Problem, u: FloatArray, pull: FloatArray, scale: float) -> _Place:
        loss = problem.mean_conjugate(scale * u)
        return cls(loss, -loss - problem.conjugate(scale * pull))


def _least_at_one(middle: float, end: float, scale: float) -> float:
    """A lower bound on the mean conjugate at u from half the scale and the scale: it is convex along the ray.

    The chord through both, carried on, less what their rounding does to it; no bound where that says nothing.
    """
    if not (scale > 0.0 and np.isfinite(middle) and np.isfinite(end)):
        return -np.inf
    reach = 2.0 * (1.0 - scale) / scale
    rounding = _ROUNDING * (1.0 + reach) * (abs(middle) + abs(end))
    return end + reach * (end - middle) - rounding


def _vertex(origin: float, middle: float, top: float, scale: float) -> float:
    """The scale in [0, scale] that maximises the parabola through the dual values at 0, half of it and it."""
    bend = 2.0 * (top - 2.0 * middle + origin)
    slope = 4.0 * middle - 3.0 * origin - top
    if not (np.isfinite(bend) and np.isfinite(slope)) or bend >= 0:
        return scale
    return scale * float(np.clip(-slope / (2.0 * bend), 0.0, 1.0))
