r"""SPD1 in plain NumPy, on a dense matrix."""

import numpy as np

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm, soft_threshold
from fenchel.typing import FloatArray, IndexArray

__all__ = ["spd1_steps"]


def _step(coefficients: FloatArray, t: int) -> float:
    constant, linear, root = coefficients
    return float(1.0 / (constant + linear * t + root * np.sqrt(t + 1)))


def spd1_steps(
    A: FloatArray,
    rows: IndexArray,
    columns: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    column_share: FloatArray,
    row_share: FloatArray,
    primal: FloatArray,
    dual: FloatArray,
    first: int,
    w: FloatArray,
    u: FloatArray,
    w_total: FloatArray,
    u_total: FloatArray,
) -> None:
    r"""Algorithm 1 of Tan, Zhang, Ma and Liu (2018), corrected: one step for every entry, in place.

    Column j holds :math:`c_j` entries and row i :math:`r_i`; where all are stored these are n and d. With
    the old values on the right,

    .. math::
        w_j \leftarrow \operatorname{prox}_{\eta \frac n{c_j} g_j}(w_j - \eta s_i a_{ij} u_i), \qquad
        u_i \leftarrow \operatorname{prox}_{\frac \tau{r_i} \phi_i^*}(u_i + \tau a_{ij} w_j).

    The step of a coordinate at time t is one over ``constant + linear t + root sqrt(t + 1)``. The totals
    sum the points before each step; the kernel adds to them only when a value changes.
    """
    for t, (i, j) in enumerate(zip(rows, columns, strict=True), start=first):
        w_total += w
        u_total += u
        eta, tau = _step(primal[j], t), _step(dual[i], t)
        w_old, u_old, row = w[j], u[i], slice(i, i + 1)
        strength = eta * column_share[j]
        shrunk = soft_threshold(w_old - eta * sample_weight[i] * A[i, j] * u_old, strength * form.l1[j])
        w[j] = np.clip(shrunk / (1.0 + strength * form.l2[j]), form.lower[j], form.upper[j])
        u[row] = loss.prox_conjugate(u_old + tau * A[row, j] * w_old, b[row], tau * row_share[i])
