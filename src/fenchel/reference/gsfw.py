r"""Generalised stochastic Frank-Wolfe in plain NumPy, on a dense matrix, for any set; and its dual form.

Both maximise :math:`D(u) = \min_x \{\langle v, x\rangle + g(x)\} - \frac1n\sum_i s_i \phi_i^*(u_i)`,
:math:`v = A'(s\circ u)/n`. The kernels never form a best response that is not sparse; here all are formed.
"""

from __future__ import annotations

import numpy as np

from fenchel.losses.base import IntervalDomain, Loss, ScalarLoss
from fenchel.regularizers.base import LinearlyMinimizable, Regularizer
from fenchel.regularizers.l1_ball import L1Ball
from fenchel.regularizers.l2_ball import L2Ball
from fenchel.regularizers.ridge import Ridge
from fenchel.regularizers.simplex import Simplex
from fenchel.typing import FloatArray, IndexArray

__all__ = ["gsfw_pass", "gsfw_ray_pass", "gsfw_vertex_pass", "mirror_descent_pass"]


def gsfw_pass(
    A: FloatArray,
    batches: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    g: Regularizer,
    step: FloatArray,
    weight: FloatArray,
    prediction: FloatArray,
    u: FloatArray,
    v: FloatArray,
    numerator: FloatArray,
    u_total: FloatArray,
) -> FloatArray:
    r"""One iteration for every batch B, in place; returns the dual value at the beginning of each.

    .. math:: x = \arg\min \langle v, x\rangle + g(x), \qquad
        p_i \leftarrow (1 - \eta_t) p_i + \eta_t \langle a_i, x\rangle, \quad
        u_i \leftarrow \phi_i'(p_i) \quad (i \in B), \qquad v = A'(s \circ u)/n

    ``numerator`` sums the x and ``u_total`` the u before each step, with weights :math:`\gamma_t`.
    """
    assert isinstance(g, LinearlyMinimizable)
    dual = np.empty(step.size)
    for t, batch in enumerate(batches):
        x = g.lmo(v)
        dual[t] = -g.conjugate(-v) - np.mean(sample_weight * loss.conjugate(u, b))
        numerator += weight[t] * x
        u_total += weight[t] * u
        prediction[batch] += step[t] * (A[batch] @ x - prediction[batch])
        moved = loss.gradient(prediction[batch], b[batch])
        v += A[batch].T @ (sample_weight[batch] * (moved - u[batch])) / b.size
        u[batch] = moved
    return dual


def gsfw_vertex_pass(
    A: FloatArray,
    batches: IndexArray,
    loss: Loss,
    radius: float,
    penalty: float,
    signed: bool,
    **arrays: FloatArray,
) -> FloatArray:
    """:func:`gsfw_pass` on an l1 ball with a penalty inside, or on a simplex."""
    g = L1Ball(radius, l1=penalty) if signed else Simplex(radius)
    return gsfw_pass(A, batches, loss, g=g, **arrays)


def gsfw_ray_pass(
    A: FloatArray, batches: IndexArray, loss: Loss, radius: float, l2: float, **arrays: FloatArray
) -> FloatArray:
    """:func:`gsfw_pass` on an l2 ball with a ridge inside, or under a ridge alone (infinite radius)."""
    g = L2Ball(radius, l2=l2) if np.isfinite(radius) else Ridge(l2)
    return gsfw_pass(A, batches, loss, g=g, **arrays)


def mirror_descent_pass(
    A: FloatArray,
    batches: IndexArray,
    loss: ScalarLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    g: Regularizer,
    step: FloatArray,
    u: FloatArray,
) -> None:
    r"""Coordinate mirror descent on -D with the reference function :math:`h = \frac1n \sum s_i \phi_i^*`.

    .. math:: u_i \leftarrow \arg\min_y \; \eta_t (\phi_i^*(y) - y \langle a_i, x \rangle)
        + (1 - \eta_t) \bigl(\phi_i^*(y) - y\, (\phi_i^*)'(u_i)\bigr) \qquad (i \in B)

    Nothing but u is kept: the slope of the conjugate is taken at :math:`u_i`, and the step found by
    bisection on it. Equal to :func:`gsfw_pass` where every :math:`\phi_i^*` is differentiable.
    """
    assert isinstance(g, LinearlyMinimizable)
    domain = loss.dual_domain(b)
    assert isinstance(domain, IntervalDomain)
    for t, batch in enumerate(batches):
        x = g.lmo(A.T @ (sample_weight * u) / b.size)
        for i in batch:
            target = b[i : i + 1]
            old = loss.conjugate_slopes(u[i : i + 1], target)[0]
            wanted = (1.0 - step[t]) * float(old[0]) + step[t] * float(A[i] @ x)
            low, high = (float(np.clip(end[i], -1e3, 1e3)) for end in (domain.lower, domain.upper))
            while (middle := 0.5 * (low + high)) not in (low, high):
                slope = loss.conjugate_slopes(np.array([middle]), target)[0][0]
                low, high = (low, middle) if slope > wanted else (middle, high)
            u[i] = middle
