"""Checks that bring the arguments of a regularizer into the form in which it stores them."""

from numbers import Real

import numpy as np
import numpy.typing as npt

from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = [
    "as_bounds",
    "as_exponent",
    "as_factor",
    "as_groups",
    "as_radius",
    "as_share",
    "as_strength",
    "as_weights",
]


def as_strength(owner: object, name: str, value: object) -> float:
    """Return a finite strength that is not negative."""
    if not isinstance(value, Real) or not 0 <= float(value) < np.inf:
        raise InvalidInputError(
            f"{_class(owner)} cannot use {name}={value!r}: a strength is a finite number >= 0. "
            "Pass 0 for no penalty."
        )
    return float(value)


def as_factor(owner: object, name: str, value: object) -> float:
    """Return a finite positive strength, for a regularizer that would be nothing without it."""
    strength = as_strength(owner, name, value)
    if strength == 0.0:
        raise InvalidInputError(
            f"{_class(owner)} cannot use {name}=0, which would leave no penalty. Pass a positive number."
        )
    return strength


def as_exponent(owner: object, value: object) -> float:
    """Return the exponent of a norm between the l1 and the Euclidean one."""
    if not isinstance(value, Real) or not 1.0 < float(value) <= 2.0:
        raise InvalidInputError(
            f"{_class(owner)} cannot use p={value!r}: the exponent is a number above 1 and at most 2. For "
            "the l1 norm of d features pass 1 + 1 / log(d)."
        )
    return float(value)


def as_radius(owner: object, value: object) -> float:
    """Return a finite positive radius."""
    if not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise InvalidInputError(
            f"{_class(owner)} cannot use radius={value!r}: a radius is a finite number > 0. "
            "Use NoPenalty() for no constraint."
        )
    return float(value)


def as_share(owner: object, name: str, value: object) -> float:
    """Return a number between 0 and 1, neither of them."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InvalidInputError(
            f"{_class(owner)} cannot use {name}={value!r}: it is a share above 0 and below 1. Pass 1e-10."
        )
    return float(value)


def as_weights(owner: object, value: npt.ArrayLike | None) -> FloatArray | None:
    """Return one finite weight >= 0 for each feature as a read-only array, or None."""
    if value is None:
        return None
    weights = _as_array(owner, "weights", value)
    if weights.ndim != 1:
        raise InvalidInputError(
            f"{_class(owner)} cannot use weights of shape {weights.shape}: there is one weight for each "
            "feature. Pass a one-dimensional array, or None."
        )
    wrong = weights[~(np.isfinite(weights) & (weights >= 0))]
    if wrong.size:
        raise InvalidInputError(
            f"{_class(owner)} cannot use the weight {wrong[0]}: a weight is a finite number >= 0. "
            "Pass 0 to leave a feature unpenalised."
        )
    return weights


def as_groups(owner: object, value: npt.ArrayLike | None) -> npt.NDArray[np.generic] | None:
    """Return one label for each feature, numbers or strings, as a read-only array, or None."""
    if value is None:
        return None
    labels = np.array(value)
    if labels.ndim != 1 or labels.size == 0 or labels.dtype.kind not in "biufUS":
        raise InvalidInputError(
            f"{_class(owner)} cannot use groups of shape {labels.shape} and type {labels.dtype}: there is "
            "one label for each feature. Pass a one-dimensional array of numbers or strings."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidInputError(
            f"{_class(owner)} cannot use groups with NaN or infinite labels. Pass finite numbers or strings."
        )
    labels.setflags(write=False)
    return labels


def as_bounds(
    owner: object, lower: npt.ArrayLike, upper: npt.ArrayLike
) -> tuple[float | FloatArray, float | FloatArray]:
    """Return bounds that hold at least one point; scalars stay scalars."""
    low, high = _as_array(owner, "lower", lower), _as_array(owner, "upper", upper)
    for name, bound in (("lower", low), ("upper", high)):
        if bound.ndim > 1:
            raise InvalidInputError(
                f"{_class(owner)} cannot use {name} of shape {bound.shape}: a bound is one number, or one "
                "for each feature. Pass a scalar or a one-dimensional array."
            )
    if low.ndim == high.ndim == 1 and low.size != high.size:
        raise InvalidInputError(
            f"{_class(owner)} cannot use {low.size} lower with {high.size} upper bounds: each feature has "
            "one of either. Pass arrays of equal length, or scalars."
        )
    empty = ~((low <= high) & (low < np.inf) & (high > -np.inf))
    if np.any(empty):
        first = int(np.argmax(empty))
        pair = tuple(float(np.broadcast_to(bound, empty.shape).flat[first]) for bound in (low, high))
        raise InvalidInputError(
            f"{_class(owner)} cannot use lower={pair[0]} with upper={pair[1]}: no number lies between "
            "them. Pass lower <= upper; -inf and inf leave a side open."
        )
    return low if low.ndim else float(low), high if high.ndim else float(high)


def _class(owner: object) -> str:
    return type(owner).__name__


def _as_array(owner: object, name: str, value: npt.ArrayLike) -> FloatArray:
    """A read-only float64 copy, with -0.0 stored as 0.0 so that equal arrays have equal bytes."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{_class(owner)} cannot use {name}={value!r}: it does not hold real numbers. Pass floats."
        ) from error
    array += 0.0
    array.setflags(write=False)
    return array
