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
    t: FloatArray,
    u: FloatArray,
    scores: FloatArray,
    gap: FloatArray,
    listed: list[IndexArray] | None = None,
) -> None:
    r"""Prox-SDCA: one exact step in a quadratic model for the dual block of every row, in place.

    With :math:`h(w) = \sum_{jl} g_j(w_{jl}) + \frac{\alpha_j}2 (w_{jl} - \text{anchor}_{jl})^2`,
    :math:`t = \alpha\,\text{anchor} - \frac1n A^\top (s \circ u)` of shape (D, k) and :math:`w(t) =
    \arg\min_x h(x) - \frac12\alpha\,\text{anchor}^2 + \langle \alpha\,\text{anchor} - t, x\rangle`,

    .. math:: u_i \leftarrow \operatorname{prox}_{c_i \phi_i^*}(u_i + c_i w(t)^\top a_i),
        \qquad c_i = \frac n{s_i \sum_j a_{ij}^2 / (l_{2j} + \alpha_j)}.

    With ``listed`` classes a row moves only among these; its block is zero elsewhere. Rows of weight 0,
    of step 0 or with fewer than two listed classes are skipped; a row of zeros gets step 0, and
    :math:`u_i = \nabla\phi_i(0)` from the caller. ``scores`` gets :math:`q_i`, and ``gap``
    :math:`s_i(\phi_i(q_i) + \phi_i^*(u_i) - \langle u_i, q_i\rangle)` before each step,
    with :math:`q_i = w(t)^\top a_i`.
    """
    curvature = (form.l2 + alpha)[:, None]
    lower, upper = form.lower[:, None], form.upper[:, None]
    for i in order:
        classes = np.arange(b.shape[1]) if listed is None else listed[i]
        if sample_weight[i] == 0 or step[i] == 0 or len(classes) < 2:
            continue
        w = np.clip(soft_threshold(t, form.l1[:, None]) / curvature, lower, upper)
        q, own, old, c = (
            (A[i] @ w)[None, classes],
            b[i : i + 1, classes],
            u[i : i + 1, classes],
            float(step[i]),
        )
        scores[i, classes] = q
        gap[i] = sample_weight[i] * (loss.value(q, own) + loss.conjugate(old, own) - np.sum(old * q))[0]
        moved = loss.prox_conjugate(old + c * q, own, c)
        t[:, classes] -= sample_weight[i] / len(b) * np.outer(A[i], moved - old)
        u[i, classes] = moved[0]
