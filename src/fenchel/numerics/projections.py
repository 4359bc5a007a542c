"""The Euclidean norm, unit vectors and the projection onto the Euclidean ball, without overflow."""

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["l2_norm", "l2_unit", "project_l2_ball"]


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
