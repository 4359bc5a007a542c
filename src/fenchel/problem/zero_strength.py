"""The smallest strength of a penalty at which all coefficients are zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fenchel.errors import UnsupportedProblemError
from fenchel.numerics.coordinate import CoordinateForm, along
from fenchel.problem.bounds import admissible, repaired
from fenchel.problem.free import minimise_free
from fenchel.regularizers.base import Gauged
from fenchel.typing import FloatArray

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["correlation_at_zero", "pulls", "zero_solution_strength"]

_UP = 1.0 + 32 * float(np.finfo(float).eps)


def zero_solution_strength(problem: Problem) -> float:
    """See :meth:`fenchel.Problem.zero_solution_strength`."""
    if isinstance(problem.regularizer, Gauged):
        return problem.regularizer.gauge(problem.features(correlation_at_zero(problem))) * _UP
    form = problem.coordinate_form
    penalised = form.l1 > 0
    if not penalised.any():
        raise UnsupportedProblemError(
            f"{type(problem.regularizer).__name__} has no l1 part, so no strength makes the "
            "coefficients zero. Use L1 or ElasticNet with l1 > 0."
        )
    v = correlation_at_zero(problem)
    ratio = pulls(form, v)[penalised] / along(form.l1[penalised], v)
    return float(ratio.max()) * _UP


def pulls(form: CoordinateForm, v: FloatArray) -> FloatArray:
    """How much v pulls every coordinate away from zero: ``|v_j|``, or what of it no bound at zero stops."""
    return np.maximum(np.where(along(form.upper > 0, v), -v, 0.0), np.where(along(form.lower < 0, v), v, 0.0))


def correlation_at_zero(problem: Problem) -> FloatArray:
    """``A'(s u) / n`` where the unpenalised coordinates alone are fitted."""
    w = minimise_free(problem, np.zeros(problem.primal_shape))
    u = admissible(problem, problem.dual_point(w))
    return repaired(problem, u, problem.correlation(u))[1]
