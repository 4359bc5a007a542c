r"""The support function of the matrices with bounded row maxima and bounded column maxima.

.. math:: \max\Bigl\{\langle C, Q\rangle : \sum_i \max_j |Q_{ij}| \le 1,
          \; \sum_j \max_i |Q_{ij}| \le 1\Bigr\} \quad (C \ge 0)

Its optimum has the form :math:`Q_{ij} = \min(r_i, t_j)` with r and t of sum 1, and its dual splits C into two
parts, the dual norms of which are added:

.. math:: \max_{r, t \in \Delta} \sum_{ij} C_{ij} \min(r_i, t_j)
          = \min_{0 \le F \le C} \; \max_i \sum_j F_{ij} + \max_j \sum_i (C - F)_{ij}.

Any r and t give a lower bound, any F an upper one: a bilinear game between F and (r, t). Small ones that
the game does not settle soon are left to a linear program.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse as sp

from fenchel.numerics.simplex import project_simplex
from fenchel.typing import FloatArray

__all__ = ["Support", "row_column_support"]

_MOST_ROUNDS, _STEPS = 400, 50
_SMALL, _FEW_ROUNDS = 4000, 4
"""A matrix with at most so many entries is left to the linear program after a few rounds."""


class Support(NamedTuple):
    """Two bounds on the support function, and the maxima of the rows and columns that give the lower one."""

    lower: float
    upper: float
    rows: FloatArray
    columns: FloatArray

    def agree(self, accuracy: float) -> bool:
        """Whether the bounds are that near to each other, as a share of the upper one."""
        return self.upper - self.lower <= accuracy * self.upper


def row_column_support(C: FloatArray, accuracy: float = 1e-10) -> Support:
    """Bound the support function at a matrix without negative entries.

    The bounds agree to a relative ``accuracy``, unless 20,000 steps of the game (or the linear program of a
    matrix with at most 4000 entries) do not suffice; they are bounds all the same. A step costs a few
    operations an entry.

    Examples
    --------
    >>> import numpy as np
    >>> row_column_support(np.array([[3.0, 1.0], [1.0, 0.0]])).upper
    3.0
    """
    scale = float(C.max(initial=0.0))
    if scale == 0.0:
        shapes = (np.full(size, 1.0 / size) for size in C.shape)
        return Support(0.0, 0.0, *shapes)
    best = _settled(C / scale, accuracy)
    return Support(scale * best.lower, scale * best.upper, best.rows, best.columns)


def _bounded(C: FloatArray, rows: FloatArray, columns: FloatArray, F: FloatArray) -> Support:
    """Both bounds, from any point of the simplices and any split."""
    F = np.clip(F, 0.0, C)
    lower = float(np.sum(C * np.minimum(rows[:, None], columns)))
    upper = float(F.sum(axis=1).max() + (C - F).sum(axis=0).max())
    return Support(lower, upper, rows, columns)


def _settled(C: FloatArray, accuracy: float) -> Support:
    """The game, and where it is small and not settled soon the better of it and the linear program."""
    if C.size > _SMALL:
        return _play(C, _MOST_ROUNDS, accuracy)
    best = _play(C, _FEW_ROUNDS, accuracy)
    if best.agree(accuracy):
        return best
    best = _better(best, _program(C))
    return best if best.agree(accuracy) else _better(best, _play(C, _MOST_ROUNDS, accuracy))


def _program(C: FloatArray) -> Support:
    """Both bounds by the linear program over F and the two maxima, and its multipliers."""
    m, n = C.shape
    sums = sp.vstack([sp.kron(sp.eye_array(m), np.ones((1, n))), -sp.kron(np.ones((1, m)), sp.eye_array(n))])
    maxima = sp.block_array([[np.ones((m, 1)), None], [None, np.ones((n, 1))]])
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(m * n), [1.0, 1.0]]),
        A_ub=sp.hstack([sums, -maxima], format="csr"),
        b_ub=np.concatenate([np.zeros(m), -C.sum(axis=0)]),
        bounds=np.column_stack([np.zeros(m * n + 2), np.append(C.ravel(), [np.inf, np.inf])]),
        method="highs",
    )
    if found.x is None:
        return Support(0.0, np.inf, np.full(m, 1.0 / m), np.full(n, 1.0 / n))
    multipliers = np.maximum(-found.ineqlin.marginals, 0.0)
    rows, columns = (project_simplex(part[None])[0] for part in (multipliers[:m], multipliers[m:]))
    return _bounded(C, rows, columns, found.x[: m * n].reshape(m, n))


def _play(C: FloatArray, rounds: int, accuracy: float) -> Support:
    """Primal-dual hybrid gradients on ``max_{r, t} min_F <F, r 1' - 1 t'> + <C, 1 t'>``.

    Restarted at the averages of 50 steps, which makes the rate linear. The map from F to (r, t) has a norm of
    at most the root of the number of rows plus columns.
    """
    m, n = C.shape
    rows, columns, F = np.full(m, 1.0 / m), np.full(n, 1.0 / n), 0.5 * C
    best = _bounded(C, rows, columns, F)
    balance, column_pull = float(np.linalg.norm(C)), C.sum(axis=0)
    step = 1.0 / np.sqrt(m + n)
    for _ in range(rounds):
        sums = [np.zeros(m), np.zeros(n), np.zeros_like(F)]
        for _ in range(_STEPS):
            gain_rows, gain_columns = F.sum(axis=1), column_pull - F.sum(axis=0)
            next_rows = project_simplex((rows + step / balance * gain_rows)[None])[0]
            next_columns = project_simplex((columns + step / balance * gain_columns)[None])[0]
            ahead = (2 * next_rows - rows)[:, None] - (2 * next_columns - columns)
            F = np.clip(F - step * balance * ahead, 0.0, C)
            rows, columns = next_rows, next_columns
            for total, part in zip(sums, (rows, columns, F), strict=True):
                total += part
        average = _bounded(C, *(total / _STEPS for total in sums))
        best = _better(best, _better(average, _bounded(C, rows, columns, F)))
        if best.agree(accuracy):
            break
        rows, columns, F = (total / _STEPS for total in sums)
    return best


def _better(first: Support, second: Support) -> Support:
    """The better of each bound, with the point of the better lower one."""
    point = max(first, second, key=lambda support: support.lower)
    return point._replace(upper=min(first.upper, second.upper))
