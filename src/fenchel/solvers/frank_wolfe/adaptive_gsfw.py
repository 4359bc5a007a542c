"""Generalised stochastic Frank-Wolfe whose steps adapt to the curvature of every batch."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.batches import batch_size, check_fraction, draw_batches
from fenchel.solvers.frank_wolfe.oracle import (
    BOUNDED,
    NO_INTERCEPT,
    OracleState,
    best_response,
    first_prediction,
    settled,
    start_point,
)
from fenchel.solvers.frank_wolfe.step_rule import batch_sigma
from fenchel.solvers.requirements import SMOOTH
from fenchel.typing import FloatArray, IndexArray

__all__ = ["AdaptiveGSFW", "AdaptiveGSFWState"]

_SHRINKAGE = 0.9
"""Of sigma after a step that was accepted at once."""

STRONGLY_CONVEX = Requirement(
    holds=lambda problem: problem.regularizer.strong_convexity(problem.n_features) > 0,
    reason=lambda problem: (
        "it needs a strongly convex regularizer: without one D has kinks, where no step raises it"
    ),
    way_out="Use solver='gsfw' or solver='pairwise_frank_wolfe', or add an l2 part.",
)


@dataclass
class AdaptiveGSFWState(OracleState):
    """Predictions, their derivatives, the substitute gradient, the average, and the present sigma."""

    iteration: int
    prediction: FloatArray
    u: FloatArray
    v: FloatArray
    w: FloatArray
    sigma: float


@dataclass(frozen=True)
class AdaptiveGSFW(Solver[AdaptiveGSFWState]):
    r"""GSFW for a strongly convex g, with a sigma that is sought batch by batch.

    .. math:: p_i \leftarrow (1 - \tfrac1\sigma) p_i + \tfrac1\sigma \langle a_i, x \rangle, \quad
        u_i \leftarrow \phi_i'(p_i) \quad (i \in B), \qquad
        w \leftarrow (1 - \alpha) w + \alpha x, \quad
        \alpha = \max\Bigl(\tfrac{|B|}{n \sigma}, \tfrac1{t+1}\Bigr)

    with x the best response to v. A batch is accepted if, with :math:`\delta` the change of u and B the
    Bregman divergence of the mean conjugate,

    .. math:: D(u + \delta) \ge D(u) + \langle \nabla D(u), \delta \rangle - \sigma B(u + \delta, u),

    which makes D rise; else sigma is doubled, at most up to the bound of ``GSFW``, with which it always
    holds. After a step without doubling it shrinks by a tenth.

    Parameters
    ----------
    batch : float in (0, 1], default 0.01
        The rows of a batch, as a share of n; drawn without replacement.

    Raises
    ------
    InvalidInputError
        If ``batch`` is out of range.

    Notes
    -----
    Cost of a trial: the entries of the batch, and one best response, formed in O(d). A trial counts a
    gradient call a row of the batch and one lmo call. The dual point is the last one, the best by
    construction. Memory O(n + d). An intercept is refused.

    References
    ----------
    Algorithm 1 of Lu and Freund, Generalized stochastic Frank-Wolfe algorithm with stochastic "substitute"
    gradient for structured convex optimization, 2021, with backtracking on its relative smoothness.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import AdaptiveGSFW, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import Ridge
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), Ridge(0.5))
    >>> solve(problem, AdaptiveGSFW(batch=1.0), stopping=MaxPasses(300)).w.round(4)
    array([1.5, 0.5])
    """

    name: ClassVar[str] = "adaptive_gsfw"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, STRONGLY_CONVEX, NO_INTERCEPT)

    batch: float = 0.01

    def __post_init__(self) -> None:
        """Refuse a batch that is not a share."""
        check_fraction(self.batch)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> AdaptiveGSFWState:
        """Predict by ``start.w``, or zero; one gradient."""
        prediction, u = first_prediction(problem, start)
        return AdaptiveGSFWState(
            rng=rng,
            entries_read=0,
            gradient_calls=problem.n_samples,
            lmo_calls=0,
            iteration=0,
            prediction=prediction,
            u=u,
            v=problem.correlation(u),
            w=start_point(problem, start),
            sigma=1.0,
        )

    def run_epoch(self, problem: Problem, state: AdaptiveGSFWState) -> None:
        """Some passes, and v taken afresh."""
        size = batch_size(problem.n_samples, self.batch)
        largest = batch_sigma(problem, problem.regularizer.strong_convexity(problem.n_features), size)
        count = max(ceil(problem.n_samples / size), 10)
        for _ in range(1 + state.iteration // (10 * count)):
            for batch in draw_batches(state.rng, problem.n_samples, size, count):
                _step(problem, state, batch, largest)
        state.v[:] = problem.correlation(state.u)
        state.entries_read += problem.design.n_entries

    def extract(self, problem: Problem, state: AdaptiveGSFWState) -> tuple[FloatArray, FloatArray]:
        """The average of the best responses, and the last dual point."""
        return settled(problem, state.w), state.u.copy()


def _step(problem: Problem, state: AdaptiveGSFWState, batch: IndexArray, largest: float) -> None:
    """One batch: try, double sigma until D is smooth relative to the conjugates, and move."""
    response = best_response(problem, problem.regularizer, state.v)
    rows, b = problem.design.submatrix(batch, np.arange(problem.n_coordinates)), problem.b[batch]
    share = problem.sample_weight[batch] / problem.n_samples
    scores, old_p, old_u = rows.matvec(response), state.prediction[batch], state.u[batch]
    mean, support = _weighted(share, problem.loss.conjugate(old_u, b)), problem.conjugate(-state.v)
    state.entries_read += rows.n_entries
    sigma, tries = min(state.sigma, largest), 0
    while True:
        tries += 1
        new_p = old_p + (scores - old_p) / sigma
        new_u = problem.loss.gradient(new_p, b)
        move = new_u - old_u
        v = state.v + rows.rmatvec((share if b.ndim == 1 else share[:, None]) * move)
        state.entries_read += rows.n_entries
        state.gradient_calls += batch.size
        state.lmo_calls += 1
        grown = _weighted(share, problem.loss.conjugate(new_u, b)) - mean
        rise = support - problem.conjugate(-v) - grown
        divergence = grown - _weighted(share, old_p * move)
        bound = _weighted(share, (scores - old_p) * move) - sigma * divergence
        if rise >= bound - problem.rounding or sigma >= largest:
            break
        sigma = min(2.0 * sigma, largest)
    state.prediction[batch], state.u[batch], state.v = new_p, new_u, v
    state.iteration += 1
    pull = max(batch.size / (problem.n_samples * sigma), 1.0 / state.iteration)
    state.w += pull * (response - state.w)
    state.sigma = max(1.0, _SHRINKAGE * sigma) if tries == 1 else sigma


def _weighted(share: FloatArray, terms: FloatArray) -> float:
    """The weighted sum over the rows, of one number or several each."""
    return float(share @ (terms if terms.ndim == 1 else terms.sum(axis=1)))
