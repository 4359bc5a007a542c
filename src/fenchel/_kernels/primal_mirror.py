"""Primal methods for interpolation problems: checks, then the kernels."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_order, check_vector
from fenchel._kernels.dual_ascent import (
    ConstraintArrays,
    MapArrays,
    check_block,
    check_map,
    check_sets,
    outputs,
    room,
)
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["perceptron_pass", "primal_mirror_pass"]


def primal_mirror_pass(
    rows: Lines,
    order: IndexArray,
    sets: ConstraintArrays,
    step: FloatArray,
    mirror: MapArrays,
    a: FloatArray,
    t: FloatArray,
) -> int:
    r"""Run stochastic mirror descent over the rows in ``order``; update ``a`` and ``t`` in place.

    The twin, :func:`fenchel.reference.primal_mirror.primal_mirror_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    sets : the constraints of the rows, without slack.
    step : (n,) gamma, below ``2 / L_i``; 0 for a row to skip.
    mirror : the map from ``t`` to ``w``.
    a, t : (n,) and (D,), or (n, k) and (D, k), with ``t = A'a``.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, a kind is unknown, or
        there is slack.
    """
    n, d, k = rows.n_lines, rows.length, outputs(a)
    check_order(order, n)
    check_sets(sets, n, k)
    if sets.inverse_slack.any():
        raise InvalidInputError("The sets have slack; the primal steps are those of hard constraints.")
    check_map(mirror, d)
    check_vector("step", step, n)
    for name, array, size in (("a", a, n * k), ("t", t, d * k)):
        check_block(name, array, size, like=a)
    return _core.primal_mirror_pass(
        rows.compiled, order, _core.SetTag[sets.kind], sets.first.reshape(-1), sets.second,
        sets.inverse_slack, step, _core.MapTag[mirror.kind], mirror.q, 1.0 / mirror.strength,
        mirror.log_prior, k, a.reshape(-1), t.reshape(-1), *room(d, k), np.zeros(k),
    )  # fmt: skip


def perceptron_pass(
    rows: Lines,
    order: IndexArray,
    labels: FloatArray,
    step: FloatArray,
    margin: float,
    mirror: MapArrays,
    a: FloatArray,
    t: FloatArray,
) -> int:
    r"""Run the perceptron over the rows in ``order``; update ``a`` and ``t`` in place.

    The twin, :func:`fenchel.reference.primal_mirror.perceptron_pass`, states the update.

    Parameters
    ----------
    rows : n lines of length D.
    order : int64 vector, the rows to visit.
    labels : (n,) -1 or +1.
    step : (n,) how far a row moves t; 0 for a row to skip.
    margin : a row moves t where its label times its score is at most that.
    mirror : the map from ``t`` to ``w``.
    a, t : (n,) and (D,), with ``t = A'a``.

    Returns
    -------
    entries_read : entries of the rows that were not skipped, a row counted once a visit.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the order is out of range, or the map is unknown.
    """
    n, d = rows.n_lines, rows.length
    check_order(order, n)
    check_map(mirror, d)
    for name, array in (("labels", labels), ("step", step)):
        check_vector(name, array, n)
    for name, array, size in (("a", a, n), ("t", t, d)):
        check_vector(name, array, size, writeable=True)
    return _core.perceptron_pass(
        rows.compiled, order, labels, step, margin, _core.MapTag[mirror.kind], mirror.q,
        1.0 / mirror.strength, mirror.log_prior, a, t, *room(d, 1),
    )  # fmt: skip
