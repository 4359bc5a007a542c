r"""Safe screening: coordinates that a gap proves to be zero, and rows whose dual value it proves.

With :math:`\gamma` the inverse smoothness of the loss and G the gap of (w, u),

.. math:: \tfrac{\gamma}{2n} \sum_i s_i (u_i - u_i^*)^2 \le G, \qquad
          \tfrac12 \sum_j l_{2j} (w_j - w_j^*)^2 \le G,

so that, with the root mean square :math:`\rho_k` of column k,

.. math:: |v_k - v_k^*| \le \rho_k \sqrt{2 G / \gamma}, \qquad
          |z_i - z_i^*| \le \sqrt{2 G \textstyle\sum_j a_{ij}^2 / l_{2j}}.

A coordinate with :math:`|v_k^*| < l_{1k}` is zero. The loss derivative is monotone: where it is the same
at both ends of the interval of :math:`z_i^*`, it is :math:`u_i^*`.
"""

from __future__ import annotations

import numpy as np

from fenchel._kernels import active_sets as kernels
from fenchel.problem.problem import Problem
from fenchel.typing import BoolArray, FloatArray

__all__ = ["safe_gap", "settle_rows", "zero_columns"]

_MARGIN = 1e-9
"""Both radii are this much larger, so that no rounding decides."""


def safe_gap(problem: Problem, gap: float, u: FloatArray) -> float:
    """The gap with what rounding may have taken from it."""
    values = problem.rounding + 8 * np.finfo(float).eps * problem.mean_size(u)
    return max(gap, 0.0) * (1.0 + _MARGIN) + 16 * values


def zero_columns(problem: Problem, v: FloatArray, gap: float) -> BoolArray:
    """The coordinates that are zero at the optimum, by a safe gap; none for a loss that is not smooth."""
    form = problem.coordinate_form
    if not problem.loss.smooth:
        return np.zeros(v.size, dtype=bool)
    radius = problem.column_norms * np.sqrt(2.0 * gap * problem.loss.smoothness)
    zero_is_possible = (form.lower <= 0.0) & (form.upper >= 0.0)
    result: BoolArray = zero_is_possible & (np.abs(v) + radius < form.l1 * (1.0 - _MARGIN))
    return result


def settle_rows(
    problem: Problem, u: FloatArray, z: FloatArray, gap: float, spread: FloatArray, settled: BoolArray
) -> None:
    """Add the rows whose ``u`` is that of the optimum, by a safe gap.

    ``spread`` is the root of ``sum_j a_ij^2 / l2_j``.
    """
    # The ends lie strictly outside the interval: at a kink of the loss one side alone proves nothing.
    reach = float(np.sqrt(2.0 * gap)) * (1.0 + _MARGIN)
    kernels.settle_rows(problem.kernel_loss, z, u, problem.b, spread, reach, _MARGIN, settled)
