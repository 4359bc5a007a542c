r"""Proximal stochastic gradient descent in plain NumPy, on a dense matrix and the pattern of its entries."""

import numpy as np

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["psgd_pass"]


def psgd_pass(
    A: FloatArray,
    stored: BoolArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    metric: FloatArray,
    share: FloatArray,
    step: FloatArray,
    first: int,
    w: FloatArray,
    w_total: FloatArray,
    u_total: FloatArray,
    u_weight: FloatArray,
) -> None:
    r"""One step for every row in ``order``, in place; :math:`c_k` rows hold an entry of column k.

    The problem is the mean over the rows of
    :math:`s_i \phi_i(\langle a_i, w\rangle) + \sum_{k \in i} \frac n{c_k} g_k(w_k)`, and a step at time t

    .. math:: w_k \leftarrow \operatorname{prox}_{h_t m_k \frac n{c_k} g_k}\bigl(w_k -
        h_t m_k s_i \phi_i'(\langle a_i, w\rangle)\, a_{ik}\bigr) \qquad (k \in i).

    ``w_total`` sums the points before each step with weight t + 1; ``u_total`` and ``u_weight`` sum the
    subgradients of every row in the same way. The kernel adds to a total only when its value changes.
    """
    for t, i in enumerate(order, start=first):
        w_total += (t + 1) * w
        slope = loss.gradient(np.array([A[i] @ w]), b[i : i + 1])[0]
        u_total[i] += (t + 1) * slope
        u_weight[i] += t + 1
        h = step[t - first] * metric
        moved = form.prox(w - h * sample_weight[i] * slope * A[i], h * share)
        w[:] = np.where(stored[i], moved, w)
