"""The margins of classifiers in the lp norm, and what dual points prove about the largest ones."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from fenchel.numerics.power import lp_norm
from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["Margins", "least_margin", "margin_bound"]


def least_margin(problem: Problem, w: FloatArray, p: float) -> float:
    r"""The margin :math:`\min_i b_i x_i^\top w / \|w\|_p` over the rows that count; 0 for w = 0."""
    norm = lp_norm(w, p)
    signed = (problem.b * problem.scores(w))[problem.sample_weight > 0.0]
    return float(signed.min()) / norm if norm > 0.0 else 0.0


def margin_bound(moved: float, image: FloatArray, p: float) -> float:
    r"""A bound on all margins, from :math:`t = \sum_i a_i b_i x_i` with :math:`a \ge 0` of sum ``moved``.

    .. math:: m \sum_i a_i \le \sum_i a_i b_i x_i^\top w = t^\top w \le \|t\|_q \quad \text{for } \|w\|_p = 1
    """
    return lp_norm(image, p / (p - 1.0)) / moved if moved > 0.0 else math.inf


class Margins(NamedTuple):
    """The margins of some problems, and bounds on the largest ones that are possible."""

    margin: FloatArray
    bounds: FloatArray

    @classmethod
    def of(cls, problems: list[Problem], points: list[tuple[FloatArray, FloatArray]], p: float) -> Margins:
        """From a primal and a dual point a problem. Cost two passes a problem."""
        margin = np.array([least_margin(pr, w, p) for pr, (w, _) in zip(problems, points, strict=True)])
        upper = [_bound(pr, u, p) for pr, (_, u) in zip(problems, points, strict=True)]
        return cls(margin, np.column_stack([np.maximum(margin, 0.0), upper]))

    def shaped(self) -> tuple[float, FloatArray] | tuple[FloatArray, FloatArray]:
        """The attributes of an estimator: a number and a pair where there is a single problem."""
        if len(self.margin) == 1:
            return float(self.margin[0]), self.bounds[0]
        return self.margin, self.bounds


def _bound(problem: Problem, u: FloatArray, p: float) -> float:
    weighted = problem.sample_weight * u
    return margin_bound(float(np.abs(weighted).sum()), problem.design.rmatvec(weighted), p)
