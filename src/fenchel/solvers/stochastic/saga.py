"""SAGA: every row remembers its last derivative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.row_gradient import saga_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.requirements import COMPILED, SEPARABLE, SMOOTH
from fenchel.solvers.stochastic.row_curvature import coordinate_metric, row_curvatures
from fenchel.solvers.stochastic.safeguard import EASY, FASTEST, SafeguardedState, accept, in_range
from fenchel.solvers.stochastic.step_size import check_step_size
from fenchel.typing import FloatArray

__all__ = ["SAGA", "SAGAState"]

_REFRESH = 10
"""Epochs."""


@dataclass
class SAGAState(SafeguardedState):
    """The point, the last derivative of every row, their mean gradient, and the steps."""

    metric: FloatArray


@dataclass(frozen=True)
class SAGA(Solver[SAGAState]):
    r"""SAGA: prox steps along the gradient of a random row, corrected by the last one of each row.

    .. math::
        w \leftarrow \mathrm{prox}_{h g}(w - h (v + s_i \delta a_i)), \qquad
        v \leftarrow v + \tfrac1n s_i \delta a_i, \qquad u_i \leftarrow u_i + \delta, \qquad
        \delta = \phi_i'(\langle a_i, w \rangle) - u_i

    with :math:`v = A'(s \circ u)/n`. The table u holds one number a row, and is a dual point. The step of
    the intercept is longer by the mean square length of a row.

    Parameters
    ----------
    step_size : float, optional
        The step h, fixed. By default :math:`1 / (3 L)`, the step of the paper, with L the largest
        :math:`s_i |a_i|^2 / \gamma`, the intercept's share included. A problem that takes more than ten
        epochs gets longer ones as long as they lower P; steps that raise it are taken back.

    Raises
    ------
    InvalidInputError
        If ``step_size`` is not a positive number.

    Notes
    -----
    Cost of a step: the stored entries of the row; the steps of a coordinate that no row touches are made
    together, in closed form, when one touches it. An epoch is one pass at first, up to ten later; from the
    eleventh on one more pass finds P. The table begins with the derivatives at the first point, for two
    passes. Memory O(n + d) beside the rows.

    References
    ----------
    Defazio, Bach and Lacoste-Julien, SAGA: a fast incremental gradient method with support for
    non-strongly convex composite objectives, 2014. A baseline of Tan, Zhang, Ma and Liu, Stochastic
    primal-dual method for empirical risk minimization with O(1) per-iteration complexity, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SAGA, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.75, 0.5))
    >>> solve(problem, SAGA()).w.round(2)
    array([0.75, 0.  ])
    """

    name: ClassVar[str] = "saga"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SMOOTH, SEPARABLE)

    step_size: float | None = None

    def __post_init__(self) -> None:
        """Refuse a step that is not a positive number."""
        check_step_size(self.step_size)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SAGAState:
        """Start from ``start.w``, or from zero, with the derivatives there or those of ``start.u``."""
        form = problem.coordinate_form
        w = start.primal_within(form)
        z = problem.scores(w)
        given = start.dual_within(problem)
        u = problem.loss.gradient(z, problem.b) if given is None else given
        metric = coordinate_metric(problem)
        largest = float(row_curvatures(problem, metric).max()) or 1.0
        step = 1.0 / (3.0 * largest) if self.step_size is None else self.step_size
        return SAGAState(
            rng=rng,
            entries_read=0,
            epoch=0,
            w=w,
            u=u,
            v=problem.correlation(u),
            primal=problem.primal_at_scores(w, z),
            step=step,
            least_step=step,
            growth=FASTEST if self.step_size is None else 1.0,
            metric=metric,
        )

    def run_epoch(self, problem: Problem, state: SAGAState) -> None:
        """Some passes of n random rows; later ones with longer steps, or taken back.

        The first epoch pays for the first table too.
        """
        if state.epoch == 0:
            state.entries_read += 2 * problem.design.n_entries
        w, u, v = state.w.copy(), state.u.copy(), state.v.copy()
        for _ in range(epoch_length(state.epoch)):
            self._pass(problem, state)
        state.epoch += 1
        if not self._accepted(problem, state):
            state.w[:], state.u[:], state.v[:] = w, u, v
        elif state.epoch % _REFRESH == 0:
            # The increments of many passes have rounded: take v afresh from u.
            state.v[:] = problem.correlation(state.u)
            state.entries_read += problem.design.n_entries

    def _accepted(self, problem: Problem, state: SAGAState) -> bool:
        if not in_range(state.w):
            return accept(problem, state, np.inf, growing=False)
        if state.epoch <= EASY or self.step_size is not None:
            return True
        state.entries_read += problem.design.n_entries
        return accept(problem, state, problem.primal_value(state.w), growing=True)

    def _pass(self, problem: Problem, state: SAGAState) -> None:
        state.entries_read += saga_pass(
            problem.design.rows,
            state.rng.integers(problem.n_samples, size=problem.n_samples),
            problem.kernel_loss,
            b=problem.b,
            sample_weight=problem.sample_weight,
            form=problem.coordinate_form,
            step=state.step * state.metric,
            u=state.u,
            v=state.v,
            w=state.w,
        )

    def extract(self, problem: Problem, state: SAGAState) -> tuple[FloatArray, FloatArray]:
        """Both points as they are."""
        return state.w.copy(), state.u.copy()
