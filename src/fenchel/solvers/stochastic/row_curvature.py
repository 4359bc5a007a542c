r"""How long the steps along the gradient of a row may be.

In the variables :math:`w_k / \sqrt{m_k}` the gradient of row i has the Lipschitz constant

.. math:: L_i = s_i \beta \sum_k m_k a_{ik}^2,

with :math:`\beta` the smoothness of the loss. The metric m is 1 on the features. On the intercept, whose
column of ones knows nothing of the units of the others, it is the mean square length of a row, so that the
intercept adds no more than the average row to any :math:`L_i`, and is as quick as the fastest direction.
"""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["coordinate_metric", "row_curvatures"]


def coordinate_metric(problem: Problem) -> FloatArray:
    """The factor m of every coordinate's step; cost one pass where there is an intercept."""
    metric = np.ones(problem.n_coordinates)
    if problem.fit_intercept:
        features = np.ones(problem.n_coordinates)
        features[-1] = 0.0
        mean = float(np.mean(problem.sample_weight * problem.design.row_square_sums(features)))
        metric[-1] = mean if mean > 0 else 1.0
    return metric


def row_curvatures(problem: Problem, metric: FloatArray) -> FloatArray:
    """``L_i`` of every row, for a smooth loss; cost one pass."""
    squares: FloatArray = problem.design.row_square_sums(metric)
    return problem.loss.smoothness * problem.sample_weight * squares
