r"""Proximal steps on the dual of a loss with kinks under a ridge, in plain NumPy, on a dense matrix.

A proximal step of length c from u has the maximiser

.. math:: x_i = T_i(z_i) = \mathrm{prox}_{c\phi_i^*}(u_i + c\, z_i), \qquad z = A w, \qquad
          l_2 w + \tfrac1n A'(s \circ T(z)) = 0,

and the left side of the last equation is the gradient of a smooth convex function of w.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fenchel.losses.base import ScalarLoss
from fenchel.typing import FloatArray, IndexArray

__all__ = ["proximal_newton_steps", "proximal_rows", "proximal_search"]


def proximal_rows(
    loss: ScalarLoss, b: FloatArray, u: FloatArray, z: FloatArray, c: float
) -> tuple[FloatArray, FloatArray]:
    """``T``, and how far each score may move before its T does: 0 for a row that no end and no kink holds."""
    point = u + c * z
    target = loss.prox_conjugate(point, b, c)
    lower, upper = loss.conjugate_slopes(target, b)
    score = (point - target) / c
    return target, np.where(lower == upper, 0.0, np.minimum(score - lower, upper - score))


def _length(slope_at: Callable[[float], tuple[float, float]], first: float) -> float:
    """The length in (0, 1] where the slope is a tenth of the first or less, or 1 where it is negative."""
    length, low, high = 1.0, 0.0, 1.0
    for _ in range(20):
        slope, curvature = slope_at(length)
        if abs(slope) <= 0.1 * abs(first) or (slope < 0.0 and length == 1.0):
            break
        low, high = (low, length) if slope > 0.0 else (length, high)
        following = length - slope / curvature
        length = following if low < following < high else 0.5 * (low + high)
    return length


def proximal_search(
    loss: ScalarLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    u: FloatArray,
    l2: float,
    c: float,
    w: FloatArray,
    dw: FloatArray,
    z: FloatArray,
    dz: FloatArray,
) -> float:
    """How far to go along ``dw``, whose scores are ``dz``."""
    weighted = sample_weight * dz / b.size

    def slope_at(length: float) -> tuple[float, float]:
        target, room = proximal_rows(loss, b, u, z + length * dz, c)
        curvature = l2 * dw @ dw + c * np.sum((weighted * dz)[room == 0.0])
        return float(l2 * (w + length * dw) @ dw + weighted @ target), float(curvature)

    return _length(slope_at, slope_at(0.0)[0])


class _Ray(NamedTuple):
    """A direction, what it does to the scores, and where it begins."""

    dw: FloatArray
    dz: FloatArray
    w: FloatArray
    z: FloatArray


def proximal_newton_steps(
    A: FloatArray,
    order: IndexArray,
    loss: ScalarLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    u: FloatArray,
    l2: float,
    c: float,
    most: int,
    tolerance: float,
    w: FloatArray,
    z: FloatArray,
    v: FloatArray,
) -> int:
    r"""Newton steps on w, in place, the rows outside of ``order`` being held at their T; their number.

    With F the free rows of the order,

    .. math:: d = -\left(l_2 I + \tfrac cn A_F' \mathrm{diag}(s_F) A_F\right)^{-1} \left(l_2 w + v\right),

    and as far along it as the slope asks for. They end when the gradient is no longer than the tolerance.
    ``v`` is :math:`A'(s \circ T)/n` over all rows.
    """
    weight = sample_weight[order] / b.size
    rows = A[order]
    target, room = proximal_rows(loss, b[order], u[order], z[order], c)
    held = v - rows.T @ (weight * target)
    for step in range(most + 1):
        v[:] = held + rows.T @ (weight * target)
        gradient = l2 * w + v
        if step == most or float(np.linalg.norm(gradient)) <= tolerance:
            return step
        free = (room == 0.0) & (weight > 0.0)
        curved = c * rows[free].T @ (weight[free, None] * rows[free])
        direction = -np.linalg.solve(l2 * np.eye(w.size) + curved, gradient)
        ray = _Ray(direction, rows @ direction, w.copy(), z[order])

        def slope_at(length: float, ray: _Ray = ray) -> tuple[float, float]:
            there, room = proximal_rows(loss, b[order], u[order], ray.z + length * ray.dz, c)
            slope = ray.dw @ (l2 * (ray.w + length * ray.dw) + held) + ray.dz @ (weight * there)
            return float(slope), float(l2 * ray.dw @ ray.dw + c * np.sum((weight * ray.dz**2)[room == 0.0]))

        length = _length(slope_at, float(direction @ gradient))
        w += length * direction
        z[order] += length * ray.dz
        target, room = proximal_rows(loss, b[order], u[order], z[order], c)
    return most
