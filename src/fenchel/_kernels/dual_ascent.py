"""Coordinate ascent on the dual of an interpolation problem: checks, then the kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import FLOAT64, check_array, check_order, check_positive, check_vector
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "ConstraintArrays",
    "MapArrays",
    "accelerated_dual_ascent_pass",
    "check_block",
    "check_map",
    "check_sets",
    "dual_ascent_pass",
    "room",
    "row_norms",
]

SET_NAMES: tuple[str, ...] = tuple(_core.SetTag.__members__)
MAP_NAMES: tuple[str, ...] = tuple(_core.MapTag.__members__)


@dataclass(frozen=True, eq=False)
class ConstraintArrays:
    """The sets of n rows, and what a violation costs.

    ``kind`` is "interval" (``first`` and ``second`` are the ends, (n,) each, infinite or not), "ball" (centre
    (n, k) and radius (n,)) or "simplex" (no arrays are read; both are empty). ``inverse_slack``, (n,), is
    1/c_i for a cost of c_i/2 times the squared distance, and 0 for a hard constraint.
    """

    kind: str
    first: FloatArray
    second: FloatArray
    inverse_slack: FloatArray


@dataclass(frozen=True, eq=False)
class MapArrays:
    """The map from an image t to the best response w.

    ``kind`` is "euclidean" (w = t / strength), "power" (the gradient of ``||t||_q^2 / (2 strength)``, q > 2)
    or "entropy" (w proportional to ``exp(log_prior + t / strength)``, ``log_prior`` of shape (D,)).
    """

    kind: str
    strength: float
    q: float
    log_prior: FloatArray


def dual_ascent_pass(
    rows: Lines,
    order: IndexArray,
    sets: ConstraintArrays,
    curvature: FloatArray,
    mirror: MapArrays,
    newton: int,
    a: FloatArray,
    t: FloatArray,
    tilt: FloatArray,
) -> int:
    r"""Run coordinate ascent over the rows in ``order``; update ``a`` and ``t`` in place.

    The twin, :func:`fenchel.reference.dual_ascent.dual_ascent_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    sets : the constraints of the rows.
    curvature : (n,) ``L_i``.
    mirror : the map from ``t`` to ``w``.
    newton : the most trials of a Newton step, 0 for steps with ``L_i``; for intervals alone, and without
        effect on the Euclidean map, where the step with ``L_i`` is exact.
    a, t : (n,) and (D,), or (n, k) and (D, k), with ``t = A'a``.
    tilt : base and sum, where w depends on t through ``sum (|t| / base)^q`` or ``sum exp(log_prior + t /
        strength - base)``: kept from pass to pass; a sum of 0 has it made from t. The twin needs none.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or a kind is unknown.
    """
    n, d, k = rows.n_lines, rows.length, outputs(a)
    check_order(order, n)
    check_sets(sets, n, k)
    check_map(mirror, d)
    check_vector("curvature", curvature, n)
    for name, array, size in (("a", a, n * k), ("t", t, d * k)):
        check_block(name, array, size, like=a)
    check_vector("tilt", tilt, 2, writeable=True)
    return _core.dual_ascent_pass(
        rows.compiled, order, _core.SetTag[sets.kind], sets.first.reshape(-1), sets.second,
        sets.inverse_slack, curvature, newton, _core.MapTag[mirror.kind], mirror.q, 1.0 / mirror.strength,
        mirror.log_prior, k, a.reshape(-1), t.reshape(-1), tilt, *room(d, k),
    )  # fmt: skip


def accelerated_dual_ascent_pass(
    rows: Lines,
    order: IndexArray,
    sets: ConstraintArrays,
    curvature: FloatArray,
    share: FloatArray,
    mirror: MapArrays,
    momentum: FloatArray,
    lag: FloatArray,
    lead: FloatArray,
    lag_image: FloatArray,
    lead_image: FloatArray,
) -> int:
    r"""Run accelerated coordinate ascent over the rows in ``order``; update the last five in place.

    The twin, :func:`fenchel.reference.dual_ascent.accelerated_dual_ascent_pass`, states the update.

    Parameters
    ----------
    rows, sets, curvature, mirror : as in :func:`dual_ascent_pass`.
    order : int64 vector, rows drawn independently with the probabilities ``share``.
    share : (n,) probabilities, positive for the rows in ``order``.
    momentum : theta of the next step, at most the least share, and of the last step.
    lag, lead : (n,) or (n, k); the iterate is ``momentum[1] ** 2 * lag + lead``.
    lag_image, lead_image : (D,) or (D, k), ``A' lag`` and ``A' lead``.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, a kind is unknown, or a
        row in ``order`` has no share.
    """
    n, d, k = rows.n_lines, rows.length, outputs(lead)
    check_order(order, n)
    check_sets(sets, n, k)
    check_map(mirror, d)
    for name, array in (("curvature", curvature), ("share", share)):
        check_vector(name, array, n)
    check_positive("share", share[order])
    check_vector("momentum", momentum, 2, writeable=True)
    for name, array, size in (
        ("lag", lag, n * k), ("lead", lead, n * k),
        ("lag_image", lag_image, d * k), ("lead_image", lead_image, d * k),
    ):  # fmt: skip
        check_block(name, array, size, like=lead)
    image = np.empty(0 if mirror.kind == "euclidean" else d * k)
    return _core.accelerated_dual_ascent_pass(
        rows.compiled, order, _core.SetTag[sets.kind], sets.first.reshape(-1), sets.second,
        sets.inverse_slack, curvature, share, _core.MapTag[mirror.kind], mirror.q, 1.0 / mirror.strength,
        mirror.log_prior, k, momentum, lag.reshape(-1), lead.reshape(-1), lag_image.reshape(-1),
        lead_image.reshape(-1), image, *room(d, k),
    )  # fmt: skip


def row_norms(rows: Lines, q: float) -> FloatArray:
    """``(sum_j |a_ij|^q)^(1/q)`` of every row, for q >= 1 or infinite; the intercept's 1 counts.

    The twin is :func:`fenchel.reference.dual_ascent.row_norms`.
    """
    norms = np.empty(rows.n_lines)
    _core.row_norms(rows.compiled, q, norms)
    return norms


def outputs(a: FloatArray) -> int:
    return int(np.shape(a)[1]) if np.ndim(a) == 2 else 1


def room(d: int, k: int) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    """What a row needs: its entries, what it touches, and three vectors of k values."""
    return np.empty(d + d * k + 3 * k), np.empty(d, dtype=np.int32)


def check_block(name: str, array: FloatArray, size: int, *, like: FloatArray) -> None:
    """Refuse an array that is not of this size, with as many outputs as ``like``."""
    check_array(name, array, FLOAT64, 2 if np.ndim(like) == 2 else 1, size)
    if like.ndim == 2 and array.shape[1] != like.shape[1]:
        raise InvalidInputError(f"{name} has {array.shape[1]} outputs; the kernels need {like.shape[1]}.")
    if not array.flags.writeable:
        raise InvalidInputError(f"{name} is read-only, and the kernel updates it in place; pass a copy.")


def check_sets(sets: ConstraintArrays, n: int, k: int) -> None:
    """Refuse sets of an unknown kind, or that are not those of ``n`` rows with ``k`` outputs."""
    if sets.kind not in SET_NAMES:
        raise InvalidInputError(f"No kernel knows sets of the kind {sets.kind!r}; it is one of {SET_NAMES}.")
    if sets.kind == "interval" and k != 1:
        raise InvalidInputError(f"An interval holds one score, and there are {k} outputs.")
    first, second = {"interval": (n, n), "ball": (n * k, n), "simplex": (0, 0)}[sets.kind]
    check_array("first", sets.first, FLOAT64, sets.first.ndim, first)
    check_vector("second", sets.second, second)
    check_vector("inverse_slack", sets.inverse_slack, n)


def check_map(mirror: MapArrays, d: int) -> None:
    """Refuse a map of an unknown kind, or that is not one of ``d`` features."""
    if mirror.kind not in MAP_NAMES:
        raise InvalidInputError(f"No kernel knows the map {mirror.kind!r}; it is one of {MAP_NAMES}.")
    check_vector("log_prior", mirror.log_prior, d if mirror.kind == "entropy" else 0)
