"""What an array must be before a kernel may trust its pointer."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "CoordinateArrays",
    "check_array",
    "check_counts",
    "check_form",
    "check_mask",
    "check_matrix",
    "check_order",
    "check_positive",
    "check_positive_number",
    "check_vector",
]

_FLOAT64 = np.dtype(np.float64)
FLOAT64 = (_FLOAT64,)
UINT32 = (np.dtype(np.uint32),)
_INT64 = (np.dtype(np.int64),)


def check_array(
    name: str, array: object, dtypes: tuple[np.dtype, ...], ndim: int, size: int | None = None
) -> None:
    """Refuse anything but a C-contiguous array of one of the dtypes, with these dimensions and this size."""
    if (
        isinstance(array, np.ndarray)
        and array.dtype in dtypes
        and array.ndim == ndim
        and array.flags.c_contiguous
        and (size is None or array.size == size)
    ):
        return
    kind = {1: "vector", 2: "matrix"}[ndim] + (f" of {size}" if size is not None else "")
    expected = f"a C-contiguous {' or '.join(map(str, dtypes))} {kind}"
    raise InvalidInputError(f"{name} is {_described(array)}; the kernels need {expected}.")


def check_vector(name: str, array: object, size: int, *, writeable: bool = False) -> None:
    """Refuse anything but a C-contiguous float64 vector of this size, writeable where asked."""
    # Small fits make thousands of these checks: the common case first, in few steps.
    if not (
        type(array) is np.ndarray
        and array.dtype is _FLOAT64
        and array.shape == (size,)
        and array.flags.c_contiguous
    ):
        check_array(name, array, FLOAT64, 1, size)
    if writeable:
        _check_writeable(name, array)


def check_mask(name: str, array: object, size: int, *, writeable: bool = False) -> None:
    """Refuse anything but a C-contiguous vector of so many truth values, writeable where asked."""
    check_array(name, array, (np.dtype(np.bool_),), 1, size)
    if writeable:
        _check_writeable(name, array)


def check_counts(name: str, array: object, size: int) -> None:
    """Refuse anything but a C-contiguous int64 vector of this size."""
    check_array(name, array, _INT64, 1, size)


def check_matrix(name: str, array: object, shape: tuple[int, int], *, writeable: bool = False) -> None:
    """Refuse anything but a C-contiguous float64 matrix of this shape, writeable where asked."""
    check_array(name, array, FLOAT64, 2)
    if isinstance(array, np.ndarray) and array.shape != shape:
        raise InvalidInputError(f"{name} has shape {array.shape}; the kernels need {shape}.")
    if writeable:
        _check_writeable(name, array)


def check_positive(name: str, values: FloatArray) -> None:
    """Refuse a curvature that is not positive at some coordinate."""
    if not np.all(values > 0):
        j = int(np.argmin(values))
        raise InvalidInputError(f"{name} is {values[j]} at coordinate {j}; the pass needs it positive.")


def check_positive_number(name: str, value: float) -> None:
    """Refuse a curvature of all coordinates that is not positive."""
    if not value > 0.0:
        raise InvalidInputError(f"{name} is {value}; the pass needs it positive.")


def _check_writeable(name: str, array: object) -> None:
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        raise InvalidInputError(f"{name} is read-only, and the kernel updates it in place; pass a copy.")


class CoordinateArrays(Protocol):
    """The strengths and bounds of a separable regularizer, one value a coordinate."""

    @property
    def l1(self) -> FloatArray: ...
    @property
    def l2(self) -> FloatArray: ...
    @property
    def lower(self) -> FloatArray: ...
    @property
    def upper(self) -> FloatArray: ...


def check_order(order: IndexArray, n_lines: int, *, name: str = "order") -> None:
    """Refuse anything but an int64 vector of lines that are there."""
    check_array(name, order, _INT64, 1)
    # Read without a sign a negative number is larger than any line: one look at all of them.
    if order.size and not order.view(np.uint64).max() < n_lines:
        raise InvalidInputError(f"{name} spans {order.min()}..{order.max()}, outside 0..{n_lines - 1}.")


def check_form(form: CoordinateArrays, size: int) -> None:
    """Refuse a form with the wrong number of coordinates."""
    check_vector("l1", form.l1, size)
    check_vector("l2", form.l2, size)
    check_vector("lower", form.lower, size)
    check_vector("upper", form.upper, size)


def _described(array: object) -> str:
    if not isinstance(array, np.ndarray):
        return f"a {type(array).__name__}"
    contiguous = "" if array.flags.c_contiguous else ", not C-contiguous"
    return f"{array.dtype} of shape {array.shape}{contiguous}"
