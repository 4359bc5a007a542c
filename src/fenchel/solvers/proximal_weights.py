"""The weights of proximal terms on coordinates that have no curvature of their own."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["effective_smoothness", "proximal_alpha"]


def effective_smoothness(problem: Problem, w: FloatArray) -> float:
    """The loss's smoothness; for one with kinks, slope squared over the mean loss at ``w`` has its units."""
    loss = problem.loss
    if loss.smooth:
        return loss.smoothness
    size = float(np.mean(problem.sample_weight * loss.value(problem.scores(w), problem.b)))
    return loss.lipschitz**2 / size if size > 0 else 1.0


def proximal_alpha(problem: Problem, w: FloatArray, scale: float = 1.0) -> FloatArray:
    r"""The weight of each coordinate; 0 where the regularizer is curved.

    .. math:: \alpha_j = \text{scale} \cdot \rho_j\, \sigma \bar r / n,

    with sigma the smoothness, :math:`\rho_j` the mean square of column j and :math:`\bar r` the mean number
    of entries in a row.
    """
    l2 = problem.coordinate_form.l2
    if problem.coordinate_form.curved:
        return np.zeros(l2.size)
    squares = problem.column_norms**2
    share = effective_smoothness(problem, w) * problem.design.n_entries / problem.n_samples**2
    # Beside curved coordinates, no others should weigh more in the dual than all of them do.
    curved = float(np.sum(squares[l2 > 0] / l2[l2 > 0]))
    if curved > 0:
        share = min(share, 1.0 / curved)
    weight = scale * share * squares
    # A column of zeros needs some curvature too; any value will do.
    return np.where(l2 > 0, 0.0, np.where(weight > 0, weight, 1.0))
