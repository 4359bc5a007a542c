"""Proximal Newton steps for a smooth loss with several outputs and few coefficients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.coordinate import along
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.full.quadratic_model import QuadraticModel
from fenchel.solvers.requirements import SEPARABLE, SMOOTH, VECTOR
from fenchel.typing import FloatArray

__all__ = ["MulticlassNewton", "MulticlassNewtonState"]

_MOST_COEFFICIENTS = 2_000
_SUFFICIENT = 1e-4
"""The share of the predicted fall that a step must give."""
_HALVINGS = 30
_SHORT, _LEAST_DAMPING = 0.1, 1e-4
"""A step below the first raises the damping, which begins and ends at the second."""
_ROUNDING = 64 * float(np.finfo(float).eps)

FEW = Requirement(
    holds=lambda problem: problem.n_coordinates * problem.b[0].size <= _MOST_COEFFICIENTS,
    reason=lambda problem: (
        f"it factors a matrix with a row for each of at most {_MOST_COEFFICIENTS} coefficients, and there "
        f"are {problem.n_coordinates * problem.b[0].size}"
    ),
    way_out="Use solver='multiclass_sdca' or solver='proximal_gradient'.",
)


@dataclass
class MulticlassNewtonState(State):
    """The coefficients, their scores, and the share of the largest curvature that is added to the Hessian."""

    w: FloatArray
    z: FloatArray
    damping: float


@dataclass(frozen=True)
class MulticlassNewton(Solver[MulticlassNewtonState]):
    r"""Proximal Newton with the whole Hessian of all classes.

    .. math::
        x = \arg\min_x \; \langle \nabla f(w), x - w \rangle + \tfrac12 \|x - w\|_H^2 + g(x), \qquad
        w \leftarrow w + t (x - w),

    with f the mean loss and H its second derivative at w, of the size of all coefficients together; t is 1,
    or halved until P falls by a share of what the model promises; after a short step a share of the largest
    curvature that the loss can have is added to the diagonal of H, until steps are long again. Where g is
    quadratic x comes from one Cholesky factorisation. Else the model is a squared loss on the factor of H,
    with as many rows as there are coefficients, which :class:`~fenchel.PrimalCD` solves without the data.
    With an intercept the columns are centred, which changes no optimum.

    Notes
    -----
    Serves smooth losses with several outputs (softmax, the squared loss) and every separable regularizer,
    with at most 2,000 coefficients in all. The steps do not feel the scales of the columns, nor how weak the
    penalty is. Cost of a step, which is an epoch: the Gram matrices of the columns for all pairs of outputs,
    :math:`O(n d^2 k^2)`, counted as :math:`d / 2` passes; :math:`O(d^3 k^3)` for the factor; and two passes
    or more for the slope and the search. Memory :math:`O(d^2 k^2 + n k)`.

    References
    ----------
    J. D. Lee, Y. Sun and M. A. Saunders, Proximal Newton-type methods for minimizing composite functions,
    SIAM Journal on Optimization 24, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MulticlassNewton, Problem, solve
    >>> from fenchel.losses import Softmax
    >>> from fenchel.regularizers import Ridge
    >>> problem = Problem(1e3 * np.eye(3), np.eye(3), Softmax(), Ridge(1e-3))
    >>> result = solve(problem, MulticlassNewton())
    >>> result.status.solved
    True
    """

    name: ClassVar[str] = "multiclass_newton"
    requires: ClassVar[tuple[Requirement, ...]] = (VECTOR, SMOOTH, SEPARABLE, FEW)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> MulticlassNewtonState:
        """Start from ``start.w``, or from zero with the best unpenalised coordinates."""
        form = problem.coordinate_form
        first = np.zeros(problem.primal_shape) if start.w is None else start.w
        w = np.clip(first, along(form.lower, first), along(form.upper, first))
        if start.w is None:
            w = minimise_free(problem, w)
        return MulticlassNewtonState(rng=rng, entries_read=0, w=w, z=problem.scores(w), damping=0.0)

    def run_epoch(self, problem: Problem, state: MulticlassNewtonState) -> None:
        """One step."""
        slope = problem.correlation(problem.loss.gradient(state.z, problem.b))
        model = QuadraticModel.at(problem, state.w, state.z, slope, state.damping)
        aim = model.minimiser(problem, state.rng)
        state.entries_read += problem.design.n_entries + model.entries
        step = self._search(problem, state, slope, aim)
        # Far from the optimum softmax is flat: a model without curvature aims too far for any search.
        damping = 4.0 * max(state.damping, _LEAST_DAMPING) if step < _SHORT else 0.25 * state.damping
        state.damping = damping if damping >= _LEAST_DAMPING else 0.0

    def extract(self, problem: Problem, state: MulticlassNewtonState) -> tuple[FloatArray, None]:
        """The coefficients; the certificate takes its dual point from their scores."""
        return state.w.copy(), None

    def _search(
        self, problem: Problem, state: MulticlassNewtonState, slope: FloatArray, aim: FloatArray
    ) -> float:
        """Go toward ``aim`` as far as P falls by a share of what the model promises; return it, or 0."""
        form = problem.coordinate_form
        lower, upper = along(form.lower, aim), along(form.upper, aim)
        move = aim - state.w
        value = problem.primal_at_scores(state.w, state.z)
        promised = float(np.sum(slope * move)) + form.value(aim) - form.value(state.w)
        rounding = _ROUNDING * abs(value)
        for halving in range(_HALVINGS):
            step = 0.5**halving
            w = aim if halving == 0 else np.clip(state.w + step * move, lower, upper)
            z = problem.scores(w)
            state.entries_read += problem.design.n_entries
            # Where the fall drowns in the rounding of P, the slopes that gave the step still tell.
            slack = rounding if -promised <= rounding else _SUFFICIENT * step * promised
            if problem.primal_at_scores(w, z) <= value + slack:
                state.w, state.z = w, z
                return float(step)
        return 0.0
