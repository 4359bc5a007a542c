"""The strengths of a path."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from fenchel.errors import InvalidInputError, UnsupportedProblemError
from fenchel.problem.problem import Problem
from fenchel.problem.zero_strength import correlation_at_zero
from fenchel.regularizers.base import Gauged, Separable
from fenchel.regularizers.scaled import scaled
from fenchel.typing import FloatArray

__all__ = ["geometric", "largest_strength", "strengths_of"]

_RIDGE_SHARE = 1e-3
"""glmnet's grid for a ridge is that of an elastic net whose l1 part has this share."""


def strengths_of(
    problem: Problem, n_strengths: int, ratio: float, strengths: npt.ArrayLike | None
) -> FloatArray:
    """Return the strengths that were asked for, the largest first; else the geometric grid.

    Raises InvalidInputError for values that no path can use, UnsupportedProblemError where the regularizer
    has no strength, or none to begin with.
    """
    if problem.loss.indicator:
        raise UnsupportedProblemError(
            f"{type(problem.loss).__name__} is a constraint: under it every strength of the regularizer has "
            "the same solution, so there is no path. Use solve."
        )
    scaled(problem.regularizer, 1.0)
    if strengths is not None:
        return _checked(strengths)
    return geometric(largest_strength(problem), n_strengths, ratio)


def geometric(largest: float, n_strengths: object, ratio: object) -> FloatArray:
    """``n_strengths`` from ``largest`` down to ``ratio`` times it, each the same share of the one before."""
    if not isinstance(n_strengths, Integral) or int(n_strengths) < 1:
        raise InvalidInputError(f"n_strengths={n_strengths!r} is not a number of at least 1. Pass 100.")
    if not isinstance(ratio, Real) or not 0 < float(ratio) < 1:
        raise InvalidInputError(f"ratio={ratio!r} is not between 0 and 1. Pass a number such as 0.01.")
    return largest * np.geomspace(1.0, float(ratio), int(n_strengths))


def largest_strength(problem: Problem) -> float:
    r"""The strength at which a path begins.

    The smallest one with the zero solution, where there is an l1 part or a group norm. For an l2 part alone
    glmnet's rule, a thousand times the strength at which an l1 penalty of the same size would give zero:
    :math:`10^3 \max_j |v_j| / l_{2j}`.
    """
    g = problem.regularizer
    if isinstance(g, Gauged) or (isinstance(g, Separable) and problem.coordinate_form.l1.any()):
        largest = problem.zero_solution_strength()
    elif isinstance(g, Separable):
        l2 = problem.coordinate_form.l2
        v = np.abs(correlation_at_zero(problem)[l2 > 0])
        largest = float(np.max(v.reshape(len(v), -1).max(axis=1) / l2[l2 > 0], initial=0.0)) / _RIDGE_SHARE
    else:
        raise UnsupportedProblemError(
            f"{type(g).__name__} has no l1 part, no group norm and no l2 part by coordinates, so there is no "
            "strength to begin a path with. Pass strengths."
        )
    # Where nothing correlates with the targets zero is the solution at every strength.
    return largest if largest > 0 else 1.0


def _checked(strengths: Any) -> FloatArray:
    values = np.asarray(strengths, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values) & (values > 0)):
        raise InvalidInputError(
            "strengths must be one row of finite numbers > 0. Pass for instance np.geomspace(1.0, 0.01, 100)."
        )
    return np.unique(values)[::-1]
