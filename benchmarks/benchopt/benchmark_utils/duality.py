"""The value of a solution, and a bound on its distance to the optimum."""

import numpy as np


def relative_gap(A, b, loss, l1, l2, w):
    r"""Return P(w), and the relative gap to the dual value of the gradient of the losses.

    .. math:: D(u) = -\frac1n \sum_i \phi^*(u_i, b_i) - \frac1{2 l_2} \sum_j (|a_j^\top u| / n - l_1)_+^2

    Without an l2 part u is scaled into the set where the last sum is zero.
    """
    n = len(b)
    z = A @ w
    value = loss.value(z, b).mean() + l1 * np.abs(w).sum() + 0.5 * l2 * (w @ w)
    u = loss.gradient(z, b)
    pull = np.abs(A.T @ u) / n
    if l2 == 0:
        scale = min(1.0, l1 / pull.max()) if pull.max() > 0 else 1.0
        dual = -loss.conjugate(scale * u, b).mean()
    else:
        excess = np.maximum(pull - l1, 0.0)
        dual = -loss.conjugate(u, b).mean() - (excess @ excess) / (2.0 * l2)
    return float(value), float((value - dual) / max(abs(value), abs(dual)))
