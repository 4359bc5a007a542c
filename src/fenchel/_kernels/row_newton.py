"""Newton steps of all coordinates, read by rows: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_order, check_vector
from fenchel._kernels.views import Lines
from fenchel.typing import FloatArray, IndexArray

__all__ = ["row_newton_step"]


def row_newton_step(
    rows: Lines,
    order: IndexArray,
    h: FloatArray,
    l2: FloatArray,
    iterations: int,
    tolerance: float,
    slope: FloatArray,
) -> tuple[FloatArray, int]:
    r"""Conjugate gradients for a Newton step, with the curvatures of some rows.

    .. math:: \Bigl( \sum_t h_t\, a_{i_t} a_{i_t}' + \mathrm{diag}(l_2) \Bigr) \text{step} = -\text{slope}

    Preconditioned by the diagonal; an intercept, the last coordinate, follows the others. Ends after
    ``iterations``, or when the residual is not longer than ``tolerance``. The twin is
    :func:`fenchel.reference.row_newton.row_newton_step`.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows :math:`i_t`.
    h : their curvatures, not negative.
    l2 : (D,).
    slope : (D,) becomes the residual.

    Returns
    -------
    step : (D,).
    steps : the iterations made, each of which reads the rows.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    d = rows.length
    check_order(order, rows.n_lines)
    check_vector("h", h, order.size)
    check_vector("l2", l2, d)
    check_vector("slope", slope, d, writeable=True)
    step = np.empty(d)
    steps, _ = _core.row_newton_step(
        rows.compiled, order, h, l2, iterations, tolerance, slope, step, np.empty(4 * d)
    )
    return step, steps
