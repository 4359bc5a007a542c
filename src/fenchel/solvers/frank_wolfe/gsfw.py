"""Generalised stochastic Frank-Wolfe with a substitute gradient."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.problem.problem import Problem
from fenchel.regularizers.base import Regularizer
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.batches import batch_size, check_fraction, draw_batches
from fenchel.solvers.frank_wolfe.oracle import BOUNDED, NO_INTERCEPT, first_prediction, responding, settled
from fenchel.solvers.frank_wolfe.step_rule import GeometricRule, HarmonicRule, batch_sigma
from fenchel.solvers.frank_wolfe.substitute import SubstituteState, iterate
from fenchel.solvers.requirements import SMOOTH
from fenchel.solvers.stochastic.averages import lazy_average
from fenchel.typing import FloatArray

__all__ = ["GSFW"]

_FEWEST = 10
"""Iterations in a pass, for batches of most rows."""


@dataclass(frozen=True)
class GSFW(Solver[SubstituteState]):
    r"""GSFW: best responses to a gradient that is refreshed a batch of rows at a time.

    .. math:: x^t = \arg\min_x \langle v, x \rangle + g(x), \qquad
        p_i \leftarrow (1 - \eta_t) p_i + \eta_t \langle a_i, x^t \rangle, \quad
        u_i \leftarrow \phi_i'(p_i) \quad (i \in B_t), \qquad v = A'(s \circ u) / n,

    and the point is the average of the :math:`x^t` with weights :math:`\gamma_t`. With :math:`m = n/|B|`,

    .. math:: \eta_t = \frac{2m}{2m + t + 1}, \; \gamma_t = 2m + t \qquad \text{or} \qquad
        \eta_t = \frac1\sigma, \; \gamma_t = \Bigl(\frac{m\sigma}{m\sigma - 1}\Bigr)^t, \quad
        \sigma = 1 + \frac{\max_B \sum_{i \in B} s_i |a_i|^2}{\gamma n \mu},

    the first rule for any set, the second under a :math:`\mu`-strongly convex g. In u this is randomised
    mirror descent on D, whose reference function is the mean conjugate.

    Parameters
    ----------
    batch : float in (0, 1], default 0.01
        The rows of a batch, as a share of n; drawn without replacement. With 1 nothing is random.
    sigma : float > 1, optional
        The constant of the second rule.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    The dual point is the best of the last u and the average of all at the end of every epoch;
    ``result.state.best_dual`` is the largest D at any iteration. Cost of an iteration: the entries of the
    batch, and a scan of v on an l1 ball or a simplex; best responses that are multiples of v (ridge, l2
    ball) are never formed. On other sets NumPy forms them. An iteration counts a gradient call a row of the
    batch and one lmo call, the first v counts n. An epoch is one pass at first, a tenth of all passes so far
    later. Memory O(n + d). An intercept is refused: it has no best response.

    References
    ----------
    Lu and Freund, Generalized stochastic Frank-Wolfe algorithm with stochastic "substitute" gradient for
    structured convex optimization, Mathematical Programming 187, 2021, Algorithm 1 and Theorems 3.1 and 3.2;
    the sigma of a batch replaces that of Remark 3.4, with which large batches can diverge.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import GSFW, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import Ridge
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), Ridge(0.5))
    >>> solve(problem, GSFW(batch=0.5), stopping=MaxPasses(200)).w.round(4)
    array([1.5, 0.5])
    """

    name: ClassVar[str] = "gsfw"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, NO_INTERCEPT)

    batch: float = 0.01
    sigma: float | None = None

    def __post_init__(self) -> None:
        """Refuse a batch that is not a share, and a sigma below one."""
        check_fraction(self.batch)
        if self.sigma is not None and not 1.0 < self.sigma < np.inf:
            raise InvalidInputError(
                f"sigma={self.sigma!r} is not a finite number > 1. Give none, or a larger one."
            )

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SubstituteState:
        """Predict by ``start.w``, or zero; one gradient."""
        prediction, u = first_prediction(problem, start)
        return SubstituteState(
            rng=rng,
            entries_read=0,
            gradient_calls=problem.n_samples,
            lmo_calls=0,
            iteration=0,
            prediction=prediction,
            u=u,
            v=problem.correlation(u),
            numerator=np.zeros(problem.primal_shape) if start.w is None else start.w.copy(),
            total=0.0,
            u_total=np.zeros_like(u),
            u_since=np.zeros(problem.n_samples),
            best_dual=-np.inf,
            kept_u=u.copy(),
            kept_dual=-np.inf,
        )

    def run_epoch(self, problem: Problem, state: SubstituteState) -> None:
        """Some passes, and a look at both dual points."""
        regularizer, size = responding(problem), batch_size(problem.n_samples, self.batch)
        count = max(ceil(problem.n_samples / size), _FEWEST)
        if state.iteration == 0:
            state.numerator[:] = 0.0
        rule = self._rule(problem, regularizer, size)
        for _ in range(1 + state.iteration // (10 * count)):
            batches = draw_batches(state.rng, problem.n_samples, size, count)
            _divide(state, rule.scale(state.iteration, count))
            iterate(problem, regularizer, state, batches, *rule.next(state.iteration, count))
        # The increments of many passes have rounded.
        state.v[:] = problem.correlation(state.u)
        state.entries_read += problem.design.n_entries
        _keep_better(problem, regularizer, state)

    def extract(self, problem: Problem, state: SubstituteState) -> tuple[FloatArray, FloatArray]:
        """The average of the best responses, and the best dual point."""
        return settled(problem, state.numerator / (state.total or 1.0)), state.kept_u.copy()

    def _rule(self, problem: Problem, regularizer: Regularizer, size: int) -> HarmonicRule | GeometricRule:
        modulus, m = regularizer.strong_convexity(problem.n_features), problem.n_samples / size
        if modulus == 0.0:
            return HarmonicRule(m)
        return GeometricRule(m, batch_sigma(problem, modulus, size) if self.sigma is None else self.sigma)


def _divide(state: SubstituteState, scale: float) -> None:
    """Divide all weights of the past, so that they never overflow."""
    state.total /= scale
    for sums in (state.numerator, state.u_total, state.u_since):
        sums /= scale


def _keep_better(problem: Problem, regularizer: Regularizer, state: SubstituteState) -> None:
    """Keep the last u or the average of all if its D is the largest so far. Cost: a pass."""
    since = state.u_since if state.u.ndim == 1 else state.u_since[:, None]
    average = lazy_average(state.u, state.u_total, since, state.total)
    state.entries_read += problem.design.n_entries
    for u, v in ((state.u, state.v), (average, problem.correlation(average))):
        dual = -regularizer.conjugate(-v) - problem.mean_conjugate(u)
        if dual > state.kept_dual:
            state.kept_dual, state.kept_u = dual, u.copy()
    state.best_dual = max(state.best_dual, state.kept_dual)
