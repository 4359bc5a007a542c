r"""SVRG and SAGA in plain NumPy, on a dense matrix.

Both work on :math:`P(w) = \frac1n \sum_i s_i \phi_i(\langle a_i, w\rangle) + \sum_k g_k(w_k)`. A kernel and
its twin, given the same order, agree to rounding.
"""

import numpy as np

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.typing import FloatArray, IndexArray

__all__ = ["saga_pass", "svrg_pass"]


def _derivative(loss: Loss, b: FloatArray, score: float, i: int) -> float:
    return float(loss.gradient(np.array([score]), b[i : i + 1])[0])


def svrg_pass(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    factor: FloatArray,
    form: CoordinateForm,
    step: FloatArray,
    u: FloatArray,
    v: FloatArray,
    w: FloatArray,
) -> None:
    r"""SVRG of Johnson and Zhang (2013) with a prox: one step for every row in ``order``, in place.

    With :math:`u = \phi'(A \tilde w)` and :math:`v = A'(s \circ u)/n` of the snapshot,

    .. math:: w \leftarrow \operatorname{prox}_{h g}\bigl(w - h (v +
        f_i (\phi_i'(\langle a_i, w\rangle) - u_i)\, a_i)\bigr), \qquad f_i = s_i / (n p_i).

    A row of factor 0 has no gradient, and w still moves. On sparse rows the kernel makes the steps of
    :math:`w_k` only when a row touches column k; here all are made.
    """
    for i in order:
        change = factor[i] * (_derivative(loss, b, A[i] @ w, i) - u[i])
        w[:] = form.prox(w - step * (v + change * A[i]), step)


def saga_pass(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    step: FloatArray,
    u: FloatArray,
    v: FloatArray,
    w: FloatArray,
) -> None:
    r"""SAGA of Defazio, Bach and Lacoste-Julien (2014): one step for every row in ``order``, in place.

    With :math:`\delta = \phi_i'(\langle a_i, w\rangle) - u_i`,

    .. math:: w \leftarrow \operatorname{prox}_{h g}\bigl(w - h (v + s_i \delta a_i)\bigr), \qquad
        v \leftarrow v + \tfrac1n s_i \delta a_i, \qquad u_i \leftarrow u_i + \delta.

    A row of weight 0 keeps its :math:`u_i`, and w still moves.
    """
    for i in order:
        moved = _derivative(loss, b, A[i] @ w, i)
        change = sample_weight[i] * (moved - u[i]) * A[i]
        w[:] = form.prox(w - step * (v + change), step)
        v += change / len(b)
        if sample_weight[i] > 0:
            u[i] = moved
