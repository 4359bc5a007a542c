"""What the active-set solver looks at in all rows or columns: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import (
    CoordinateArrays,
    check_counts,
    check_form,
    check_mask,
    check_order,
    check_positive,
    check_vector,
)
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = [
    "active_ascent",
    "active_gap",
    "ascent_steps",
    "respond",
    "response_sizes",
    "settle_rows",
    "take_best",
    "take_moves",
]


def respond(form: CoordinateArrays, v: FloatArray, zero: BoolArray, counts: IndexArray, w: FloatArray) -> int:
    """Set ``w`` to ``argmin_w <v, w> + g(w)``, 0 where ``zero``; sum the counts of its support.

    Needs an l2 part everywhere. The twin is :func:`fenchel.reference.active_sets.respond`. Raises
    InvalidInputError if an array has the wrong dtype, layout or size, or some l2 is not positive.
    """
    size = form.l1.size
    _check_curved(form, v, size)
    check_mask("zero", zero, size)
    check_counts("counts", counts, size)
    check_vector("w", w, size, writeable=True)
    return _core.respond(form.l1, form.l2, form.lower, form.upper, v, zero, counts, w)


def response_sizes(form: CoordinateArrays, share: float, v: FloatArray) -> FloatArray:
    """``|argmin_w <v, w> + g(w)|``, coordinate by coordinate, under so much of the l1 part.

    Needs an l2 part everywhere. The twin is :func:`fenchel.reference.active_sets.response_sizes`. Raises
    InvalidInputError if an array has the wrong dtype, layout or size, or some l2 is not positive.
    """
    size = form.l1.size
    _check_curved(form, v, size)
    sizes = np.empty(size)
    _core.response_sizes(form.l1, form.l2, form.lower, form.upper, share, v, sizes)
    return sizes


def take_best(scores: FloatArray, barred: BoolArray, count: int, active: BoolArray) -> None:
    """Set ``active`` at the ``count`` largest positive scores of those neither active nor barred.

    The first of equal ones; all where they are fewer. The twin is
    :func:`fenchel.reference.active_sets.take_best`. Raises InvalidInputError if an array has the wrong dtype,
    layout or size.
    """
    check_vector("scores", scores, active.size)
    check_mask("barred", barred, active.size)
    check_mask("active", active, active.size, writeable=True)
    _core.take_best(scores, barred, count, active, np.empty(active.size, dtype=np.int64))


def settle_rows(
    loss: KernelLoss,
    z: FloatArray,
    u: FloatArray,
    b: FloatArray,
    spread: FloatArray,
    reach: float,
    slack: float,
    settled: BoolArray,
) -> None:
    """Set ``settled`` where u is the derivative at all scores within ``reach spread + slack (1 + |z|)`` of z.

    The twin is :func:`fenchel.reference.active_sets.settle_rows`. Raises InvalidInputError if an array has
    the wrong dtype, layout or size.
    """
    for name, array in (("z", z), ("u", u), ("b", b), ("spread", spread)):
        check_vector(name, array, b.size)
    check_mask("settled", settled, b.size, writeable=True)
    _core.settle_rows(loss.compiled, z, u, b, spread, reach, slack, settled)


def ascent_steps(
    rows: Lines, sample_weight: FloatArray, inverse_l2: FloatArray, n_samples: int
) -> FloatArray:
    r"""``n_samples / (s_i sum_k a_ik^2 / l2_k)`` for every row; 0 where that is infinite.

    Reads every entry. The twin is :func:`fenchel.reference.active_sets.ascent_steps`. Raises
    InvalidInputError if an array has the wrong dtype, layout or size.
    """
    check_vector("sample_weight", sample_weight, rows.n_lines)
    check_vector("inverse_l2", inverse_l2, rows.length)
    step = np.empty(rows.n_lines)
    _core.ascent_steps(rows.compiled, sample_weight, inverse_l2, float(n_samples), step)
    return step


def take_moves(
    named: IndexArray,
    fresh: FloatArray,
    counts: IndexArray,
    sample_weight: FloatArray,
    u: FloatArray,
    v: FloatArray,
    moves: FloatArray,
) -> int:
    """Set ``u`` to ``fresh`` on the named rows, none of them twice, and ``moves`` to its addition to ``n v``.

    With ``v = A'(s u) / n`` before, ``v + A' moves / n`` is that after: ``moves`` is the change of ``s u``
    or, where the rows of that have more entries, all of it, and ``v`` is set to 0. ``counts`` are the
    entries of the rows; returns those of the rows where ``moves`` is not 0. The twin is
    :func:`fenchel.reference.active_sets.take_moves`. Raises InvalidInputError if an array has the wrong
    dtype, layout or size, or a name is out of range.
    """
    n = u.size
    check_order(named, n, name="named")
    check_vector("fresh", fresh, named.size)
    check_counts("counts", counts, n)
    check_vector("sample_weight", sample_weight, n)
    for name, array, size in (("u", u, n), ("v", v, v.size), ("moves", moves, n)):
        check_vector(name, array, size, writeable=True)
    return _core.take_moves(named, fresh, counts, sample_weight, u, v, moves)


def active_ascent(
    rows: Lines,
    passes: int,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateArrays,
    inverse_l2: FloatArray,
    bounded: bool,
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> int:
    r"""Run passes of prox-SDCA in the order of the rows, all but the first over those that the first moved.

    The arrays are those of :func:`fenchel._kernels.coordinate.sdca_pass`, without its proximal term, and
    ``1 / form.l2``; ``bounded`` says whether the form has a bound. Updates ``v``, ``w``, ``u`` in place and
    returns the entries read. The twin is :func:`fenchel.reference.active_sets.active_ascent`. Raises
    InvalidInputError if an array has the wrong dtype, layout or size, or some coordinate has no l2 part.
    """
    n, d = rows.n_lines, rows.length
    for name, array in (("b", b), ("sample_weight", sample_weight), ("step", step)):
        check_vector(name, array, n)
    check_form(form, d)
    check_vector("inverse_l2", inverse_l2, d)
    check_positive("l2", form.l2)
    for name, array, size in (("v", v, d), ("w", w, d), ("u", u, n)):
        check_vector(name, array, size, writeable=True)
    return _core.active_ascent(
        rows.compiled, passes, loss.compiled, b, sample_weight, step, form.l1, form.l2, inverse_l2,
        form.lower, form.upper, bounded, np.zeros(d), v, w, u, np.empty(n), np.empty(n, dtype=np.int64),
    )  # fmt: skip


def active_gap(
    rows: Lines,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    n_samples: int,
    w: FloatArray,
    u: FloatArray,
) -> float:
    r"""``sum_i s_i max(phi_i(z_i) + phi_i*(u_i) - z_i u_i, 0) / n_samples``, with ``z_i = <row_i, w>``.

    Reads every entry. The twin is :func:`fenchel.reference.active_sets.active_gap`. Raises InvalidInputError
    if an array has the wrong dtype, layout or size.
    """
    n = rows.n_lines
    for name, array in (("b", b), ("sample_weight", sample_weight), ("u", u)):
        check_vector(name, array, n)
    check_vector("w", w, rows.length)
    return _core.active_gap(rows.compiled, loss.compiled, b, sample_weight, float(n_samples), w, u)


def _check_curved(form: CoordinateArrays, v: FloatArray, size: int) -> None:
    check_form(form, size)
    check_positive("l2", form.l2)
    check_vector("v", v, size)
