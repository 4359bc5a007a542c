r"""The passes of the coordinate methods in plain NumPy, on a dense matrix.

Both work on :math:`P(w) = \frac1n \sum_i s_i \phi_i(\langle a_i, w\rangle) + \sum_j g_j(w_j)`. A kernel
and its twin, given the same order, agree to rounding.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import Loss
from fenchel.losses.logistic import Logistic
from fenchel.numerics.coordinate import CoordinateForm, soft_threshold
from fenchel.numerics.special import sigmoid
from fenchel.typing import FloatArray, IndexArray

__all__ = ["primal_cd_pass", "rough_prox", "row_shares", "sdca_pass", "sdca_round"]

Prox = Callable[[Loss, FloatArray, FloatArray, float], FloatArray]
"""Of the conjugate at ``v``: ``prox(loss, v, b, step)``."""


def _coordinate(form: CoordinateForm, j: np.intp, linear: float, curvature: float) -> float:
    """``argmin_x curvature / 2 x^2 - linear x + g_j(x)``."""
    x = soft_threshold(np.asarray(linear), form.l1[j]) / (form.l2[j] + curvature)
    return float(np.clip(x, form.lower[j], form.upper[j]))


def row_shares(
    loss: Loss, z: FloatArray, u: FloatArray, b: FloatArray, sample_weight: FloatArray
) -> FloatArray:
    """The share of every row in the gap of ``u`` and its best response, which has the scores ``z``."""
    terms = loss.value(z, b) + loss.conjugate(u, b) - z * u
    # Rounding can leave a term below zero.
    return sample_weight * np.where(sample_weight > 0.0, np.maximum(terms, 0.0), 0.0) / len(b)


def primal_cd_pass(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    curvature: FloatArray,
    centre: FloatArray,
    w: FloatArray,
    z: FloatArray,
    u: FloatArray,
) -> float:
    r"""Proximal coordinate descent: one step for every coordinate in ``order``, in place.

    Along :math:`e_j - m_j e_{last}`, with the shifted column :math:`\tilde a_j = A_j - m_j 1` and
    :math:`L_j = \frac{\text{smoothness}}n \sum_i s_i \tilde a_{ij}^2`,

    .. math:: w_j \leftarrow \operatorname{prox}_{g_j/L_j}\bigl(w_j -
        \tfrac1{n L_j} \textstyle\sum_i s_i \tilde a_{ij} u_i\bigr), \qquad
        z \leftarrow z + \delta \tilde a_j, \quad u \leftarrow \phi'(z).

    A coordinate with :math:`L_j = 0` goes to the minimiser of :math:`g_j`. ``A`` is (n, D) with the
    column of ones where there is an intercept. Returns :math:`\max_j \sqrt{L_j}|\delta_j|`.
    """
    largest_change = 0.0
    for j in order:
        shifted = A[:, j] - centre[j]
        if curvature[j] > 0:
            gradient = np.mean(sample_weight * shifted * u)
            moved = _coordinate(form, j, curvature[j] * w[j] - gradient, curvature[j])
        else:
            moved = float(np.clip(0.0, form.lower[j], form.upper[j]))
        delta = moved - w[j]
        w[j] = moved
        w[-1] -= delta * centre[j]
        z += delta * shifted
        u[:] = loss.gradient(z, b)
        largest_change = max(largest_change, float(np.sqrt(curvature[j]) * abs(delta)))
    return largest_change


def exact_prox(loss: Loss, v: FloatArray, b: FloatArray, step: float) -> FloatArray:
    """The prox itself."""
    return loss.prox_conjugate(v, b, step)


def rough_prox(loss: Loss, v: FloatArray, b: FloatArray, step: float) -> FloatArray:
    r"""A point near the prox of ``v``, for the logistic loss by short Halley steps.

    With :math:`s = -b u`, :math:`p = -b v` and :math:`z = \log\frac s{1 - s}` the prox is the root of
    :math:`c z + \sigma(z) = p`. The steps begin at that for
    :math:`\mathrm{clip}(\frac12 + \frac z4, 0, 1)` in place of :math:`\sigma(z)`, and end with one below 1/2.
    """
    if not isinstance(loss, Logistic):
        return loss.prox_conjugate(v, b, step)
    p = -b * v
    z = np.clip((p - 0.5) / (step + 0.25), (p - 1.0) / step, p / step)
    s = sigmoid(z)
    h, going = step * z + s - p, np.ones_like(s)
    for _ in range(4):
        slope = s * (1.0 - s)
        rise = step + slope
        d = going * np.clip(-h * rise / (rise**2 - h * slope * (0.5 - s)), -1.0, 1.0)
        following = s * (2.0 + d) / (2.0 - d + 2.0 * s * d)
        h += step * d + (following - s)
        s = following
        going = going * (np.abs(d) >= 0.5)
    return -b * s


def sdca_pass(
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
    prox: Prox = exact_prox,
) -> None:
    r"""Prox-SDCA: one exact dual step in a quadratic model for every row in ``order``, in place.

    With :math:`h(w) = g(w) + \sum_k \frac{\alpha_k}2 (w_k - \text{anchor}_k)^2`,
    :math:`v = \frac1n A^\top(s \odot u)` and :math:`w = \arg\min_x \langle v, x\rangle + h(x)`,

    .. math:: u_i \leftarrow \operatorname{prox}_{c_i \phi_i^*}(u_i + c_i \langle a_i, w\rangle),
        \qquad c_i = \frac n{s_i \sum_k a_{ik}^2 / (l_{2k} + \alpha_k)}.

    Rows of weight 0 or step 0 are skipped; a row of zeros gets step 0, and :math:`u_i = \phi_i'(0)` from
    the caller.
    """
    n = len(b)
    for i in order:
        if sample_weight[i] == 0 or step[i] == 0:
            continue
        row, step_i = slice(i, i + 1), float(step[i])
        moved = prox(loss, u[row] + step_i * (A[i] @ w), b[row], step_i)
        v += sample_weight[i] * (moved - u[row]) * A[i] / n
        u[row] = moved
        for k in np.flatnonzero(A[i]):
            w[k] = _coordinate(form, k, alpha[k] * anchor[k] - v[k], alpha[k])


def sdca_round(
    A: FloatArray,
    entries: IndexArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateForm,
    alpha: FloatArray,
    anchor: FloatArray,
    repeats: int,
    most: int,
    draws: npt.NDArray[np.uint32],
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
    total: FloatArray,
) -> tuple[int, int]:
    r""":func:`sdca_pass`, then up to ``repeats`` more over the rows that the pass before has moved, in place.

    It ends when no row moves, or ``most`` entries are read, ``entries`` in each row. Between two passes w is
    added to ``total``, and the rows are put in another order by the exchanges of Fisher and Yates, of the
    place t with :math:`\lfloor \text{draws}_t (t + 1) / 2^{32} \rfloor`. Returns what was read, and how
    often w was added.
    """
    read = 0
    for count in range(repeats + 1):
        before = u[order]
        sdca_pass(A, order, loss, b, sample_weight, step, form, alpha, anchor, v, w, u)
        read += int(entries[order[(sample_weight[order] > 0) & (step[order] > 0)]].sum())
        order = order[u[order] != before]
        if count == repeats or order.size == 0 or read >= most:
            return read, count
        for t in range(order.size - 1, 0, -1):
            k = int(draws[t]) * (t + 1) >> 32
            order[t], order[k] = order[k], order[t]
        total += w
    return read, repeats
