"""What the active-set solver looks at in all rows or columns: checks, then the kernel."""

from __future__ import annotations

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_mask, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel.typing import BoolArray, FloatArray

__all__ = ["settle_rows", "take_best"]


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
