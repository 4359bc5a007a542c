"""The passes of the coordinate methods, and what they look at in between: checks, then the kernel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fenchel._kernels import _core
from fenchel._kernels.checks import (
    UINT32,
    CoordinateArrays,
    check_array,
    check_form,
    check_order,
    check_positive,
    check_positive_number,
    check_vector,
)
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "form_conjugate",
    "form_excess",
    "largest_scale",
    "primal_cd_pass",
    "ridge_sdca_round",
    "rough_sdca_pass",
    "row_shares",
    "sdca_pass",
    "sdca_round",
]


def form_conjugate(form: CoordinateArrays, v: FloatArray) -> float:
    """``sum_k sup_x v_k x - g_k(x)``; the twin is ``CoordinateForm.conjugate``.

    Raises InvalidInputError if an array has the wrong dtype, layout or size.
    """
    check_form(form, v.size)
    check_vector("v", v, v.size)
    return _core.form_conjugate(form.l1, form.l2, form.lower, form.upper, v)


def largest_scale(lower: FloatArray, upper: FloatArray, v: FloatArray) -> float:
    """The largest s in [0, 1] with ``lower <= s v <= upper``, but for rounding; ``lower <= 0 <= upper``.

    The twin is ``fenchel.numerics.coordinate.scale_into``. Raises InvalidInputError if an array has the wrong
    dtype, layout or size.
    """
    for name, array in (("lower", lower), ("upper", upper), ("v", v)):
        check_vector(name, array, v.size)
    return _core.largest_scale(lower, upper, v)


def form_excess(form: CoordinateArrays, v: FloatArray) -> tuple[tuple[float, float], tuple[float, float]]:
    """What ``CoordinateForm.conjugate_on_level``, the twin, needs of each of its two groups.

    That is the largest ``(|v_k| / l1_k - 1)_+`` inside of the group, and the sum of the conjugates outside.
    Raises InvalidInputError if an array has the wrong dtype, layout or size.
    """
    check_form(form, v.size)
    check_vector("v", v, v.size)
    first, other, second, rest = _core.form_excess(form.l1, form.l2, form.lower, form.upper, v)
    return (first, other), (second, rest)


def row_shares(
    loss: KernelLoss,
    z: FloatArray,
    u: FloatArray,
    b: FloatArray,
    sample_weight: FloatArray,
    shares: FloatArray,
) -> None:
    r"""Set ``shares`` to ``s_i max(phi_i(z_i) + phi_i*(u_i) - z_i u_i, 0) / n``; 0 for a row of weight 0.

    The twin is :func:`fenchel.reference.coordinate.row_shares`. Raises InvalidInputError if an array has
    the wrong dtype, layout or size.
    """
    for name, array in (("z", z), ("u", u), ("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, len(b))
    check_vector("shares", shares, len(b), writeable=True)
    _core.row_shares(loss.compiled, z, u, b, sample_weight, shares)


def primal_cd_pass(
    columns: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    curvature: FloatArray,
    centre: FloatArray,
    w: FloatArray,
    z: FloatArray,
    u: FloatArray,
) -> tuple[int, float]:
    r"""Run proximal coordinate descent over the coordinates in ``order``; update ``w``, ``z``, ``u``.

    The twin, :func:`fenchel.reference.coordinate.primal_cd_pass`, states the update.

    Parameters
    ----------
    columns : D lines of length n.
    order : int64 vector, the coordinates to visit.
    loss : a differentiable loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, D values each.
    curvature : (D,) ``smoothness / n * sum_i s_i (a_ij - m_j)^2``.
    centre : (D,) ``m``: coordinate j moves along ``e_j - m_j e_last``. Nonzero only where the last
        coordinate is a free intercept; 0 for the intercept itself.
    w, z, u : (D,), (n,), (n,) with ``z = A w`` and ``u = gradient(z)``; updated in place.

    Returns
    -------
    entries_read : entries of the visited columns, a column counted once a visit.
    largest_change : ``max_j sqrt(L_j) |change of w_j|``.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    n, d = columns.length, columns.n_lines
    check_order(order, d)
    for name, array in (("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, n)
    check_form(form, d)
    for name, array in (("curvature", curvature), ("centre", centre)):
        check_vector(name, array, d)
    for name, array, size in (("w", w, d), ("z", z, n), ("u", u, n)):
        check_vector(name, array, size, writeable=True)
    return _core.primal_cd_pass(
        columns.compiled, order, loss.compiled, b, sample_weight,
        form.l1, form.l2, form.lower, form.upper, curvature, centre, w, z, u,
    )  # fmt: skip


def sdca_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateArrays,
    alpha: FloatArray,
    anchor: FloatArray,
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> int:
    r"""Run prox-SDCA over the rows in ``order``; update ``v``, ``w``, ``u`` in place.

    The twin, :func:`fenchel.reference.coordinate.sdca_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    step : (n,) ``n / (s_i sum_k a_ik^2 / (l2_k + alpha_k))``; 0 for a row to skip.
    form : the regularizer, D values each.
    alpha, anchor : (D,) weight and centre of the proximal term; ``l2 + alpha > 0`` everywhere.
    v, w, u : (D,), (D,), (n,) with ``v = A'(s u) / n`` and ``w`` the minimiser that belongs to ``v``.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or some coordinate
        has no curvature.
    """
    _check_rows(rows, order, b, sample_weight, step, w, u)
    _check_model(rows, form, alpha, anchor, v)
    return _core.sdca_pass(
        rows.compiled, order, loss.compiled, b, sample_weight, step,
        form.l1, form.l2, form.lower, form.upper, alpha, anchor, v, w, u,
    )  # fmt: skip


def rough_sdca_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    l2: float,
    w: FloatArray,
    u: FloatArray,
) -> int:
    r"""Run rough steps of SDCA under ``l2 / 2 |w|^2`` alone over the rows; update ``w`` and ``u`` in place.

    As :func:`ridge_sdca_round` without repeats, with a prox of the logistic loss that is only near, and
    quicker. The twin is :func:`fenchel.reference.coordinate.sdca_pass` with the prox
    :func:`fenchel.reference.coordinate.rough_prox`.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or l2 is not positive.
    """
    _check_rows(rows, order, b, sample_weight, step, w, u)
    check_positive_number("l2", l2)
    return _core.rough_sdca_pass(rows.compiled, order, loss.compiled, b, sample_weight, step, l2, w, u)


def sdca_round(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateArrays,
    alpha: FloatArray,
    anchor: FloatArray,
    repeats: int,
    most: int,
    draws: npt.NDArray[np.uint32],
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
    total: FloatArray,
) -> tuple[int, int]:
    r"""Run :func:`sdca_pass`, then up to ``repeats`` more over the rows that the pass before has moved.

    It ends when no row moves, or ``most`` entries are read. The twin is
    :func:`fenchel.reference.coordinate.sdca_round`.

    Parameters
    ----------
    rows, loss, b, sample_weight, step, form, alpha, anchor, v, w, u : as for :func:`sdca_pass`.
    order : int64 vector, the rows of the first pass; overwritten.
    draws : as many random uint32, which give the orders of the other passes.
    total : (D,) gets w added after every pass but the last.

    Returns
    -------
    entries_read : as for :func:`sdca_pass`.
    passes_added : to the total.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or some coordinate
        has no curvature.
    """
    _check_rows(rows, order, b, sample_weight, step, w, u)
    _check_model(rows, form, alpha, anchor, v)
    _check_round(rows, order, draws, total)
    return _core.sdca_round(
        rows.compiled, order, loss.compiled, b, sample_weight, step, form.l1, form.l2, form.lower, form.upper,
        alpha, anchor, repeats, most, draws, v, w, u, total,
    )  # fmt: skip


def ridge_sdca_round(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    l2: float,
    repeats: int,
    most: int,
    draws: npt.NDArray[np.uint32],
    w: FloatArray,
    u: FloatArray,
    total: FloatArray,
) -> tuple[int, int]:
    r""":func:`sdca_round` under ``l2 / 2 |w|^2`` alone, without a proximal term.

    It has ``w = -A'(s u) / (n l2)`` in place of ``v``: a third of the memory is written.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or l2 is not positive.
    """
    _check_rows(rows, order, b, sample_weight, step, w, u)
    check_positive_number("l2", l2)
    _check_round(rows, order, draws, total)
    return _core.ridge_sdca_round(
        rows.compiled, order, loss.compiled, b, sample_weight, step, l2, repeats, most, draws, w, u, total
    )


def _check_rows(
    rows: Lines,
    order: IndexArray,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> None:
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    for name, array in (("b", b), ("sample_weight", sample_weight), ("step", step)):
        check_vector(name, array, n)
    for name, array, size in (("w", w, d), ("u", u, n)):
        check_vector(name, array, size, writeable=True)


def _check_model(
    rows: Lines, form: CoordinateArrays, alpha: FloatArray, anchor: FloatArray, v: FloatArray
) -> None:
    d = rows.length
    check_form(form, d)
    for name, array in (("alpha", alpha), ("anchor", anchor)):
        check_vector(name, array, d)
    check_vector("v", v, d, writeable=True)
    check_positive("l2 + alpha", form.l2 + alpha)


def _check_round(rows: Lines, order: IndexArray, draws: npt.NDArray[np.uint32], total: FloatArray) -> None:
    check_array("draws", draws, UINT32, 1, order.size)
    check_vector("total", total, rows.length, writeable=True)
    if not order.flags.writeable:
        raise InvalidInputError("order is read-only, and the kernel updates it in place; pass a copy.")
