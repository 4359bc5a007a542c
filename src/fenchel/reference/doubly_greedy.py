r"""The doubly greedy method and SPDC in plain NumPy, on a dense matrix.

All work on the saddle function

.. math:: L(w, u) = g(w) + \tfrac1n \sum_i s_i \bigl(u_i \langle a_i, w\rangle - \phi_i^*(u_i)\bigr),

with :math:`g(w) = \sum_j g_j(w_j)` strongly convex. A kernel and its twin agree to rounding.
"""

import numpy as np

from fenchel.losses.base import ScalarLoss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = [
    "active_set_iteration",
    "add_first_largest",
    "dgpd_steps",
    "dual_scores",
    "primal_scores",
    "spdc_pass",
]


def primal_scores(form: CoordinateForm, w: FloatArray, v: FloatArray) -> FloatArray:
    r"""How much L falls when :math:`w_k \leftarrow \bar w_k = \arg\min_x v_k x + g_k(x)`, for every k."""
    best = form.lmo(v)
    fall: FloatArray = (w - best) * (v + 0.5 * form.l2 * (w + best)) + form.l1 * (np.abs(w) - np.abs(best))
    return fall


def dual_scores(
    loss: ScalarLoss, b: FloatArray, sample_weight: FloatArray, z: FloatArray, u: FloatArray
) -> FloatArray:
    r"""The projected gradient :math:`s_i\,\mathrm{dist}(z_i, \partial\phi_i^*(u_i))` of every row.

    At an end of the domain the subdifferential contains the normal cone: a direction that leaves the
    domain counts as 0.
    """
    lower, upper = loss.conjugate_slopes(u, b)
    distance: FloatArray = np.maximum(0.0, np.maximum(lower - z, z - upper))
    return sample_weight * distance


def dgpd_steps(
    A: FloatArray,
    steps: int,
    loss: ScalarLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    beta: float,
    centre: FloatArray,
    form: CoordinateForm,
    w: FloatArray,
    z: FloatArray,
    u: FloatArray,
    v: FloatArray,
) -> list[tuple[int, int]]:
    r"""Algorithm 1 of Lei et al. (2017), corrected: ``steps`` iterations, in place.

    Take the column whose best response lowers L most, then the row with the largest projected gradient
    at the new scores:

    .. math:: w_j \leftarrow \arg\min_x v_j x + g_j(x), \qquad
        u_i \leftarrow \operatorname{prox}_{c_i \psi_i}(u_i + c_i z_i), \qquad
        \psi_i(y) = \phi_i^*(y) + \tfrac\beta2 (y - \bar u_i)^2,

    with :math:`z = A w` and :math:`v = A'(s \circ u)/n` kept up to date. The scores of the rows are those
    of :func:`dual_scores` at :math:`z - \beta (u - \bar u)`, which leaves :math:`\psi_i` for
    :math:`\phi_i^*`. Equal scores: the first. A side
    whose scores are all 0 does not move. Returns the chosen (j, i), -1 for none.
    """
    chosen = []
    for _ in range(steps):
        w_before, u_before = w.copy(), u.copy()
        j = _first_largest(primal_scores(form, w, v))
        if j >= 0:
            w[j] = form.lmo(v)[j]
            z += (w[j] - w_before[j]) * A[:, j]
        i = _first_largest(dual_scores(loss, b, sample_weight, z - beta * (u - centre), u))
        if i >= 0:
            row, pull = slice(i, i + 1), step[i] * beta
            ahead = (u[row] + step[row] * z[row] + pull * centre[row]) / (1.0 + pull)
            u[row] = loss.prox_conjugate(ahead, b[row], step[row] / (1.0 + pull))
            v += sample_weight[i] * (u[i] - u_before[i]) / len(b) * A[i]
        chosen.append((j, i))
        if np.array_equal(w, w_before) and np.array_equal(u, u_before):
            break
    return chosen


def _first_largest(scores: FloatArray) -> int:
    """The first index of the largest score above 0; -1 when there is none."""
    k = int(np.argmax(scores))
    return k if scores[k] > 0 else -1


def active_set_iteration(
    A: FloatArray,
    inner: int,
    loss: ScalarLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: float,
    form: CoordinateForm,
    u: FloatArray,
    rows: BoolArray,
    columns: BoolArray,
) -> FloatArray:
    r"""One outer iteration of Algorithm 2 of Lei et al. (2017), corrected; ``u`` and both sets in place.

    Add the column outside the set with the largest best response, respond on the set, add the row
    outside with the largest projected gradient; then ``inner`` times

    .. math:: w_k \leftarrow \arg\min_x v_k x + g_k(x) \;(k \text{ active}), \qquad
        u_i \leftarrow \operatorname{prox}_{c \phi_i^*}(u_i + c \langle a_i, w\rangle) \;(i \text{ active})

    for all active coordinates at once, and drop the zeros of both. Returns w.
    """
    w = np.zeros(A.shape[1])
    for pass_ in range(inner):
        best = form.lmo(A.T @ (sample_weight * u) / len(b))
        if pass_ == 0:
            add_first_largest(columns, np.abs(best))
        w = np.where(columns, best, 0.0)
        z = A @ w
        if pass_ == 0:
            add_first_largest(rows, dual_scores(loss, b, sample_weight, z, u))
        u[:] = np.where(rows, loss.prox_conjugate(u + step * z, b, step), u)
    rows &= u != 0
    columns &= w != 0
    return w


def add_first_largest(chosen: BoolArray, scores: FloatArray) -> None:
    """Add the first index outside with the largest score above 0."""
    k = _first_largest(np.where(chosen, 0.0, scores))
    if k >= 0:
        chosen[k] = True


def spdc_pass(
    A: FloatArray,
    order: IndexArray,
    loss: ScalarLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    tau: FloatArray,
    sigma: float,
    theta: float,
    w: FloatArray,
    previous: FloatArray,
    u: FloatArray,
    v: FloatArray,
) -> None:
    r"""SPDC of Zhang and Xiao (2017): one step for every row in ``order``, in place.

    With :math:`\tilde w = w + \theta (w - w_{previous})` and :math:`v = A'(s \circ u)/n`,

    .. math::
        u_i \leftarrow \operatorname{prox}_{\sigma \phi_i^*}(u_i + \sigma \langle a_i, \tilde w\rangle), \quad
        w \leftarrow \operatorname{prox}_{\tau g}(w - \tau (v + s_i \delta a_i)), \quad
        v \leftarrow v + \tfrac1n s_i \delta a_i.

    A row of weight 0 keeps its :math:`u_i`. The kernel makes the steps of :math:`w_k` only when a row
    touches column k; here all are made.
    """
    for i in order:
        change = np.zeros_like(v)
        if sample_weight[i] > 0:
            row = slice(i, i + 1)
            score = A[i] @ (w + theta * (w - previous))
            moved = loss.prox_conjugate(u[row] + sigma * score, b[row], sigma)
            change = sample_weight[i] * (moved - u[row]) * A[i]
            u[row] = moved
        previous[:] = w
        w[:] = form.prox(w - tau * (v + change), tau)
        v += change / len(b)
