"""A pass of prox-SDCA for several classes: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import (
    FLOAT64,
    CoordinateArrays,
    check_array,
    check_form,
    check_matrix,
    check_order,
    check_positive,
    check_vector,
)
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["MULTICLASS_NAMES", "multiclass_sdca_pass"]

MULTICLASS_NAMES: tuple[str, ...] = tuple(_core.MulticlassTag.__members__)
"""The losses of several classes that the kernel knows."""


def multiclass_sdca_pass(
    rows: Lines,
    order: IndexArray,
    loss: str,
    label: IndexArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateArrays,
    alpha: FloatArray,
    anchor: FloatArray,
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> int:
    r"""Run prox-SDCA over the dual blocks of the rows in ``order``; update ``v``, ``w``, ``u`` in place.

    The twin, :func:`fenchel.reference.multiclass_sdca.multiclass_sdca_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    loss : a name of ``MULTICLASS_NAMES``.
    label : (n,) int64, the class of every row, below k.
    sample_weight : (n,) weights of mean 1.
    step : (n,) ``n / (s_i sum_j a_ij^2 / (l2_j + alpha_j))``; 0 for a row to skip.
    form : the regularizer, D values each, shared by the classes.
    alpha, anchor : (D,) and (D, k), weight and centre of the proximal term; ``l2 + alpha > 0`` everywhere.
    v, w, u : (D, k), (D, k), (n, k) with ``v = A'(s u) / n`` and ``w`` the minimiser that belongs to ``v``.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order or a label is out of range, the loss is
        unknown, or some coordinate has no curvature.
    """
    if loss not in MULTICLASS_NAMES:
        raise InvalidInputError(f"No kernel knows the loss {loss!r}; it is one of {MULTICLASS_NAMES}.")
    n, d = rows.n_lines, rows.length
    check_array("u", u, FLOAT64, 2)
    k = u.shape[1]
    check_order(order, n)
    check_order(label, k, name="label")
    if label.size != n:
        raise InvalidInputError(f"label has {label.size} values for {n} rows.")
    for name, array in (("sample_weight", sample_weight), ("step", step)):
        check_vector(name, array, n)
    check_form(form, d)
    check_vector("alpha", alpha, d)
    check_matrix("anchor", anchor, (d, k))
    for name, array, size in (("v", v, d), ("w", w, d), ("u", u, n)):
        check_matrix(name, array, (size, k), writeable=True)
    check_positive("l2 + alpha", form.l2 + alpha)
    return _core.multiclass_sdca_pass(
        rows.compiled, order, _core.MulticlassTag[loss], label, sample_weight, step,
        form.l1, form.l2, form.lower, form.upper, alpha, anchor.reshape(-1),
        v.reshape(-1), w.reshape(-1), u.reshape(-1), np.empty(2 * k), np.empty(k, dtype=np.int64),
    )  # fmt: skip
