"""Where Newton steps under a ridge begin: after some passes of dual ascent, quick far from the optimum.

They need a strength that is not too small beside the rows. A free intercept is held by the ridge of the
features for these passes: what they end with is only a start.
"""

from __future__ import annotations

import numpy as np

from fenchel._kernels.coordinate import rough_sdca_pass
from fenchel._kernels.losses import KernelLoss
from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.dual_pass import shuffled
from fenchel.solvers.coordinate.proximal_point import dual_steps
from fenchel.solvers.ridge import ridge_of_features, row_curvature
from fenchel.typing import FloatArray

__all__ = ["after_dual_passes"]

_PASSES = 2
_LARGEST_CURVATURE = 100.0


def after_dual_passes(problem: Problem, w: FloatArray) -> tuple[FloatArray, int]:
    """The best response after two passes, or ``w`` where they do not help; and the entries read.

    The order of the rows is the same for every fit.
    """
    ridge = ridge_of_features(problem)
    if ridge == 0.0 or row_curvature(problem, ridge) > _LARGEST_CURVATURE:
        return w, 0
    n, design = problem.n_samples, problem.design
    # With the ridge on a free intercept too, as a proximal term around zero.
    step = dual_steps(problem, ridge - problem.coordinate_form.l2)
    rng = np.random.default_rng(0)
    found, u, entries = np.zeros(problem.n_coordinates), np.zeros(n), design.n_entries
    for _ in range(_PASSES):
        order = shuffled(np.arange(n), rng)
        entries += rough_sdca_pass(
            design.rows, order, KernelLoss.of(problem.loss), problem.b, problem.sample_weight, step, ridge,
            found, u,
        )  # fmt: skip
    entries += 2 * design.n_entries
    better = np.all(np.isfinite(found)) and problem.primal_value(found) < problem.primal_value(w)
    return (found if better else w), entries
