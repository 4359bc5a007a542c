"""The state of GSFW, and its iterations for the three kinds of sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels.gsfw import SubstituteArrays, gsfw_ray_pass, gsfw_vertex_pass
from fenchel._kernels.losses import KernelLoss
from fenchel.problem.problem import Problem
from fenchel.regularizers.base import LinearlyMinimizable, Polytope, Radial, Regularizer
from fenchel.solvers.frank_wolfe.oracle import OracleState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SubstituteState", "iterate"]


@dataclass
class SubstituteState(OracleState):
    r"""Predictions, their derivatives and the substitute gradient; the averages; the best dual points.

    ``best_dual`` is the largest D at the beginning of any iteration, a certificate that costs nothing;
    ``kept_u`` is the best dual point at the end of an epoch, and ``kept_dual`` its value.
    """

    iteration: int
    prediction: FloatArray
    u: FloatArray
    v: FloatArray
    numerator: FloatArray
    total: float
    u_total: FloatArray
    u_since: FloatArray
    best_dual: float
    kept_u: FloatArray
    kept_dual: float


def iterate(
    problem: Problem,
    regularizer: Regularizer,
    state: SubstituteState,
    batches: IndexArray,
    step: FloatArray,
    weight: FloatArray,
) -> None:
    """One iteration a batch: in the kernels where a best response is sparse or a multiple of v, else here."""
    ray = regularizer.ray if isinstance(regularizer, Radial) else None
    known = problem.loss.compiled and not problem.loss.vector_output
    if known and (isinstance(regularizer, Polytope) or ray is not None):
        loss = KernelLoss(problem.loss.name, problem.loss.parameters)
        arrays, rows = _arrays(problem, state, batches, step, weight), problem.design.rows
        if isinstance(regularizer, Polytope):
            hull = regularizer.vertices
            entries = gsfw_vertex_pass(rows, loss, arrays, hull.radius, hull.penalty, hull.signed)
        else:
            assert ray is not None
            entries = gsfw_ray_pass(rows, loss, arrays, ray.radius, ray.l2)
        dual = arrays.dual
    else:
        dual, entries = _formed(problem, regularizer, state, batches, step, weight)
    state.entries_read += entries
    state.iteration += len(batches)
    state.total += float(weight.sum())
    state.gradient_calls += batches.size
    state.lmo_calls += len(batches)
    state.best_dual = max(state.best_dual, float(dual.max()))


def _arrays(
    problem: Problem, state: SubstituteState, batches: IndexArray, step: FloatArray, weight: FloatArray
) -> SubstituteArrays:
    return SubstituteArrays(
        batches=batches,
        b=problem.b,
        sample_weight=problem.sample_weight,
        step=step,
        weight=weight,
        clock=state.total,
        mean_conjugate=problem.mean_conjugate(state.u),
        prediction=state.prediction,
        u=state.u,
        v=state.v,
        numerator=state.numerator,
        u_total=state.u_total,
        u_since=state.u_since,
        dual=np.empty(len(batches)),
    )


def _formed(
    problem: Problem,
    regularizer: Regularizer,
    state: SubstituteState,
    batches: IndexArray,
    step: FloatArray,
    weight: FloatArray,
) -> tuple[FloatArray, int]:
    """The iterations with best responses that are formed: groups, boxes, matrices, losses without kernel."""
    assert isinstance(regularizer, LinearlyMinimizable)
    loss, everything = problem.loss, np.arange(problem.n_coordinates)
    dual, clock, entries = np.empty(len(batches)), state.total, 0
    mean_conjugate = problem.mean_conjugate(state.u)
    for t, batch in enumerate(batches):
        x = regularizer.lmo(state.v)
        dual[t] = -regularizer.conjugate(-state.v) - mean_conjugate
        clock += weight[t]
        state.numerator += weight[t] * x
        rows, b = problem.design.submatrix(batch, everything), problem.b[batch]
        share = problem.sample_weight[batch] / problem.n_samples
        old = state.u[batch]
        held = clock - state.u_since[batch]
        state.u_total[batch] += old * (held if b.ndim == 1 else held[:, None])
        state.u_since[batch] = clock
        state.prediction[batch] += step[t] * (rows.matvec(x) - state.prediction[batch])
        new = loss.gradient(state.prediction[batch], b)
        state.v += rows.rmatvec((share if b.ndim == 1 else share[:, None]) * (new - old))
        mean_conjugate += float(share @ (loss.conjugate(new, b) - loss.conjugate(old, b)))
        state.u[batch] = new
        entries += 2 * rows.n_entries
    return dual, entries
