"""The steps of SPD1: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import (
    FLOAT64,
    CoordinateArrays,
    check_array,
    check_form,
    check_order,
    check_vector,
)
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines, SparseLines
from fenchel.typing import FloatArray, IndexArray

__all__ = ["spd1_steps"]


def spd1_steps(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    column_share: FloatArray,
    row_share: FloatArray,
    primal: FloatArray,
    dual: FloatArray,
    first: int,
    w: FloatArray,
    u: FloatArray,
    w_total: FloatArray,
    w_since: FloatArray,
    u_total: FloatArray,
    u_since: FloatArray,
) -> None:
    r"""Run SPD1 on the entries in ``order``; update the last six in place.

    The twin, :func:`fenchel.reference.spd1.spd1_steps`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the entries to visit, numbered along the rows; the ones of an intercept come in
        their place in dense rows, and after all others in sparse rows.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, D values each.
    column_share, row_share : (D,), (n,) ``n / c_j`` and ``1 / r_i`` with the entries that a line has.
    primal, dual : (D, 3), (n, 3) the step of a coordinate at time t is one over
        ``constant + linear t + root sqrt(t + 1)``.
    first : the time of the first step.
    w, u : (D,), (n,) the point, within its bounds and its domain.
    w_total, w_since, u_total, u_since : the sums of their values, and the number of points that these hold.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    n, d = rows.n_lines, rows.length
    # Dense lines tell the row from the number of the entry.
    rows_of = rows.line_of_entry if isinstance(rows, SparseLines) else np.empty(0, dtype=np.int32)
    check_order(order, rows_of.size + n * int(rows.ones) if isinstance(rows, SparseLines) else n * d)
    for name, array, size in (
        ("b", b, n), ("sample_weight", sample_weight, n), ("column_share", column_share, d),
        ("row_share", row_share, n),
    ):  # fmt: skip
        check_vector(name, array, size)
    check_form(form, d)
    check_array("primal", primal, FLOAT64, 2, 3 * d)
    check_array("dual", dual, FLOAT64, 2, 3 * n)
    for name, array, size in (
        ("w", w, d), ("u", u, n), ("w_total", w_total, d), ("w_since", w_since, d), ("u_total", u_total, n),
        ("u_since", u_since, n),
    ):  # fmt: skip
        check_vector(name, array, size, writeable=True)
    _core.spd1_steps(
        rows.compiled, rows_of, order, loss.compiled, b, sample_weight, form.l1, form.l2, form.lower,
        form.upper, column_share, row_share, primal, dual, first, w, u, w_total, w_since, u_total, u_since,
    )  # fmt: skip
