"""A pass of prox-SDCA for several classes: checks, then the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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

__all__ = ["EVERY_CLASS", "MULTICLASS_NAMES", "ClassLists", "multiclass_sdca_pass"]

MULTICLASS_NAMES: tuple[str, ...] = tuple(_core.MulticlassTag.__members__)
"""The losses of several classes that the kernel knows."""


class ClassLists(NamedTuple):
    """The classes that the steps of every row may move, its own first; no ``indptr`` means all of them."""

    indptr: IndexArray
    classes: npt.NDArray[np.int32]


EVERY_CLASS = ClassLists(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32))


def multiclass_sdca_pass(
    rows: Lines,
    order: IndexArray,
    loss: str,
    label: IndexArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateArrays,
    alpha: FloatArray,
    t: FloatArray,
    u: FloatArray,
    q: FloatArray,
    gap: FloatArray,
    lists: ClassLists = EVERY_CLASS,
) -> int:
    r"""Run prox-SDCA over the dual blocks of the rows in ``order``, in place.

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
    alpha : (D,) weight of the proximal term; ``l2 + alpha > 0`` everywhere.
    t, u : (D, k) and (n, k) with ``t = alpha * anchor - A'(s u) / n``.
    q, gap : (n, k) and (n,) where the scores of the visited rows, and ``s_i (phi_i(q_i) + phi_i*(u_i) - <u_i,
        q_i>)``, are left as they were before their steps; with w the best response to u, the mean of these
        is the duality gap.
    lists : the classes that the steps may move; where a row does not list one, ``u + b`` must be 0. Rows
        that list fewer than two are skipped.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order, a label or a listed class is out of
        range, the loss is unknown, or some coordinate has no curvature.
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
    for name, array, size in (("t", t, d), ("u", u, n), ("q", q, n)):
        check_matrix(name, array, (size, k), writeable=True)
    check_vector("gap", gap, n, writeable=True)
    check_positive("l2 + alpha", form.l2 + alpha)
    _check_lists(lists, n, k)
    return _core.multiclass_sdca_pass(
        rows.compiled, order, _core.MulticlassTag[loss], label, sample_weight, step,
        form.l1, 1.0 / (form.l2 + alpha), form.lower, form.upper, lists.indptr, lists.classes,
        t.reshape(-1), u.reshape(-1), q.reshape(-1), gap,
        np.empty(5 * k + 4 * d), np.empty(4 * d + k, dtype=np.int64),
    )  # fmt: skip


def _check_lists(lists: ClassLists, n: int, k: int) -> None:
    check_array("indptr", lists.indptr, (np.dtype(np.int64),), 1)
    check_array("classes", lists.classes, (np.dtype(np.int32),), 1)
    if lists.indptr.size == 0:
        return
    if lists.indptr.size != n + 1 or lists.indptr[0] != 0 or np.any(np.diff(lists.indptr) < 0):
        raise InvalidInputError(f"indptr does not ascend from 0 over {n} rows.")
    if lists.indptr[-1] != lists.classes.size or np.diff(lists.indptr).max(initial=0) > k:
        raise InvalidInputError(
            f"indptr does not divide {lists.classes.size} classes into lists of at most {k}."
        )
    if lists.classes.size and not 0 <= lists.classes.min() <= lists.classes.max() < k:
        raise InvalidInputError(
            f"classes span {lists.classes.min()}..{lists.classes.max()}, outside 0..{k - 1}."
        )
