"""The two rules for the steps of GSFW, in forms that neither overflow nor cancel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["GeometricRule", "HarmonicRule", "batch_sigma"]

_LEAST_SIGMA = 1.001
"""A larger sigma is as safe, and keeps the weights of a pass in range."""


@dataclass(frozen=True)
class HarmonicRule:
    """For any set; ``m`` is n over the size of a batch."""

    m: float

    def next(self, first: int, count: int) -> tuple[FloatArray, FloatArray]:
        """The steps and the weights of ``count`` iterations."""
        times = first + np.arange(count, dtype=np.float64)
        return 2.0 * self.m / (2.0 * self.m + times + 1.0), 2.0 * self.m + times

    def scale(self, first: int, count: int) -> float:
        """By what the sums so far are to be divided first: nothing."""
        return 1.0


@dataclass(frozen=True)
class GeometricRule:
    """Under strong convexity: the weights grow by a constant factor, counted from the first of every call."""

    m: float
    sigma: float

    @property
    def growth(self) -> float:
        """The ratio of two weights."""
        product = self.m * max(self.sigma, _LEAST_SIGMA)
        return product / (product - 1.0)

    def next(self, first: int, count: int) -> tuple[FloatArray, FloatArray]:
        """The steps and the weights of ``count`` iterations."""
        return np.full(count, 1.0 / self.sigma), self.growth ** np.arange(count, dtype=np.float64)

    def scale(self, first: int, count: int) -> float:
        """By what the sums so far are to be divided first: the weight that the next one would have had."""
        return self.growth**count if first > 0 else 1.0


def batch_sigma(problem: Problem, modulus: float, size: int) -> float:
    r"""``1 + max_B sum_{i in B} s_i |a_i|^2 / (gamma n mu)``, the sum of the largest rows.

    It bounds :math:`\max_B \|S_B^{1/2} A_B\|_2^2`, which the proof needs.
    """
    rows = problem.sample_weight * problem.design.row_squares
    largest = np.partition(rows, rows.size - size)[rows.size - size :]
    curvature = problem.loss.smoothness * float(largest.sum())
    return max(1.0 + curvature / (problem.n_samples * modulus), _LEAST_SIGMA)
