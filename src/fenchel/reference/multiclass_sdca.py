r"""One pass of prox-SDCA for several classes in plain NumPy, on a dense matrix."""

import numpy as np

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm, soft_threshold
from fenchel.typing import FloatArray, IndexArray

__all__ = ["multiclass_sdca_pass"]


def multiclass_sdca_pass(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateForm,
    alpha: FloatArray,
    anchor: FloatArray,
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> None:
    r"""Prox-SDCA: one exact step in a quadratic model for the dual block of every row, in place.

    With :math:`h(w) = \sum_{jl} g_j(w_{jl}) + \frac{\alpha_j}2 (w_{jl} - \text{anchor}_{jl})^2`,
    :math:`v = \frac1n A^\top (s \circ u)` of shape (D, k) and :math:`w = \arg\min_x \langle v, x\rangle +
    h(x)`,

    .. math:: u_i \leftarrow \operatorname{prox}_{c_i \phi_i^*}(u_i + c_i w^\top a_i),
        \qquad c_i = \frac n{s_i \sum_j a_{ij}^2 / (l_{2j} + \alpha_j)}.

    Rows of weight 0 or step 0 are skipped; a row of zeros gets step 0, and :math:`u_i = \nabla\phi_i(0)`
    from the caller.
    """
    curvature = (form.l2 + alpha)[:, None]
    for i in order:
        if sample_weight[i] == 0 or step[i] == 0:
            continue
        row, c = slice(i, i + 1), float(step[i])
        moved = loss.prox_conjugate(u[row] + c * (A[row] @ w), b[row], c)
        v += sample_weight[i] / len(b) * A[row].T @ (moved - u[row])
        u[row] = moved
        best = soft_threshold(alpha[:, None] * anchor - v, form.l1[:, None]) / curvature
        touched = A[i] != 0
        w[touched] = np.clip(best, form.lower[:, None], form.upper[:, None])[touched]
