"""The pass of proximal stochastic gradient descent: checks, then the kernel."""

from __future__ import annotations

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_order, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.typing import FloatArray, IndexArray

__all__ = ["psgd_pass"]


def psgd_pass(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    metric: FloatArray,
    share: FloatArray,
    step: FloatArray,
    first: int,
    w: FloatArray,
    w_total: FloatArray,
    w_since: FloatArray,
    u_total: FloatArray,
    u_weight: FloatArray,
) -> int:
    r"""Run proximal stochastic gradient descent over the rows in ``order``; update the last five in place.

    The twin, :func:`fenchel.reference.psgd.psgd_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, D values each.
    metric, share : (D,) the factor of a coordinate's steps, and n over the rows that hold an entry of it.
    step : the step of every visit, as many as ``order`` has.
    first : the time of the first visit.
    w : (D,) the point, within its bounds.
    w_total, w_since : (D,) the weighted sum of its values, and the weight that it holds.
    u_total, u_weight : (n,) the weighted sum of the subgradients of every row, and their weights.

    Returns
    -------
    entries_read : entries of the visited rows, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the order is out of range.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    inputs = (("b", b, n), ("sample_weight", sample_weight, n), ("metric", metric, d), ("share", share, d))
    for name, array, size in (*inputs, ("step", step, order.size)):
        check_vector(name, array, size)
    check_form(form, d)
    for name, array, size in (
        ("w", w, d), ("w_total", w_total, d), ("w_since", w_since, d), ("u_total", u_total, n),
        ("u_weight", u_weight, n),
    ):  # fmt: skip
        check_vector(name, array, size, writeable=True)
    return _core.psgd_pass(
        rows.compiled, order, loss.compiled, b, sample_weight, form.l1, form.l2, form.lower, form.upper,
        metric, share, step, first, w, w_total, w_since, u_total, u_weight,
    )  # fmt: skip
