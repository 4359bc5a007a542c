"""Certificates where the loss is a constraint: what the scores lack, and what it costs the bound."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from fenchel.losses.constraint import ConstraintLoss
from fenchel.numerics.projections import row_l2_norms
from fenchel.problem.certificate import Certificate
from fenchel.typing import FloatArray

if TYPE_CHECKING:
    from fenchel.problem.problem import Problem

__all__ = ["paired", "unproven", "with_violation"]


def with_violation(problem: Problem, certificate: Certificate, z: FloatArray) -> Certificate:
    """Add what the scores ``z`` lack to the constraints; for other losses the certificate as it is."""
    loss = problem.loss
    if not isinstance(loss, ConstraintLoss):
        return certificate
    counts = problem.sample_weight > 0
    distances = np.where(counts, loss.distance(z, problem.b), 0.0)
    violation = float(distances.max(initial=0.0))
    size = loss.target_size(problem.b[counts]) or float(np.abs(z).max(initial=0.0))
    return replace(
        certificate,
        violation=violation,
        relative_violation=violation / size if violation > 0.0 else 0.0,
        distances=distances,
        relaxation=_relaxation(problem, distances, certificate.dual_point),
    )


def unproven(problem: Problem, w: FloatArray, z: FloatArray) -> Certificate:
    """The certificate of ``w`` with scores ``z`` before any dual point is known."""
    certificate = Certificate(problem.certified_value(w, z), -np.inf, 0.0, np.zeros(problem.b.shape))
    return with_violation(problem, certificate, z)


def paired(problem: Problem, primal: Certificate, dual: Certificate) -> Certificate:
    """The certificate of the primal point of one and the dual point of another."""
    if primal is dual:
        return dual
    distances = primal.distances
    return Certificate(
        primal.primal,
        dual.dual,
        dual.radius,
        dual.dual_point,
        dual.failure,
        violation=primal.violation,
        relative_violation=primal.relative_violation,
        relaxation=_relaxation(problem, distances, dual.dual_point) if distances.size else 0.0,
        distances=distances,
    )


def _relaxation(problem: Problem, distances: FloatArray, u: FloatArray) -> float:
    """``(1/n) sum_i s_i r_i |u_i|``: how much lower D is with every set enlarged by its distance r."""
    norms = np.abs(u) if u.ndim == 1 else row_l2_norms(u)
    return float(np.mean(problem.sample_weight * distances * norms))
