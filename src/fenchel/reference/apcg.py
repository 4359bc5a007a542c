r"""Accelerated dual coordinate ascent in plain NumPy: the dense form, with both sequences."""

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.typing import FloatArray, IndexArray

__all__ = ["apcg_pass"]


def apcg_pass(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateForm,
    root: float,
    rate: float,
    x: FloatArray,
    z: FloatArray,
) -> None:
    r"""One accelerated step for every row in ``order``, in place; O(n d) each.

    With :math:`\alpha` = ``rate``, :math:`\sqrt\mu` = ``root`` and
    :math:`w(y) = \arg\min_w \langle \tfrac1n A^\top(s \circ y), w\rangle + g(w)`,

    .. math::
        y = \frac{x + \alpha z}{1 + \alpha}, \quad c = (1 - \alpha) z + \alpha y, \quad
        t = \operatorname{prox}_{\eta_i \phi_i^*}\Bigl(\frac{c_i - \sqrt\mu\, y_i}{1 - \sqrt\mu}
        + \eta_i \langle a_i, w(y)\rangle\Bigr),

        z \leftarrow c + (t - c_i) e_i, \qquad x \leftarrow y + \sqrt\mu\, (t - c_i) e_i,
        \qquad \eta_i = \Bigl(1 + \frac1{\sqrt\mu}\Bigr) \frac n{s_i \sum_k a_{ik}^2 / l_{2k}}.

    t minimises the model of APCG,
    :math:`\tfrac{\sqrt\mu L_i}2 (t - c_i)^2 + \partial_i f(y)\, t + \Psi_i(t)`, where the smooth part f holds
    :math:`\tfrac{\mu L_i}2 u_i^2` of every conjugate term :math:`\tfrac{s_i}n \phi_i^*(u_i)` and
    :math:`\Psi_i` the rest, with :math:`(1 - \mu) L_i = \frac{s_i^2}{n^2} \sum_k a_{ik}^2 / l_{2k}`. Rows of
    weight 0 or step 0 are skipped.
    """
    for i in order:
        if sample_weight[i] == 0 or step[i] == 0:
            continue
        y = (x + rate * z) / (1 + rate)
        c = (1 - rate) * z + rate * y
        w = form.lmo(A.T @ (sample_weight * y) / len(b))
        row, eta = slice(i, i + 1), float(step[i])
        point = (c[row] - root * y[row]) / (1 - root) + eta * (A[i] @ w)
        delta = loss.prox_conjugate(point, b[row], eta) - c[row]
        z[:], x[:] = c, y
        z[row] += delta
        x[row] += root * delta
