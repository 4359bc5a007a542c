"""Away-step Frank-Wolfe: toward the best vertex, or away from the worst active one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.frank_wolfe.oracle import BOUNDED, POLYTOPE, settled
from fenchel.solvers.frank_wolfe.vertex_weights import (
    Direction,
    Slopes,
    WeightsState,
    follow,
    slopes,
    start_weights,
    vertices_of,
)
from fenchel.solvers.requirements import SMOOTH
from fenchel.typing import FloatArray

__all__ = ["AwayFrankWolfe"]


@dataclass(frozen=True)
class AwayFrankWolfe(Solver[WeightsState]):
    r"""Frank-Wolfe with away steps and exact line search, on the l1 ball and the simplex.

    .. math:: w \leftarrow w + t (s - w), \; t \le 1 \qquad \text{or} \qquad
        w \leftarrow w + t (w - a), \; t \le \frac{\alpha_a}{1 - \alpha_a},

    whichever descends faster at w; s is the best vertex, a the worst of those with weight
    :math:`\alpha_a > 0`, and the largest t of the second step drops a.

    Parameters
    ----------
    steps_per_epoch : int, default 10
        A tenth of all steps so far is added.

    Notes
    -----
    Converges linearly on a polytope; serves what ``PairwiseFrankWolfe`` serves. Cost of a step: a pass for
    the gradient, one column, and O(n) some five times. A step counts n gradient calls and one lmo call.

    References
    ----------
    Guelat and Marcotte, Some comments on Wolfe's away step, 1986; Lacoste-Julien and Jaggi, On the global
    linear convergence of Frank-Wolfe optimization variants, 2015, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import AwayFrankWolfe, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import Simplex
    >>> result = solve(Problem(np.eye(2), [3.0, 2.5], Squared(), Simplex()), AwayFrankWolfe())
    >>> result.w.round(6), result.status.solved
    (array([0.75, 0.25]), True)
    """

    name: ClassVar[str] = "away_frank_wolfe"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, BOUNDED, POLYTOPE)

    steps_per_epoch: int = 10

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> WeightsState:
        """Start from ``start.w``; else from zero, or from a vertex of the simplex."""
        return start_weights(problem, start, rng)

    def run_epoch(self, problem: Problem, state: WeightsState) -> None:
        """Some steps."""
        vertices = vertices_of(problem)
        for _ in range(self.steps_per_epoch + state.iteration // 10):
            found = slopes(problem, vertices, state)
            follow(problem, vertices, state, found, [_steeper(state, found)])

    def extract(self, problem: Problem, state: WeightsState) -> tuple[FloatArray, None]:
        """The point of the weights."""
        return settled(problem, state.point(vertices_of(problem))), None


def _steeper(state: WeightsState, found: Slopes) -> Direction:
    """Toward the best vertex or away from the worst, whichever has the steeper slope."""
    weights = state.weights
    here, weight = float(found.values @ weights), float(weights[found.away])
    if here - found.values[found.toward] >= found.values[found.away] - here or weight >= 1.0:
        change = -weights
        change[found.toward] += 1.0
        return Direction(change, 1.0)
    change = weights.copy()
    change[found.away] -= 1.0
    return Direction(change, weight / (1.0 - weight))
