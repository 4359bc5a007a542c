"""The curvature that primal-dual coordinate methods count on in the dual of a loss."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem

__all__ = ["dual_curvature", "square_radius"]

_WITH_KINKS = 1.0 / 16.0
"""Stands for ``n gamma / R^2`` where the loss has kinks. In SPDC runs took up to six times as many passes at
1 and 1/4; at 1/64 half as many on the hardest problems, and up to a quarter more on most of the others. In
DGPD, 1/64 took the passes of 1/16 in the mean, and 1/4 half as many again."""


def square_radius(problem: Problem) -> float:
    r"""The largest :math:`s_i \sum_j a_{ij}^2 / l_{2j}`, called :math:`R^2`; 1 where all are 0."""
    squares = problem.sample_weight * problem.design.row_square_sums(1.0 / problem.coordinate_form.l2)
    largest = float(np.max(squares))
    return largest if largest > 0.0 else 1.0


def dual_curvature(problem: Problem, square_radius: float) -> float:
    r"""The :math:`\gamma` of a :math:`1/\gamma`-smooth loss, and :math:`R^2 / 16n` of a loss with kinks."""
    loss = problem.loss
    return 1.0 / loss.smoothness if loss.smooth else _WITH_KINKS * square_radius / problem.n_samples
