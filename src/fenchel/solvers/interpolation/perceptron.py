"""The perceptron, under the Euclidean norm and its relatives."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np

from fenchel._kernels.primal_mirror import perceptron_pass
from fenchel.errors import InvalidInputError
from fenchel.losses import MarginConstraint
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.interpolation.image_state import (
    ImageState,
    first_state,
    passes_of,
    response,
)
from fenchel.solvers.interpolation.setting import MIRRORED, UNSHIFTED, dual_point, map_arrays
from fenchel.solvers.stochastic.step_size import check_step_size
from fenchel.typing import FloatArray

__all__ = ["Perceptron"]

LABELLED = Requirement(
    holds=lambda problem: isinstance(problem.loss, MarginConstraint) and problem.design.visits_coordinates,
    reason=lambda problem: f"it learns from mistakes on labels, and {problem.loss.name!r} makes none",
    way_out="Use MarginConstraint, or solver='dual_ascent' for other constraints.",
)


@dataclass(frozen=True)
class Perceptron(Solver[ImageState]):
    r"""The perceptron: a row that is misclassified moves the image by its own features.

    .. math::
        b_i \langle x_i, w \rangle \le \text{margin}: \qquad t \leftarrow t + \gamma\, b_i x_i, \qquad
        w = \nabla g^*(t)

    With margin 0 it is Rosenblatt's for p = 2, the p-norm perceptron for p < 2, and Winnow's kin for the
    entropy; with margin 1 it is the stochastic subgradient method on the hinge. The moves of a row, added up,
    are a dual variable :math:`a_i` with :math:`b_i a_i \ge 0`, so that the dual value bounds the best margin.

    Parameters
    ----------
    margin : float, default 0.0
        At least 0. Rows whose label times score exceeds it do not move.
    step_size : float, optional
        How far a row moves the image. By default :math:`1 / \max_i L_i`. With margin 0 and a squared norm
        it only scales w.

    Raises
    ------
    InvalidInputError
        If ``margin`` is not a finite number of at least 0, or ``step_size`` not a positive number.

    Notes
    -----
    Serves ``MarginConstraint`` under ``SquaredLp``, ``Ridge`` without weights or ``RelativeEntropy``, with no
    free intercept. Rows are drawn with replacement. With margin 0 and the best margin
    :math:`1 / \|w^*\|_p` there are at most :math:`\max_i \|x_i\|_q^2 \|w^*\|_p^2 / (p - 1)` moves, whatever
    the order; it stops at any separating w and not at that of the largest margin. Certificates scale the
    answer until every margin is at least 1. Cost of a step: the stored entries of the row, twice if it moves;
    for p < 2 and the entropy powers or exponentials of them.

    References
    ----------
    .. [1] F. Rosenblatt, "The perceptron: a probabilistic model for information storage and organization in
       the brain", Psychological Review 65, 1958.
    .. [2] C. Gentile, "The robustness of the p-norm algorithms", Machine Learning 53(3), 2003. The baseline
       of A. Raj and F. Bach, AISTATS 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MaxPasses, Perceptron, Problem, solve
    >>> from fenchel.losses import MarginConstraint
    >>> from fenchel.regularizers import SquaredLp
    >>> A, b = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, 1.0]]), np.array([1.0, 1.0, -1.0])
    >>> problem = Problem(A, b, MarginConstraint(), SquaredLp(2.0))
    >>> state = solve(problem, Perceptron(), stopping=MaxPasses(50)).state
    >>> bool(np.all(b * (A @ state.t) > 0))
    True
    """

    name: ClassVar[str] = "perceptron"
    requires: ClassVar[tuple[Requirement, ...]] = (LABELLED, MIRRORED, UNSHIFTED)

    margin: float = 0.0
    step_size: float | None = None

    def __post_init__(self) -> None:
        """Refuse a margin below 0, and a step that is not a positive number."""
        check_step_size(self.step_size)
        given: object = self.margin
        margin = float(given) if isinstance(given, Real) else np.nan
        if isinstance(given, bool) or not 0.0 <= margin < np.inf:
            raise InvalidInputError(
                f"margin={given!r} is not a finite number of at least 0. Use 0 for the perceptron, or 1 for "
                "the hinge."
            )

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> ImageState:
        """Start from the dual point of ``start``, or from zero."""
        state = first_state(problem, start, rng)
        moving = state.step > 0.0
        if moving.any():
            state.step[moving] = state.step[moving].min() if self.step_size is None else self.step_size
        return state

    def run_epoch(self, problem: Problem, state: ImageState) -> None:
        """Some passes of random rows, one at first, up to ten later."""
        mirror = map_arrays(problem)
        for order in passes_of(state, np.flatnonzero(state.step)):
            state.entries_read += perceptron_pass(
                problem.design.rows,
                order,
                problem.b,
                step=state.step,
                margin=float(self.margin),
                mirror=mirror,
                a=state.a,
                t=state.t,
            )
        state.epoch += 1

    def extract(self, problem: Problem, state: ImageState) -> tuple[FloatArray, FloatArray]:
        """The point and the moves, whose best multiples the certificate takes."""
        return response(problem, state.t), dual_point(problem, state.a)
