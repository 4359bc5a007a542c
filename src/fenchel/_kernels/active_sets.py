"""What the active-set solver looks at in all rows or columns: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_form, check_mask, check_positive, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.typing import BoolArray, FloatArray

__all__ = ["active_ascent", "settle_rows", "take_best"]


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
