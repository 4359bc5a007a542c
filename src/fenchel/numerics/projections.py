"""Norms, unit vectors, and the projections onto the Euclidean and the l1 ball, without overflow."""

import numpy as np

from fenchel.numerics.simplex import project_simplex
from fenchel.typing import FloatArray

__all__ = ["l1_norm", "l2_norm", "l2_unit", "project_l1_ball", "project_l2_ball"]


def _scaled(w: FloatArray) -> tuple[float, FloatArray]:
    """The largest size of an entry, and ``w`` divided by it (``w`` itself when it is zero)."""
    largest = float(np.abs(w).max(initial=0.0))
    return largest, (w / largest if largest > 0 else w)


def l2_norm(w: FloatArray) -> float:
    """The square root of the sum of squares over all entries (Frobenius for a matrix)."""
    largest, scaled = _scaled(w)
    return largest * float(np.linalg.norm(scaled))


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
    r"""Return the nearest point of ``||x||_1 <= radius``, as a new array.

    Outside the ball it is :math:`\operatorname{sign}(w_j) \max(|w_j| - \tau, 0)` with norm ``radius``, the
    projection of the sizes onto a simplex. There tau is at least the largest size less the radius, so
    only the sizes near the largest one are sorted.
    """
    if l1_norm(w) <= radius:
        return w.copy()
    size = np.abs(w)
    near = size >= size.max() - radius
    result = np.zeros_like(w)
    shares = project_simplex((size[near] - size.max())[None] / radius)[0]
    result[near] = np.copysign(radius * shares, w[near])
    return result
