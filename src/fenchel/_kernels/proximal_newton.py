"""Proximal steps on the dual of a loss with kinks: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_order, check_positive, check_positive_number, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.typing import FloatArray, IndexArray

__all__ = ["proximal_newton_steps", "proximal_rows", "proximal_search"]


def proximal_rows(
    loss: KernelLoss, b: FloatArray, u: FloatArray, z: FloatArray, c: float
) -> tuple[FloatArray, FloatArray]:
    r"""``T = prox_{c phi*}(u + c z)`` row by row, and how far each score may move before its T does.

    That is 0 for a row that is free. The twin is :func:`fenchel.reference.proximal_newton.proximal_rows`.
    Raises InvalidInputError if an array has the wrong dtype, layout or size, or c is not positive.
    """
    for name, array in (("b", b), ("u", u), ("z", z)):
        check_vector(name, array, b.size)
    check_positive_number("c", c)
    target, room = np.empty_like(z), np.empty_like(z)
    _core.proximal_rows(loss.compiled, b, u, z, c, target, room)
    return target, room


def proximal_search(
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    u: FloatArray,
    l2: float,
    c: float,
    w: FloatArray,
    dw: FloatArray,
    z: FloatArray,
    dz: FloatArray,
) -> float:
    """How far to go along ``dw``, whose scores are ``dz``, at most 1: to a tenth of the first slope.

    The slope is that of the function with the gradient ``l2 w + A'(s T) / n``. The twin is
    :func:`fenchel.reference.proximal_newton.proximal_search`. Raises InvalidInputError if an array has the
    wrong dtype, layout or size, or l2 or c is not positive.
    """
    for name, array in (("b", b), ("sample_weight", sample_weight), ("u", u), ("z", z), ("dz", dz)):
        check_vector(name, array, b.size)
    for name, array in (("w", w), ("dw", dw)):
        check_vector(name, array, w.size)
    check_positive("l2 and c", np.array([l2, c]))
    return _core.proximal_search(loss.compiled, b, sample_weight, u, l2, c, w, dw, z, dz)


def proximal_newton_steps(
    rows: Lines,
    order: IndexArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    u: FloatArray,
    l2: float,
    c: float,
    most: int,
    tolerance: float,
    w: FloatArray,
    z: FloatArray,
    v: FloatArray,
) -> int:
    r"""Newton steps for ``l2 w + A'(s T) / n = 0``, with the T of the rows outside of ``order`` held.

    They end when the gradient, which the left side is, is no longer than the tolerance. The twin, which
    states the steps, is :func:`fenchel.reference.proximal_newton.proximal_newton_steps`.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, different rows.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    u : (n,) the dual point that the proximal step begins at.
    l2, c : the ridge, and the length of the step.
    most : of the Newton steps.
    w, z, v : (D,), (n,), (D,) with ``z = A w`` and ``v = A'(s T) / n``, moved in place; of z only the
        rows of the order.

    Returns
    -------
    steps : their number.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or l2 or c is not
        positive.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    for name, array in (("b", b), ("sample_weight", sample_weight), ("u", u)):
        check_vector(name, array, n)
    for name, array, size in (("w", w, d), ("z", z, n), ("v", v, d)):
        check_vector(name, array, size, writeable=True)
    check_positive("l2 and c", np.array([l2, c]))
    work = np.empty(_core.proximal_work_size(order.size, d))
    return _core.proximal_newton_steps(
        rows.compiled, order, loss.compiled, b, sample_weight, u, l2, c, most, tolerance, w, z, v, work,
        np.empty_like(order),
    )  # fmt: skip
