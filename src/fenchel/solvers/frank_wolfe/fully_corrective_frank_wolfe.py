"""Fully corrective Frank-Wolfe on a set of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.optimize

from fenchel.numerics.simplex_quadratic import simplex_quadratic
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.requirements import MATRIX_SET, SMOOTH
from fenchel.typing import FloatArray

__all__ = ["FullyCorrectiveFrankWolfe", "FullyCorrectiveState"]


@dataclass
class FullyCorrectiveState(State):
    """The points that the oracle gave, one a row, their scores, and their weights: of sum one."""

    growing: ClassVar[Mapping[str, int]] = {"points": 0, "scores": 0, "weights": 0}

    points: FloatArray
    scores: FloatArray
    weights: FloatArray

    @property
    def w(self) -> FloatArray:
        """The weighted mean of the points, flat."""
        return self.weights @ self.points


@dataclass(frozen=True)
class FullyCorrectiveFrankWolfe(Solver[FullyCorrectiveState]):
    r"""Frank-Wolfe that minimises over the hull of all points which the oracle gave.

    .. math:: s_k = \arg\min_{s \in C} \langle \nabla f(W), s \rangle, \qquad
              W = \sum_j \alpha_j s_j, \quad
              \alpha = \arg\min_{\alpha \ge 0, \, \sum_j \alpha_j = 1} f\Bigl(\sum_j \alpha_j s_j\Bigr)

    The weights come from the quadratic model of f at the last ones, by active sets, and an exact search along
    the way to its minimiser; for the squared loss that is the minimiser itself. Points without weight are
    dropped. Zero is the first point.

    Notes
    -----
    For designs whose coefficients are a dense matrix (:class:`fenchel.design.BilinearDesign`) in a set with
    an lmo, such as :class:`fenchel.regularizers.RowColumnBall`. Linear convergence on a polytope. A step
    costs two products with A, an lmo, and O(n k + k^3) for k points; memory O(k (n + d)).

    Parameters
    ----------
    steps_per_epoch : int, default 1

    References
    ----------
    .. [1] S. Lacoste-Julien and M. Jaggi, "On the global linear convergence of Frank-Wolfe optimization
       variants", Advances in Neural Information Processing Systems 28, 2015, Algorithm 4.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import FullyCorrectiveFrankWolfe, Problem, solve
    >>> from fenchel.design import BilinearDesign
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import RowColumnBall
    >>> M = np.array([[1.0, 2.0], [0.0, 1.0]])
    >>> problem = Problem(BilinearDesign(M), M.ravel(), Squared(), RowColumnBall(0.5))
    >>> result = solve(problem, FullyCorrectiveFrankWolfe())
    >>> result.status.solved, result.w.shape, problem.regularizer.value(result.w)
    (True, (2, 2), 0.0)
    """

    name: ClassVar[str] = "fully_corrective_frank_wolfe"
    requires: ClassVar[tuple[Requirement, ...]] = (SMOOTH, MATRIX_SET)

    steps_per_epoch: int = 1

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> FullyCorrectiveState:
        """Begin with zero, and the start if it lies in the set; with the best weights of the two."""
        points = [np.zeros(problem.primal_shape)]
        if start.w is not None and problem.regularizer.value(start.w) < np.inf:
            points.append(start.w)
        weights = np.zeros(len(points))
        weights[-1] = 1.0
        return FullyCorrectiveState(
            rng=rng,
            entries_read=len(points) * problem.design.n_entries,
            points=np.stack([point.ravel() for point in points]),
            scores=np.stack([problem.scores(point) for point in points]),
            weights=weights,
        )

    def run_epoch(self, problem: Problem, state: FullyCorrectiveState) -> None:
        """Some calls of the oracle, each with a correction of all weights."""
        for _ in range(self.steps_per_epoch):
            gradient = problem.loss.gradient(state.weights @ state.scores, problem.b)
            point = problem.primal_point(gradient)
            state.points = np.vstack([state.points, point.ravel()])
            state.scores = np.vstack([state.scores, problem.scores(point)])
            state.weights = np.append(state.weights, 0.0)
            state.entries_read += 2 * problem.design.n_entries
            state.weights = _corrected(problem, state)
            kept = state.weights > 0
            state.points, state.scores = state.points[kept], state.scores[kept]
            state.weights = state.weights[kept]

    def extract(self, problem: Problem, state: FullyCorrectiveState) -> tuple[FloatArray, None]:
        """The weighted mean of the points."""
        return state.w.reshape(problem.primal_shape), None


def _corrected(problem: Problem, state: FullyCorrectiveState) -> FloatArray:
    """The weights that minimise the quadratic model at the present ones, as far along as P falls."""
    z = state.weights @ state.scores
    share = problem.sample_weight / problem.n_samples
    slope = state.scores @ (share * problem.loss.gradient(z, problem.b))
    model = (state.scores * (share * problem.loss.curvature(z, problem.b))) @ state.scores.T
    target = simplex_quadratic(model, slope - model @ state.weights, state.weights)
    move = (target - state.weights) @ state.scores

    def loss(step: float) -> float:
        return float(share @ problem.loss.value(z + step * move, problem.b))

    searched = float(scipy.optimize.minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded").x)
    # The whole step is exact for a squared loss, and the only one that takes weights to zero.
    step = min(1.0, searched, key=loss)
    return state.weights + step * (target - state.weights)
