r"""The Newton system of the primal in the space of the rows, for fewer rows than columns.

With C the columns that carry an l2 part, E the others (the intercept), and
:math:`y = h \circ (C p_C + E p_E)`, the system :math:`(A'\mathrm{diag}(h)A + \mathrm{diag}(l_2))\,p = r` is

.. math:: \left(\mathrm{diag}(1/h) + C\,\mathrm{diag}(1/l_2)\,C'\right) y = C (r_C / l_2) + E p_E, \qquad
          E' y = r_E, \qquad p_C = (r_C - C'y) / l_2.
"""

from __future__ import annotations

import numpy as np

from fenchel.design.base import Design
from fenchel.numerics.semidefinite import solve_semidefinite
from fenchel.typing import FloatArray

__all__ = ["solve_by_rows"]


def solve_by_rows(design: Design, h: FloatArray, l2: FloatArray, right: FloatArray) -> FloatArray:
    """Solve ``(A' diag(h) A + diag(l2)) p = right``; ``h`` is positive, ``l2`` zero on few coordinates.

    Cost O(n^3) for the n rows of ``design``, their Gram matrix, and two products.
    """
    free = np.flatnonzero(l2 == 0.0).astype(np.int64)
    inverse = np.divide(1.0, l2, out=np.zeros_like(l2), where=l2 > 0.0)
    kernel = design.row_gram(np.arange(h.size), inverse) + np.diag(1.0 / h)
    pull = design.matvec(inverse * right)
    columns = design.select_columns(free)
    solved = solve_semidefinite(kernel, np.column_stack([pull, columns]))
    left = columns.T @ solved
    moves = np.linalg.lstsq(left[:, 1:], right[free] - left[:, 0], rcond=None)[0]
    y = solved[:, 0] + solved[:, 1:] @ moves
    p: FloatArray = inverse * (right - design.rmatvec(y))
    p[free] = moves
    return p
