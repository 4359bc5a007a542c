"""Pairwise Frank-Wolfe: weight moves from the worst active vertex to the best one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.correction import corrected
from fenchel.solvers.frank_wolfe.oracle import BOUNDED, POLYTOPE, settled
from fenchel.solvers.frank_wolfe.vertex_weights import (
    WeightsState,
    follow,
    pairwise,
    slopes,
    start_weights,
    vertices_of,
)
from fenchel.solvers.requirements import SMOOTH
from fenchel.typing import FloatArray

__all__ = ["PairwiseFrankWolfe"]

_FALL = 0.01
"""Of the gap, what ends an epoch: a certificate costs as much as a step."""


@dataclass(frozen=True)
class PairwiseFrankWolfe(Solver[WeightsState]):
    r"""Pairwise Frank-Wolfe with line search and corrections, on the l1 ball and the simplex.

    .. math:: w = \sum_s \alpha_s s, \qquad w \leftarrow w + t\,(s - a), \quad 0 \le t \le \alpha_a, \qquad
        s = \arg\min_x \langle \nabla f(w), x\rangle + c(x), \quad
        a = \arg\max_{\alpha_x > 0} \langle \nabla f(w), x\rangle + c(x)

    over the vertices x and their costs c, which carry an l1 penalty. From the same gradient a second
    direction leads to the minimiser of a quadratic model of P on the active vertices and the best new ones;
    of the two, the one that lowers P more is taken.

    Parameters
    ----------
    largest_model : int, default 400
        The active vertices in the model, at most; 0 leaves the second direction out, which is [1]_.
    steps_per_epoch : int, default 10
        A tenth of all steps so far is added. An epoch ends before, once the gap
        :math:`\langle \nabla f(w), w - s\rangle`, which the gradient tells, is a hundredth of its first.

    Notes
    -----
    To the precision of the line search, no step lowers P less than that of [1]_, which converges linearly;
    near the optimum the model does much better. An unweighted L1 gets the redundant radius
    :math:`P(0)/\lambda`; an intercept is minimised over exactly after every step. Cost of a step: a pass for
    the gradient, the moving columns, their rows some five times, and for the model with m vertices the
    squared rows of m columns and :math:`O(m^3)` for every vertex that comes or goes. A step counts n gradient
    calls and one lmo call. Memory O(n + d + m^2).

    References
    ----------
    .. [1] Lacoste-Julien and Jaggi, On the global linear convergence of Frank-Wolfe optimization variants,
       2015, Algorithm 2.
    .. [2] Carderera and Pokutta, Second-order conditional gradient sliding, 2020: the quadratic model.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import PairwiseFrankWolfe, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import L1Ball
    >>> result = solve(Problem(np.eye(2), [3.0, 2.5], Squared(), L1Ball(1.0)), PairwiseFrankWolfe())
    >>> result.w, result.status.solved
    (array([0.75, 0.25]), True)
    """

    name: ClassVar[str] = "pairwise_frank_wolfe"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, POLYTOPE)

    largest_model: int = 400
    steps_per_epoch: int = 10

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> WeightsState:
        """Start from ``start.w``; else from zero, or from a vertex of the simplex."""
        return start_weights(problem, start, rng)

    def run_epoch(self, problem: Problem, state: WeightsState) -> None:
        """Some steps, fewer where the gap falls fast."""
        vertices, enough = vertices_of(problem), 0.0
        for _ in range(self.steps_per_epoch + state.iteration // 10):
            found = slopes(problem, vertices, state)
            directions = [pairwise(state, found)]
            if self.largest_model > 0:
                directions.append(corrected(problem, vertices, state, found, self.largest_model))
            gap = found.gap(state.weights)
            follow(problem, vertices, state, found, directions)
            enough = enough or _FALL * gap
            if gap <= enough:
                break

    def extract(self, problem: Problem, state: WeightsState) -> tuple[FloatArray, None]:
        """The point of the weights."""
        return settled(problem, state.point(vertices_of(problem))), None
