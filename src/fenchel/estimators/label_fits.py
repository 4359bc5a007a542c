"""What is kept of the fit of one label, and the labels whose fit needs no run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.driver.result import Result
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray

__all__ = ["LabelFit", "constant_answer"]

_LARGEST_SCORE = 1024.0
"""The logistic loss is zero in float64 from a score of about 750 on."""


@dataclass(frozen=True)
class LabelFit:
    """What is left of the fit of one label.

    Attributes
    ----------
    coef : ndarray of shape (n_features,), or csr_matrix of shape (1, n_features)
    intercept : float
    dual : csr_matrix of shape (1, n_samples), or None
    result : Result
        Its numbers alone: without the points, the state and the dual point of the certificate.
    """

    coef: Any
    intercept: float
    dual: Any
    result: Result

    @classmethod
    def of(cls, problem: Problem, result: Result, *, sparse: bool, keep_dual: bool) -> LabelFit:
        """Take from a result what is to be kept."""
        coef = result.w[: problem.n_features]
        certificate = result.certificate
        nothing = np.empty(0)
        numbers = Certificate(certificate.primal, certificate.dual, certificate.radius)
        return cls(
            sp.csr_matrix(coef) if sparse else coef.copy(),
            float(result.w[-1]) if problem.fit_intercept else 0.0,
            sp.csr_matrix(result.u) if keep_dual else None,
            replace(result, w=nothing, u=nothing, state=None, certificate=numbers),
        )


def constant_answer(problem: Problem) -> Start | None:
    r"""Return the exact solution where all samples that count agree and the intercept is free; else None.

    With w = 0 and a score c of the sign of the label the loss falls to zero as c grows; the dual point
    u = 0 proves that zero is the optimum. The score is the first power of two at which the loss is zero
    in float64: :math:`\pm 1` for the hinges, :math:`\pm 1024` for the logistic loss.
    """
    counted = problem.b[problem.sample_weight > 0]
    if not problem.fit_intercept or np.any(counted != counted[0]):
        return None
    score = 1.0
    while score < _LARGEST_SCORE and problem.loss.value(score * counted[:1], counted[:1])[0] != 0.0:
        score *= 2.0
    w = np.zeros(problem.n_coordinates)
    w[-1] = score * counted[0]
    u: FloatArray = np.zeros(problem.n_samples)
    return Start(w, u)
