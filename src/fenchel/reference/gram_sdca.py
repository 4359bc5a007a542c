r"""Dual ascent under :math:`\tfrac{l_2}2 \|w\|^2` by the matrix of the rows, in plain NumPy.

With :math:`K = A A'` the scores of the best response :math:`w = -A'(s \circ u) / (n l_2)` are
:math:`z = -K (s \circ u) / (n l_2)`, and a step reads one row of K.
"""

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import Loss
from fenchel.typing import FloatArray, IndexArray

__all__ = ["gram_gap", "gram_sdca"]


def gram_gap(loss: Loss, b: FloatArray, sample_weight: FloatArray, u: FloatArray, z: FloatArray) -> float:
    """The gap of ``u`` and its best response, which has the scores ``z``, over the larger of |P| and |D|."""
    counts = sample_weight > 0.0
    b, u, z, s = b[counts], u[counts], z[counts], sample_weight[counts]
    primal = float(np.sum(s * (loss.value(z, b) - 0.5 * u * z)))
    gap = float(np.sum(s * (loss.value(z, b) + loss.conjugate(u, b) - u * z)))
    return max(gap, 0.0) / max(abs(primal), abs(primal - gap))


def gram_sdca(
    K: FloatArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    l2: float,
    repeats: int,
    most: int,
    precision: float,
    share: float,
    draws: npt.NDArray[np.uint32],
    z: FloatArray,
    u: FloatArray,
) -> tuple[int, bool]:
    r"""Rounds of passes until the relative gap is at most ``precision`` and ``share`` of the first, in place.

    .. math:: u_i \leftarrow \operatorname{prox}_{c_i \phi_i^*}(u_i + c_i z_i), \qquad
        z \leftarrow z - \frac{s_i \delta_i}{n l_2} K_i, \qquad c_i = \frac{n l_2}{s_i K_{ii}}.

    A round is a pass over all rows, in an order from its draws, and up to ``repeats`` more over those that
    the pass before has moved, put in another order each. It ends where no row moves, or ``most`` entries are
    read in all. Returns the entries of K that were read, and whether the gap is as small as that.
    """
    n, read = len(b), 0
    gap = gram_gap(loss, b, sample_weight, u, z)
    enough = max(min(precision, share * gap), 1e-15)
    while gap > enough and read < most and draws.size >= n:
        order = np.arange(n)
        for t in range(n):
            k = int(draws[t]) * (t + 1) >> 32
            order[t], order[k] = order[k], t
        for count in range(repeats + 1):
            before = u[order]
            read += n * _pass(K, order, loss, b, sample_weight, step, l2, z, u)
            order = order[u[order] != before]
            if count == repeats or order.size == 0 or read >= most:
                break
            for t in range(order.size - 1, 0, -1):
                k = int(draws[t]) * (t + 1) >> 32
                order[t], order[k] = order[k], order[t]
        gap = gram_gap(loss, b, sample_weight, u, z)
        draws = draws[n:]
    return read, gap <= enough


def _pass(
    K: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    l2: float,
    z: FloatArray,
    u: FloatArray,
) -> int:
    """A step for every row in ``order`` that has a weight and a step; their number."""
    order = order[(sample_weight[order] > 0.0) & (step[order] > 0.0)]
    for i in order:
        row = slice(i, i + 1)
        moved = loss.prox_conjugate(u[row] + step[i] * z[row], b[row], float(step[i]))
        z -= sample_weight[i] * (moved - u[row]) / (len(b) * l2) * K[i]
        u[row] = moved
    return len(order)
