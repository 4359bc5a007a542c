"""What an array must be before a kernel may trust its pointer."""

from __future__ import annotations

import numpy as np

from fenchel.errors import InvalidInputError

__all__ = ["check_array", "check_vector"]

FLOAT64 = (np.dtype(np.float64),)


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
    check_array(name, array, FLOAT64, 1, size)
    if writeable and isinstance(array, np.ndarray) and not array.flags.writeable:
        raise InvalidInputError(f"{name} is read-only, and the kernel updates it in place; pass a copy.")


def _described(array: object) -> str:
    if not isinstance(array, np.ndarray):
        return f"a {type(array).__name__}"
    contiguous = "" if array.flags.c_contiguous else ", not C-contiguous"
    return f"{array.dtype} of shape {array.shape}{contiguous}"
