"""The passes of SVRG and SAGA: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_order, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.typing import FloatArray, IndexArray

__all__ = ["saga_pass", "svrg_pass"]


def svrg_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    factor: FloatArray,
    form: CoordinateArrays,
    step: FloatArray,
    u: FloatArray,
    v: FloatArray,
    w: FloatArray,
) -> int:
    r"""Run SVRG from a snapshot over the rows in ``order``; update ``w`` in place.

    The twin, :func:`fenchel.reference.row_gradient.svrg_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : a differentiable loss.
    b, factor : (n,) targets, and ``s_i / (n p_i)`` for rows drawn with probabilities p.
    form : the regularizer, D values each.
    step : (D,) positive steps.
    u, v : (n,), (D,) the loss derivatives at the snapshot, and ``A'(s u) / n``.
    w : (D,) the point, within its bounds.

    Returns
    -------
    entries_read : entries of the visited rows, a row counted once a visit; rows of factor 0 are not read.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    for name, array, size in (("b", b, n), ("factor", factor, n), ("step", step, d), ("u", u, n)):
        check_vector(name, array, size)
    check_form(form, d)
    for name, array in (("v", v), ("w", w)):
        check_vector(name, array, d, writeable=True)
    return _core.svrg_pass(
        rows.compiled, order, loss.compiled, b, factor, form.l1, form.l2, form.lower, form.upper,
        step, u, v, w, np.empty(d), np.empty(d, dtype=np.int64),
    )  # fmt: skip


def saga_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    step: FloatArray,
    u: FloatArray,
    v: FloatArray,
    w: FloatArray,
) -> int:
    r"""Run SAGA over the rows in ``order``; update ``u``, ``v``, ``w`` in place.

    The twin, :func:`fenchel.reference.row_gradient.saga_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : a differentiable loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, D values each.
    step : (D,) positive steps.
    u, v, w : (n,), (D,), (D,) the last derivative of every row, ``A'(s u) / n``, and the point.

    Returns
    -------
    entries_read : entries of the visited rows, a row counted once a visit; rows of weight 0 are not read.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    for name, array, size in (("b", b, n), ("sample_weight", sample_weight, n), ("step", step, d)):
        check_vector(name, array, size)
    check_form(form, d)
    for name, array, size in (("u", u, n), ("v", v, d), ("w", w, d)):
        check_vector(name, array, size, writeable=True)
    return _core.saga_pass(
        rows.compiled, order, loss.compiled, b, sample_weight, form.l1, form.l2, form.lower, form.upper,
        step, u, v, w, np.empty(d), np.empty(d, dtype=np.int64),
    )  # fmt: skip
