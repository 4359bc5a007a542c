r"""Primal methods for interpolation problems in plain NumPy, on a dense matrix.

Both keep :math:`t = \sum_i x_i a_i^\top` and answer with :math:`w = \nabla g^*(t)`; a row moves t by what its
own score asks for, and a adds the moves up.
"""

import numpy as np

from fenchel._kernels.dual_ascent import ConstraintArrays
from fenchel.reference.dual_ascent import Mirror, project
from fenchel.typing import FloatArray, IndexArray

__all__ = ["perceptron_pass", "primal_mirror_pass"]


def primal_mirror_pass(
    A: FloatArray,
    order: IndexArray,
    sets: ConstraintArrays,
    step: FloatArray,
    g: Mirror,
    a: FloatArray,
    t: FloatArray,
) -> None:
    r"""Stochastic mirror descent on :math:`\frac1{2n}\sum_i \mathrm{dist}(z_i, Y_i)^2`, in place.

    .. math:: \Delta = \gamma_i \bigl(\Pi_i(z_i) - z_i\bigr), \qquad t \leftarrow t + x_i \Delta^\top, \qquad
              a_i \leftarrow a_i + \Delta
    """
    for i in order:
        z = A[i] @ g.lmo(-t)
        move = step[i] * (project(sets, i, z) - z)
        t += np.multiply.outer(A[i], move)
        a[i] += move


def perceptron_pass(
    A: FloatArray,
    order: IndexArray,
    labels: FloatArray,
    step: FloatArray,
    margin: float,
    g: Mirror,
    a: FloatArray,
    t: FloatArray,
) -> None:
    r"""The perceptron, in place: :math:`t \mathrel{+}= \gamma_i b_i x_i` where :math:`b_i z_i \le` margin."""
    for i in order:
        if step[i] != 0.0 and labels[i] * (A[i] @ g.lmo(-t)) <= margin:
            move = step[i] * labels[i]
            t += A[i] * move
            a[i] += move
