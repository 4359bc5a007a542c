"""The best value of a free intercept for given scores of the other coordinates."""

from __future__ import annotations

import numpy as np

from fenchel._kernels.prox_newton import coordinate_newton_pass
from fenchel._kernels.views import DenseLines
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["settle_intercept"]

_STEPS = 30
_ROUNDING = 4 * float(np.finfo(float).eps)


def settle_intercept(problem: Problem, w: FloatArray, z: FloatArray, size: float) -> int:
    r"""Move the intercept, and the scores with it, by exact steps until :math:`\sum_i s_i u_i` is rounding.

    Then the derivatives ``u`` at ``z`` are a dual point without repair. ``size`` is the mean of :math:`|u|`.
    Returns the entries read. Cost O(n) a Newton step, a few of which are enough.
    """
    # The ones alone: other columns may not be at hand.
    n, first = problem.n_samples, np.zeros(1, dtype=np.int64)
    return coordinate_newton_pass(
        DenseLines(np.empty((0, n)), n_lines=1, length=n, ones=True),
        first,
        problem.kernel_loss,
        problem.b,
        problem.sample_weight,
        problem.coordinate_form.restrict(slice(-1, None)),
        _STEPS,
        _ROUNDING * size,
        w[-1:],
        z,
    )
