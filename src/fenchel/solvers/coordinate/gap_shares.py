r"""The share of every row and of every coordinate in the gap.

By the Fenchel-Young inequality no share is negative, and they sum to the certificate:

.. math:: P(w) - D(u) = \frac1n \sum_i s_i \left( \phi_i(z_i) + \phi_i^*(u_i) - z_i u_i \right)
          + \sum_k \left( g_k(w_k) + g_k^*(-v_k) + w_k v_k \right), \qquad z = A w, \; v = A'(s \circ u)/n.

The second sum is zero when w is the best response to u, the first when u is the best response to w.
"""

from __future__ import annotations

from fenchel._kernels import coordinate as kernels
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["row_shares"]


def row_shares(problem: Problem, z: FloatArray, u: FloatArray, shares: FloatArray) -> float:
    """Set the share of every row, given its score, and return their sum; 0 for a row of weight zero.

    Needs a compiled loss.
    """
    kernels.row_shares(problem.kernel_loss, z, u, problem.b, problem.sample_weight, shares)
    return float(shares.sum())
