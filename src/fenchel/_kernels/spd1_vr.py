"""The inner steps of SPD1-VR: checks, packing, then the kernel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fenchel._kernels import _core
from fenchel._kernels.checks import UINT32, CoordinateArrays, check_array, check_form, check_vector
from fenchel._kernels.entries import Entries, EvenEntries
from fenchel._kernels.losses import KernelLoss
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["spd1_vr_steps"]

_LINE = 8
"""Doubles in a cache line; a packed coordinate fills one."""


def spd1_vr_steps(
    entries: Entries,
    words: npt.NDArray[np.uint32],
    loss: KernelLoss,
    b: FloatArray,
    form: CoordinateArrays,
    step_w: FloatArray,
    rate_w: FloatArray,
    alpha: FloatArray,
    centre_w: FloatArray,
    step_u: FloatArray,
    rate_u: FloatArray,
    weight: FloatArray,
    beta: float,
    centre_u: FloatArray,
    snapshot_w: FloatArray,
    snapshot_u: FloatArray,
    v: FloatArray,
    z: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> int:
    r"""Run inner steps of SPD1-VR; update ``w`` and ``u`` in place.

    The twin, :func:`fenchel.reference.spd1_vr.spd1_vr_steps`, states the update;
    :func:`fenchel.reference.spd1_vr.drawn_entries` how words become entries.

    Parameters
    ----------
    entries : the matrix and the probabilities of its entries.
    words : uint32 (T, 4), four random words a step: for i, for j, for i' and for j'.
    loss : any compiled loss.
    b : (n,) targets.
    form : the regularizer, D values each.
    step_w, rate_w : (D,) ``h_j > 0`` and ``c_j``; ``c_j s_i f(a_ij)`` estimates from an entry.
    alpha, centre_w : (D,) weight and centre of the proximal term of ``w``.
    step_u, rate_u, weight : (n,) ``k_i > 0``, ``r_i`` and ``s_i``.
    beta, centre_u : weight and (n,) centre of the proximal term of ``u``.
    snapshot_w, snapshot_u, v, z : the snapshot, its ``A'(s u) / n`` and its ``A w``.
    w, u : (D,), (n,) updated in place.

    Returns
    -------
    entries_read : three a step.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size.
    """
    n, d = entries.shape
    check_array("words", words, UINT32, 2)
    if words.shape[1] != 4:
        raise InvalidInputError(f"words has {words.shape[1]} columns; the steps need 4.")
    check_form(form, d)
    for name, array in zip(
        ("step_w", "rate_w", "alpha", "centre_w", "snapshot_w", "v"),
        (step_w, rate_w, alpha, centre_w, snapshot_w, v),
        strict=True,
    ):
        check_vector(name, array, d)
    for name, array in zip(
        ("b", "step_u", "rate_u", "weight", "centre_u", "snapshot_u", "z"),
        (b, step_u, rate_u, weight, centre_u, snapshot_u, z),
        strict=True,
    ):
        check_vector(name, array, n)
    check_vector("w", w, d, writeable=True)
    check_vector("u", u, n, writeable=True)
    packed_w = _packed(
        w, snapshot_w, step_w * (alpha * centre_w - v), step_w * rate_w, step_w * form.l1,
        1.0 / (1.0 + step_w * (form.l2 + alpha)), form.lower, form.upper,
    )  # fmt: skip
    shrink = 1.0 / (1.0 + beta * step_u)
    packed_u = _packed(
        u, snapshot_u, step_u * (z + beta * centre_u), step_u * rate_u, shrink, step_u * shrink, b, weight
    )
    flat = words.reshape(-1)
    if isinstance(entries, EvenEntries):
        _core.spd1_vr_steps(
            entries.rows.compiled, entries.columns.compiled, entries.choice, flat, loss.compiled,
            packed_w, packed_u,
        )  # fmt: skip
    else:
        _core.spd1_vr_signed_steps(
            entries.row_starts, entries.in_row, entries.column_starts, entries.in_column, entries.choice,
            flat, loss.compiled, packed_w, packed_u,
        )  # fmt: skip
    w[:], u[:] = packed_w[:, 0], packed_u[:, 0]
    return 3 * len(words)


def _packed(*columns: FloatArray) -> FloatArray:
    """The columns side by side, every row in a cache line of its own."""
    size = len(columns[0])
    buffer = np.empty((size + 1) * _LINE)
    start = -(buffer.ctypes.data // buffer.itemsize) % _LINE
    packed = buffer[start : start + size * _LINE].reshape(size, _LINE)
    for k, column in enumerate(columns):
        packed[:, k] = column
    return packed
