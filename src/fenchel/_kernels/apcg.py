"""The pass of accelerated dual coordinate ascent: checks, then the kernel."""

from __future__ import annotations

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_order, check_positive, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["apcg_pass"]


def apcg_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateArrays,
    root: float,
    rate: float,
    total: FloatArray,
    difference: FloatArray,
    v_total: FloatArray,
    v_difference: FloatArray,
) -> int:
    r"""Run accelerated dual coordinate ascent over the rows in ``order``; update the last four in place.

    The twin, :func:`fenchel.reference.apcg.apcg_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : a smooth compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    step : (n,) ``(1 + 1/root) n / (s_i sum_k a_ik^2 / l2_k)``; 0 for a row to skip.
    form : the regularizer, D values each, with l2 > 0 everywhere.
    root : the square root of the share of strong convexity, below 1.
    rate : ``root`` over the number of rows that are visited.
    total, difference : (n,) the sum and the difference of the two dual sequences, x + z and z - x.
    v_total, v_difference : (D,) ``A'(s total) / n`` and ``A'(s difference) / n``.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, some coordinate has no
        curvature, or root or rate does not lie between 0 and 1.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    for name, array in (("b", b), ("sample_weight", sample_weight), ("step", step)):
        check_vector(name, array, n)
    check_form(form, d)
    for name, array, size in (
        ("total", total, n), ("difference", difference, n), ("v_total", v_total, d),
        ("v_difference", v_difference, d),
    ):  # fmt: skip
        check_vector(name, array, size, writeable=True)
    check_positive("l2", form.l2)
    for name, number in (("root", root), ("rate", rate)):
        if not 0.0 < number < 1.0:
            raise InvalidInputError(f"{name} is {number}; the pass needs it between 0 and 1.")
    return _core.apcg_pass(
        rows.compiled, order, loss.compiled, b, sample_weight, step, form.l1, form.l2, form.lower, form.upper,
        root, rate, total, difference, v_total, v_difference,
    )  # fmt: skip
