"""The iterations of the doubly greedy method and of SPDC: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_order, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["dgpd_steps", "spdc_pass"]


def dgpd_steps(
    rows: Lines,
    columns: Lines,
    steps: int,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    beta: float,
    centre: FloatArray,
    form: CoordinateArrays,
    w: FloatArray,
    z: FloatArray,
    u: FloatArray,
    v: FloatArray,
) -> int:
    r"""Run iterations of doubly greedy primal-dual coordinate descent; update ``w``, ``z``, ``u``, ``v``.

    The twin, :func:`fenchel.reference.doubly_greedy.dgpd_steps`, states the update.

    Parameters
    ----------
    rows, columns : the same matrix as n lines of length D and as D lines of length n.
    steps : iterations; fewer when neither the best row nor the best column moves.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    step : (n,) positive steps of the prox.
    beta, centre : the weight, at least 0, and the centre (n,) of the proximal term on ``u``.
    form : the regularizer, D values each, ``l2 > 0``.
    w, z, u, v : (D,), (n,), (n,), (D,) with ``z = A w`` and ``v = A'(s u) / n``; updated in place.

    Returns
    -------
    entries_read : entries of the chosen columns and rows. The search reads no entry.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the two views differ in shape or storage, or
        some coordinate has no curvature.
    """
    n, d = rows.n_lines, rows.length
    if (columns.length, columns.n_lines) != (n, d) or type(rows) is not type(columns):
        raise InvalidInputError("rows and columns are not two views of one matrix, stored in the same way.")
    if rows.data.dtype != columns.data.dtype:
        raise InvalidInputError(f"rows hold {rows.data.dtype}, but columns hold {columns.data.dtype}.")
    for name, array in (("b", b), ("sample_weight", sample_weight), ("step", step), ("centre", centre)):
        check_vector(name, array, n)
    _check_curved(form, d)
    for name, array, size in (("w", w, d), ("z", z, n), ("u", u, n), ("v", v, d)):
        check_vector(name, array, size, writeable=True)
    return _core.dgpd_steps(
        rows.compiled, columns.compiled, steps, loss.compiled, b, sample_weight, step,
        beta, centre, form.l1, form.l2, form.lower, form.upper, w, z, u, v, np.empty(n), np.empty(n),
    )  # fmt: skip


def spdc_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    tau: FloatArray,
    sigma: float,
    theta: float,
    w: FloatArray,
    previous: FloatArray,
    u: FloatArray,
    v: FloatArray,
) -> int:
    r"""Run SPDC over the rows in ``order``; update ``w``, ``previous``, ``u``, ``v`` in place.

    The twin, :func:`fenchel.reference.doubly_greedy.spdc_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, D values each, ``l2 > 0``.
    tau, sigma, theta : primal steps (D,), the dual step, and the extrapolation.
    w, previous, u, v : (D,), (D,), (n,), (D,): the last two primal points, and ``v = A'(s u) / n``.

    Returns
    -------
    entries_read : entries of the visited rows, a row counted once a visit; rows of weight 0 are not read.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or some coordinate
        has no curvature.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    for name, array in (("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, n)
    _check_curved(form, d)
    check_vector("tau", tau, d)
    for name, array, size in (("w", w, d), ("previous", previous, d), ("u", u, n), ("v", v, d)):
        check_vector(name, array, size, writeable=True)
    return _core.spdc_pass(
        rows.compiled, order, loss.compiled, b, sample_weight, form.l1, form.l2, form.lower, form.upper,
        tau, sigma, theta, w, previous, u, v, np.zeros(d, dtype=np.int64),
    )  # fmt: skip


def _check_curved(form: CoordinateArrays, size: int) -> None:
    check_form(form, size)
    if not np.all(form.l2 > 0):
        j = int(np.argmin(form.l2))
        raise InvalidInputError(f"l2 is {form.l2[j]} at coordinate {j}; this kernel needs it positive.")
