"""Newton steps on a working set whose matrix is at hand: checks, then the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_order, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["GramLimits", "GramPoint", "GramReport", "GramSet", "gram_newton", "share_of_change"]


@dataclass(frozen=True, eq=False)
class GramSet:
    """The problem, and a working set with its matrix.

    Attributes
    ----------
    columns, loss, b, sample_weight, form : the problem; ``form`` is of all coordinates.
    intercept : whether the last coordinate is one.
    chosen : (m,) the working set, without the intercept.
    rare : those of it that take exact steps after every Newton step.
    matrix : (m * m,) ``A_W' diag(h) A_W - p p' / S``, corrected in place.
    cross, total : p and S; the total is infinite without an intercept.
    made : (n,) the roots of the curvatures that the matrix was made with.
    """

    columns: Lines
    loss: KernelLoss
    b: FloatArray
    sample_weight: FloatArray
    form: CoordinateArrays
    intercept: bool
    chosen: IndexArray
    rare: IndexArray
    matrix: FloatArray
    cross: FloatArray
    total: float
    made: FloatArray


class GramLimits(NamedTuple):
    """When to end.

    ``steps`` at most, or with a violation of at most ``solved`` times the first one, or when the curvatures
    have changed by more than the share ``oldest`` since the matrix was made. A model is minimised to
    ``precision`` times the violation at its start, but no further than ``least``, by at most ``passes`` of
    coordinate descent, with a Newton step on the places that are free after every ``block`` of them (at most
    ``iterations`` of conjugate gradients). Exact steps, ``rare_steps`` at most, go to the share
    ``rare_precision`` of that.
    """

    steps: int
    solved: float
    oldest: float
    precision: float
    least: float
    block: int
    passes: int
    iterations: int
    rare_precision: float
    rare_steps: int


@dataclass(eq=False)
class GramPoint:
    """Where the steps are: arrays that are updated in place, and three numbers.

    Attributes
    ----------
    w, z : coefficients and scores.
    u, root, value : the rows there: derivatives, roots of the curvatures, and the mean loss.
    c, last : the derivatives of the mean loss along W, and along the intercept.
    w_before, c_before : (m,) w and c at the last model, if ``known``.
    damping : that of the next model.
    """

    w: FloatArray
    z: FloatArray
    u: FloatArray
    root: FloatArray
    value: float
    c: FloatArray
    last: float
    w_before: FloatArray
    c_before: FloatArray
    known: bool
    damping: float


class GramReport(NamedTuple):
    """What was done.

    ``stale``: the matrix has grown too old, and the point has its rows and its ``c`` for another one.
    ``refused``: no step along the last direction lowered P.
    """

    steps: int
    stale: bool
    refused: bool
    entries_read: int


def gram_newton(held: GramSet, limits: GramLimits, at: GramPoint) -> GramReport:
    """Take Newton steps on the working set, which correct its matrix, and update the point in place.

    The point has its rows and its ``c`` when this begins, and where the matrix is ``stale`` when it ends.
    Every step costs the entries of W twice. The twin, :func:`fenchel.reference.gram_newton.gram_newton`,
    states the steps. Raises InvalidInputError if an array has the wrong dtype, layout or size.
    """
    n, d, m = held.columns.length, held.columns.n_lines, held.chosen.size
    features = d - int(held.columns.ones)
    if held.intercept != held.columns.ones:
        raise InvalidInputError("intercept and the columns disagree on whether there is one.")
    check_order(held.chosen, features, name="chosen")
    check_order(held.rare, features, name="rare")
    check_form(held.form, d)
    for name, array, size in (
        ("b", held.b, n),
        ("sample_weight", held.sample_weight, n),
        ("cross", held.cross, m),
        ("made", held.made, n),
    ):
        check_vector(name, array, size)
    for name, array, size in (
        ("matrix", held.matrix, m * m),
        ("w", at.w, d),
        ("z", at.z, n),
        ("u", at.u, n),
        ("root", at.root, n),
        ("c", at.c, m),
        ("w_before", at.w_before, m),
        ("c_before", at.c_before, m),
    ):
        check_vector(name, array, size, writeable=True)
    form, work = held.form, np.empty(14 * m + 2 * n)
    steps, stale, refused, entries, at.value, at.last, at.damping = _core.gram_newton(
        held.columns.compiled, held.chosen, held.rare, held.loss.compiled, held.b, held.sample_weight,
        form.l1, form.l2, form.lower, form.upper, held.intercept, held.matrix, held.cross, held.total,
        held.made, limits.oldest, limits.steps, limits.solved, limits.precision, limits.least, limits.block,
        limits.passes, limits.iterations, limits.rare_precision, limits.rare_steps, at.w, at.z, at.u, at.root,
        at.c, at.w_before, at.c_before, at.known, at.value, at.last, at.damping, work,
    )  # fmt: skip
    return GramReport(steps, stale, refused, entries)


def share_of_change(old: FloatArray, root: FloatArray) -> float:
    """How far the curvatures ``root ** 2`` are from those of ``old``, as a share of the sum of these.

    Infinite where that is zero. The twin is :func:`fenchel.reference.gram_newton.share_of_change`. Raises
    InvalidInputError if an array has the wrong dtype, layout or size.
    """
    for name, array in (("old", old), ("root", root)):
        check_vector(name, array, old.size)
    return _core.share_of_change(old, root)
