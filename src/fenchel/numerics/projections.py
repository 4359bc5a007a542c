"""Norms, unit vectors, and the projections onto balls and the simplex, without overflow."""

import numpy as np

from fenchel.numerics.simplex import project_simplex
from fenchel.typing import FloatArray

__all__ = [
    "l1_norm",
    "l2_norm",
    "l2_unit",
    "project_l1_ball",
    "project_l1_inf_ball",
    "project_l2_ball",
    "project_simplex_of_size",
    "project_solid_simplex",
    "row_l2_norms",
    "row_maxima",
]

_MOST_STEPS = 100


def _scaled(w: FloatArray) -> tuple[float, FloatArray]:
    """The largest size of an entry, and ``w`` divided by it (``w`` itself when it is zero)."""
    largest = float(np.abs(w).max(initial=0.0))
    return largest, (w / largest if largest > 0 else w)


def l2_norm(w: FloatArray) -> float:
    """The square root of the sum of squares over all entries (Frobenius for a matrix)."""
    largest, scaled = _scaled(w)
    return largest * float(np.linalg.norm(scaled))


def row_l2_norms(w: FloatArray) -> FloatArray:
    """The Euclidean norm of every row of a matrix, shape (n,)."""
    largest = row_maxima(w)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    norms: FloatArray = scale * np.linalg.norm(w / scale[:, None], axis=1)
    return norms


def l2_unit(w: FloatArray) -> FloatArray:
    """Divide ``w`` by its norm; zero stays zero."""
    largest, scaled = _scaled(w)
    result: FloatArray = scaled / np.linalg.norm(scaled) if largest > 0 else np.zeros_like(w)
    return result


def project_l2_ball(w: FloatArray, radius: float) -> FloatArray:
    """Return the nearest point of ``||x||_2 <= radius``, as a new array."""
    return w.copy() if l2_norm(w) <= radius else radius * l2_unit(w)


@np.errstate(over="ignore")
def l1_norm(w: FloatArray) -> float:
    """The sum of absolute values over all entries."""
    return float(np.abs(w).sum())


def project_l1_ball(w: FloatArray, radius: float) -> FloatArray:
    """Return the nearest point of ``||x||_1 <= radius``, as a new array."""
    if l1_norm(w) <= radius:
        return w.copy()
    sizes = np.abs(w)
    # No entry grows, also where the threshold is a rounding below zero. The sum turns -0.0 into 0.0.
    return np.copysign(np.minimum(project_simplex_of_size(sizes, radius), sizes), w) + 0.0


def project_simplex_of_size(w: FloatArray, size: float) -> FloatArray:
    r"""Return the nearest point of ``x >= 0, sum(x) = size`` over all entries, as a new array.

    It is :math:`\max(w_j - \tau, 0)`, with tau at least the largest entry less the size: only the entries
    that near to the largest one are sorted.
    """
    largest = w.max()
    near = w >= largest - size
    result = np.zeros_like(w)
    result[near] = size * project_simplex((w[near] - largest)[None] / size)[0]
    return result


def row_maxima(w: FloatArray) -> FloatArray:
    """The largest absolute value of every row, shape (d,)."""
    largest: FloatArray = np.abs(w) if w.ndim == 1 else np.abs(w).max(axis=1, initial=0.0)
    return largest


def project_l1_inf_ball(w: FloatArray, radius: float) -> FloatArray:
    r"""Return the nearest point of ``sum_j max_l |x_jl| <= radius``, as a new array.

    Row j is clipped to a height :math:`\mu_j`, and every row that is clipped loses the same amount:
    :math:`\sum_l (|w_{jl}| - \mu_j)_+ = \theta`, or :math:`\mu_j = 0` if the whole row is less. The heights
    fall with theta and are convex in it, so that Newton's method on :math:`\sum_j \mu_j = r` climbs from
    theta = 0 to the root without passing it; it is piecewise linear, and the steps are finite.
    """
    scale = float(np.abs(w).max(initial=0.0))
    heights = row_maxima(w / scale) if scale > 0 else row_maxima(w)
    target = radius / scale if scale > 0 else np.inf
    if heights.sum() <= target:
        return w.copy()
    descending = -np.sort(-np.abs(w / scale).reshape(w.shape[0], -1), axis=1)
    sums, counts = np.cumsum(descending, axis=1), np.arange(1, descending.shape[1] + 1)
    theta = 0.0
    for _ in range(_MOST_STEPS):
        # The entries above the height are the first ones, and each row keeps at least its largest.
        above = np.maximum(np.count_nonzero(descending * counts > sums - theta, axis=1), 1)
        kept = np.take_along_axis(sums, above[:, None] - 1, axis=1)[:, 0]
        heights = np.maximum((kept - theta) / above, 0.0)
        excess = heights.sum() - target
        if excess <= 4 * np.finfo(float).eps * target:
            break
        theta += excess / np.sum(1.0 / above[heights > 0])
    heights *= scale
    return np.clip(w, -heights, heights) if w.ndim == 1 else np.clip(w, -heights[:, None], heights[:, None])


def project_solid_simplex(w: FloatArray, radius: float) -> FloatArray:
    """Return the nearest point with entries ``>= 0`` and a sum of at most ``radius``, as a new array.

    The entries below zero do not count; of the others it is the projection onto the l1 ball.
    """
    return project_l1_ball(np.maximum(w, 0.0), radius)
