"""Where Newton steps under a ridge begin: after some passes of dual ascent, quick far from the optimum.

They need a strength that is not too small beside the rows. A free intercept is held by the ridge of the
features for these passes: what they end with is only a start.
"""

from __future__ import annotations

import numpy as np

from fenchel._kernels.coordinate import rough_sdca_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.dual_pass import shuffled
from fenchel.solvers.coordinate.proximal_point import dual_steps
from fenchel.solvers.ridge import ridge_of_features
from fenchel.typing import FloatArray

__all__ = ["after_dual_passes"]

_PASSES = 2
_LARGEST_CURVATURE = 100.0


def after_dual_passes(problem: Problem, w: FloatArray, z: FloatArray) -> tuple[FloatArray, FloatArray, int]:
    """The best response after two passes, or ``w`` where they do not help; its scores, and the entries read.

    ``z`` are the scores of ``w``. The order of the rows is the same for every fit.
    """
    ridge = ridge_of_features(problem)
    if ridge == 0.0:
        return w, z, 0
    n, design = problem.n_samples, problem.design
    # With the ridge on a free intercept too, as a proximal term around zero.
    step = dual_steps(problem, ridge - problem.coordinate_form.l2)
    # That of ``row_curvature``: 1 / c_i = s_i |a_i|^2 / (n l2).
    inverse = np.divide(1.0, step, out=np.zeros(n), where=step > 0.0)
    if problem.loss.smoothness * float(np.mean(inverse)) > _LARGEST_CURVATURE:
        return w, z, design.n_entries
    rng = np.random.default_rng(0)
    found, u, entries = np.zeros(problem.n_coordinates), np.zeros(n), design.n_entries
    for _ in range(_PASSES):
        order = shuffled(np.arange(n), rng)
        entries += rough_sdca_pass(
            design.rows, order, problem.kernel_loss, problem.b, problem.sample_weight, step, ridge,
            found, u,
        )  # fmt: skip
    scores = problem.scores(found)
    value = problem.primal_at_scores(found, scores)  # not a number where the passes have overflowed
    better = value < problem.primal_at_scores(w, z)
    return (found if better else w), (scores if better else z), entries + design.n_entries
