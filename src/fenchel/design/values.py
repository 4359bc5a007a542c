"""What numbers a fit accepts: real, finite, and small enough to be squared."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel.design.blocks import row_slices
from fenchel.errors import InvalidInputError
from fenchel.typing import DataArray

__all__ = ["LARGEST_VALUE", "all_equal", "check_values", "contiguous", "real_array"]

LARGEST_VALUE = 1e100
"""Values above this are refused: sums of their squares leave the range of float64."""

_NATIVE = (np.dtype(np.float32), np.dtype(np.float64))
_REAL_KINDS = "biuf"


def real_array(values: object, name: str) -> DataArray:
    """Return ``values`` as an aligned native float32 or float64 array of any shape and layout.

    Such arrays come back without a copy; every other real type is converted to float64, once.
    """
    if type(values) is np.ndarray and values.dtype in _NATIVE and values.flags.aligned:
        return values
    if sp.issparse(values):
        raise InvalidInputError(f"{name} is sparse, but it must be dense. Pass {name}.toarray().")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidInputError(
            f"{name} is a masked array with masked entries, which a fit cannot read. "
            "Fill them with `filled`, or drop their rows."
        )
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} cannot be read as an array: {error}. Pass numbers.") from error
    if array.dtype == object:
        array = _from_objects(array, name)
    if array.dtype.kind not in _REAL_KINDS:
        raise InvalidInputError(
            f"{name} has dtype {array.dtype}, which is not real. Encode it as real numbers first."
        )
    native = array.dtype.newbyteorder("=")
    if native not in _NATIVE:
        native = np.dtype(np.float64)
    # A long double beyond the range of float64 becomes infinite here, and check_values reports it.
    with np.errstate(over="ignore", invalid="ignore"):
        array = array.astype(native, copy=False)
    return array if array.flags.aligned else array.copy()


def all_equal(values: npt.NDArray[np.float64]) -> bool:
    """Whether the values, if there are any, are one value."""
    return values.size > 0 and bool((values == values[0]).all())


def contiguous(array: DataArray) -> DataArray:
    """Return the array itself when it is C-contiguous, and a copy that is otherwise."""
    return array if array.flags.c_contiguous else array.copy()


def _from_objects(array: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    """Convert Python numbers; refuse text and complex numbers, which ``astype`` would let through."""
    for value in array.flat:
        text = isinstance(value, str | bytes)
        if text or (isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)):
            raise InvalidInputError(
                f"{name} holds {value!r}, which is not a real number. Encode it as real numbers first."
            )
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(
            f"{name} has dtype object and cannot be converted to float64: {error}. Pass numbers."
        ) from error


def check_values(array: DataArray, name: str, locate: Callable[[int], str] | None = None) -> None:
    """Raise InvalidInputError unless all entries are finite and at most ``LARGEST_VALUE`` in size.

    Reads the array once and allocates nothing while all is well. ``locate`` tells where the entry
    at a position of a one-dimensional array is.
    """
    if array.size == 0 or _squares_are_small(array):
        return
    # The minimum and the maximum are NaN if any entry is.
    with np.errstate(invalid="ignore"):
        lowest, highest = float(array.min()), float(array.max())
    if lowest >= -LARGEST_VALUE and highest <= LARGEST_VALUE:
        return
    index = _first_bad_index(array)
    value = float(array[index])
    place = locate(index[0]) if locate is not None else _place(index)
    raise InvalidInputError(f"{name} has {_complaint(value, place)}")


def _squares_are_small(array: DataArray) -> bool:
    """Whether the sum of squares of contiguous entries proves that all are fit: the quicker look by BLAS."""
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        return False
    entries = array.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.dot(entries, entries) <= LARGEST_VALUE)


def _first_bad_index(array: DataArray) -> tuple[int, ...]:
    for rows in row_slices(len(array), array.size // len(array)):
        bad = np.argwhere(~(np.abs(array[rows]) <= np.float64(LARGEST_VALUE)))
        if len(bad):
            return (rows.start + int(bad[0, 0]), *(int(i) for i in bad[0, 1:]))
    raise AssertionError("no entry is out of range")


def _place(index: tuple[int, ...]) -> str:
    return f"row {index[0]}" if len(index) == 1 else f"row {index[0]}, column {index[1]}"


def _complaint(value: float, place: str) -> str:
    if np.isnan(value):
        return f"NaN at {place}: a fit needs finite numbers. Impute or drop the missing values."
    if np.isinf(value):
        return f"{value} at {place}: a fit needs finite numbers. Clip or drop the infinite values."
    return (
        f"{value:.6g} at {place}, larger in size than {LARGEST_VALUE:g}: its square would overflow. "
        "Rescale the values."
    )
