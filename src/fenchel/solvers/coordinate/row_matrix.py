"""The matrix of all rows, ``A A'``, for dense data with few of them under a ridge: a pass reads it alone."""

from __future__ import annotations

import numpy as np

from fenchel._kernels.gram_sdca import gram_sdca
from fenchel.numerics.generators import random_words
from fenchel.problem.problem import Problem
from fenchel.solvers.coordinate.proximal_point import ProximalState
from fenchel.typing import FloatArray

__all__ = ["ascend_by_matrix", "matrix_is_possible", "matrix_pays"]

_MOST_ROWS = 500
_ROWS = 60.0
"""Rows for which the matrix pays, over the curvature of the dual: it costs as much as a tenth as many passes
as there are rows, and the more curved the dual, the more of them are needed."""
_ROUNDS, _ENTRIES = 40, 10
"""Rounds at most between two certificates, and what they may read, in passes over A."""
_PRECISION, _SHARE = 1e-7, 1e-3
"""The relative gap at which the rounds of an epoch end, and the least by which it is to fall."""


def matrix_is_possible(problem: Problem) -> bool:
    """Whether the data is dense, with few rows and no fewer columns."""
    return problem.n_samples <= min(_MOST_ROWS, problem.n_coordinates) and problem.design.is_full


def matrix_pays(problem: Problem, ridge: float) -> bool:
    r"""Whether the matrix costs less than the passes that it spares.

    .. math:: n \le 60 \rho, \qquad \rho = \frac{|A'(s \circ g)|^2}{n\, l_2 \sum_i s_i g_i^2},

    with g the slopes of the loss at zero: along them the curvature that the ridge gives to the dual. For rows
    that are orthogonal and of one length it is the same in all directions. Cost one product.
    """
    if not matrix_is_possible(problem):
        return False
    slopes = problem.loss.gradient(np.zeros(problem.n_samples), problem.b)
    v = problem.correlation(slopes)
    return bool(ridge * float(problem.sample_weight @ slopes**2) <= _ROWS * float(v @ v))


def ascend_by_matrix(
    problem: Problem, state: ProximalState, matrix: FloatArray, z: FloatArray, ridge: float, repeats: int
) -> bool:
    """Passes by the matrix from the scores ``z`` until the gap is small; return whether it is."""
    n = problem.n_samples
    draws = random_words(state.rng, _ROUNDS * n)
    entries, closed = gram_sdca(
        matrix, problem.kernel_loss, problem.b, problem.sample_weight, state.step, ridge, repeats,
        _ENTRIES * problem.design.n_entries, _PRECISION, _SHARE, draws, z, state.u,
    )  # fmt: skip
    state.entries_read += entries
    return closed
