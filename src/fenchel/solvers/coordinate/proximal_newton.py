r"""Long proximal steps on the dual of a loss with kinks under a ridge, each a smooth problem in w.

A proximal step of length c maximises :math:`D(x) - \frac1{2cn} \sum_i s_i (x_i - u_i)^2`. At its maximiser

.. math:: x_i = T_i(w) = \mathrm{prox}_{c\phi_i^*}(u_i + c\, z_i), \qquad z = A w, \qquad
          l_2 w + \tfrac1n A'(s \circ T(w)) = 0,

and the left side of the last equation is the gradient of a smooth convex function of w (the loss with its
kinks rounded at a width of 1/c, around u). Its Newton matrix is :math:`l_2 I + \frac cn \sum_{i \text{ free}}
s_i a_i a_i'`: a row is free where no end and no kink of its conjugate holds :math:`T_i`. Near the optimum
about as many rows are free as there are columns, so that a step costs little; the others are looked at now
and then. With c growing few proximal steps are needed.

The method of multipliers with semismooth Newton steps: X. Li, D. Sun and K.-C. Toh, A highly efficient
semismooth Newton augmented Lagrangian method for solving lasso problems, SIAM Journal on Optimization 28,
2018. R. T. Rockafellar, Monotone operators and the proximal point algorithm, SIAM Journal on Control and
Optimization 14, 1976.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel._kernels.proximal_newton import proximal_newton_steps, proximal_rows, proximal_search
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray, IndexArray

__all__ = ["ProximalMove", "proximal_newton"]

_ROUNDS, _MOST_STEPS = 6, 30
_PRECISION, _PRECISION_NEAR = 0.05, 0.02
"""The gradient that may be left, as a share of what the step has moved ``A'(s u) / n``: of all rows, and of
those near their kinks before the others are looked at."""
_NEAR_SHARE, _NEAR_A_COLUMN = 0.1, 4
"""The first round moves a tenth of the rows, four a column, or twice the free ones, whichever is most; each
round twice as many."""


class ProximalMove(NamedTuple):
    """The dual point with its correlation, the primal point with its scores, and the entries read."""

    u: FloatArray
    v: FloatArray
    w: FloatArray
    z: FloatArray
    entries: int


def proximal_newton(
    problem: Problem, ridge: float, u: FloatArray, w: FloatArray, z: FloatArray, c: float
) -> ProximalMove:
    """Take one proximal step of length c from u, with w its best response and z the scores of w.

    Cost: two products with A a round, of at most six; in a round some Newton steps, each with two products of
    the rows near their kinks, and the matrix of the free ones.
    """
    design, loss, b, weight = problem.design, problem.kernel_loss, problem.b, problem.sample_weight
    first = v = -ridge * w
    old, entries, share = u, 0, _NEAR_SHARE
    for round_ in range(_ROUNDS + 1):
        target, room = proximal_rows(loss, b, u, z, c)
        v = v + problem.correlation(target - old)
        old = target
        entries += design.n_entries
        moved = float(np.linalg.norm(v - first))
        if round_ == _ROUNDS or float(np.linalg.norm(ridge * w + v)) <= _PRECISION * moved:
            break
        near, new = _near(problem, room, share), w.copy()
        steps = proximal_newton_steps(
            design.rows, near, loss, b, weight, u, ridge, c, _MOST_STEPS, _PRECISION_NEAR * moved,
            w=new, z=z.copy(), v=v.copy(),
        )  # fmt: skip
        entries += 2 * (steps + 1) * int(design.row_counts[near].sum()) + design.n_entries
        # The rows that were held may not stay: all of them say how far the new point is a better one.
        dw, dz = new - w, problem.scores(new) - z
        length = proximal_search(loss, b, weight, u, ridge, c, w, dw, z, dz)
        w, z = w + length * dw, z + length * dz
        share = min(2.0 * share, 1.0)
    return ProximalMove(old, v, w, z, entries)


def _near(problem: Problem, room: FloatArray, share: float) -> IndexArray:
    """The rows with the least room."""
    n, d = problem.n_samples, problem.n_coordinates
    free = int(np.count_nonzero(room == 0.0))
    count = max(int(share * n), _NEAR_A_COLUMN * d, 2 * free)
    if count >= n:
        return np.arange(n)
    return np.flatnonzero(room <= np.partition(room, count)[count])
