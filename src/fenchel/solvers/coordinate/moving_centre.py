r"""A proximal term on the dual point, and its centre, which moves with momentum.

The dual of a loss with kinks has no curvature of its own. Around a centre :math:`\bar u` it has,

.. math:: \max_u \; D(u) - \frac\beta{2n} \sum_i s_i (u_i - \bar u_i)^2,

and the maxima lead to one of D, if each is found well enough and the next centre is

.. math:: \bar u \leftarrow u^k + \frac{t_k - 1}{t_{k+1}} (u^k - u^{k-1}), \qquad
          t_{k+1} = \tfrac12 \bigl(1 + \sqrt{1 + 4 t_k^2}\bigr), \qquad t_1 = 1.

In the primal that is the method of multipliers for the constraint :math:`z = A w`, with :math:`\bar u` as the
multipliers. The momentum begins anew when D has fallen.

O. Güler, New proximal point algorithms for convex minimization, SIAM Journal on Optimization 2, 1992.
H. Lin, J. Mairal and Z. Harchaoui, Catalyst acceleration for first-order convex optimization, Journal of
Machine Learning Research 18, 2018. B. O'Donoghue and E. Candès, Adaptive restart for accelerated gradient
schemes, Foundations of Computational Mathematics 15, 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import State
from fenchel.typing import FloatArray

__all__ = ["CentredState", "move_centre"]


@dataclass
class CentredState(State):
    """A dual point and its correlation, the weight and the centre of its proximal term, and the momentum.

    ``previous`` is the dual point at the last move of the centre and ``value`` its D, ``momentum`` the t of
    the next move.
    """

    u: FloatArray
    v: FloatArray
    beta: float
    centre: FloatArray
    previous: FloatArray
    value: float
    momentum: float


def move_centre(problem: Problem, state: CentredState) -> None:
    """Move the centre to the dual point, and beyond it by the momentum."""
    value = -problem.mean_conjugate(state.u) - problem.conjugate(-state.v)
    if value < state.value:
        state.momentum = 1.0
    following = 0.5 * (1.0 + float(np.sqrt(1.0 + 4.0 * state.momentum**2)))
    state.centre[:] = state.u + (state.momentum - 1.0) / following * (state.u - state.previous)
    state.previous[:], state.value, state.momentum = state.u, value, following
