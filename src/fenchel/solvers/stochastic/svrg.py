"""Stochastic variance reduced gradient, with a prox and a safeguard on its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.row_gradient import svrg_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.requirements import COMPILED, SEPARABLE, SMOOTH
from fenchel.solvers.stochastic.row_curvature import coordinate_metric, row_curvatures
from fenchel.solvers.stochastic.safeguard import EASY, FASTEST, SafeguardedState, accept, in_range
from fenchel.solvers.stochastic.step_size import check_step_size
from fenchel.typing import FloatArray

__all__ = ["SVRG", "SVRGState"]

_LONGEST, _SAFE = 1.0, 0.25
"""The first step and the smallest, in units of 1 / L; the theory covers steps below 1 / (4 L)."""
_UNEVEN = 2.0
"""Rows are drawn in proportion to L_i where the largest is this many times the mean."""


@dataclass
class SVRGState(SafeguardedState):
    """The snapshot with its derivatives and mean gradient, the steps, and how rows are drawn."""

    snapshots: int
    metric: FloatArray
    uneven: bool
    probability: FloatArray


@dataclass(frozen=True)
class SVRG(Solver[SVRGState]):
    r"""SVRG: prox steps along the gradient of a random row, corrected by a snapshot of all rows.

    .. math::
        w \leftarrow \mathrm{prox}_{h g}\Bigl(w - h \bigl(v + \tfrac{s_i}{n p_i}
        (\phi_i'(\langle a_i, w \rangle) - u_i)\, a_i\bigr)\Bigr), \qquad
        u = \phi'(A \tilde w), \quad v = A'(s \circ u)/n

    with the snapshot :math:`\tilde w` taken every n steps, at the last point. Its u is a dual point, and
    proves how good the snapshot is without another look at the data. The step of the intercept is longer
    by the mean square length of a row.

    Parameters
    ----------
    step_size : float, optional
        The step h, fixed. By default it begins at 1 / L, and is halved, down to the 1 / (4 L) of the
        theory, whenever n steps have raised P; those steps are taken back. After ten snapshots it grows as
        long as P falls. L is the largest :math:`L_i = s_i |a_i|^2 / \gamma`, the intercept's share
        included, or their mean where rows are drawn in proportion to them, which is done where the largest
        is above twice the mean.

    Raises
    ------
    InvalidInputError
        If ``step_size`` is not a positive number.

    Notes
    -----
    Cost of a step: the stored entries of the row; the steps of a coordinate that no row touches are made
    together, in closed form, when one touches it. A snapshot reads every entry twice, so n steps are three
    passes. An epoch is one snapshot at first, up to ten later. Memory O(n + d) beside the rows.

    References
    ----------
    Johnson and Zhang, Accelerating stochastic gradient descent using predictive variance reduction, 2013;
    Xiao and Zhang, A proximal stochastic gradient method with progressive variance reduction, 2014. A
    baseline of Tan, Zhang, Ma and Liu, Stochastic primal-dual method for empirical risk minimization with
    O(1) per-iteration complexity, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SVRG, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.75, 0.5))
    >>> solve(problem, SVRG()).w.round(2)
    array([0.75, 0.  ])
    """

    name: ClassVar[str] = "svrg"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SMOOTH, SEPARABLE)

    step_size: float | None = None

    def __post_init__(self) -> None:
        """Refuse a step that is not a positive number."""
        check_step_size(self.step_size)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SVRGState:
        """A snapshot at ``start.w``, or at zero."""
        form, n = problem.coordinate_form, problem.n_samples
        w = start.primal_within(form)
        metric = coordinate_metric(problem)
        curvature = row_curvatures(problem, metric)
        uneven = bool(curvature.max() > _UNEVEN * curvature.mean())
        probability = curvature / curvature.sum() if uneven else np.full(n, 1.0 / n)
        # The largest L_i / (n p_i).
        largest = float(curvature.mean() if uneven else curvature.max()) or 1.0
        z = problem.scores(w)
        u = problem.loss.gradient(z, problem.b)
        return SVRGState(
            rng=rng,
            entries_read=0,
            epoch=0,
            snapshots=0,
            w=w,
            u=u,
            v=problem.correlation(u),
            primal=problem.primal_at_scores(w, z),
            step=_LONGEST / largest if self.step_size is None else self.step_size,
            least_step=_SAFE / largest if self.step_size is None else self.step_size,
            growth=FASTEST if self.step_size is None else 1.0,
            metric=metric,
            uneven=uneven,
            probability=probability,
        )

    def run_epoch(self, problem: Problem, state: SVRGState) -> None:
        """Some times n steps and a snapshot; the first epoch pays for the first snapshot too."""
        if state.epoch == 0:
            state.entries_read += 2 * problem.design.n_entries
        for _ in range(epoch_length(state.epoch)):
            w = state.w.copy()
            self._steps(problem, state, w)
            self._take_snapshot(problem, state, w)
        state.epoch += 1

    def extract(self, problem: Problem, state: SVRGState) -> tuple[FloatArray, FloatArray]:
        """The snapshot, and the derivatives of the losses there."""
        return state.w.copy(), state.u.copy()

    def _steps(self, problem: Problem, state: SVRGState, w: FloatArray) -> None:
        """As many steps as there are rows, from the snapshot; they move ``w``."""
        n, p = problem.n_samples, state.probability
        order = state.rng.choice(n, size=n, p=p) if state.uneven else state.rng.integers(n, size=n)
        factor = np.divide(problem.sample_weight, n * p, out=np.zeros(n), where=p > 0)
        state.entries_read += svrg_pass(
            problem.design.rows,
            order,
            problem.kernel_loss,
            b=problem.b,
            factor=factor,
            form=problem.coordinate_form,
            step=state.step * state.metric,
            u=state.u,
            v=state.v,
            w=w,
        )

    def _take_snapshot(self, problem: Problem, state: SVRGState, w: FloatArray) -> None:
        """Take ``w``, or the old snapshot again with half the step."""
        z, primal = state.u, np.inf
        if in_range(w):
            z = problem.scores(w)
            primal = problem.primal_at_scores(w, z)
            state.entries_read += problem.design.n_entries
        if not accept(problem, state, primal, growing=state.snapshots > EASY):
            return
        state.w[:], state.u[:] = w, problem.loss.gradient(z, problem.b)
        state.v[:] = problem.correlation(state.u)
        state.entries_read += problem.design.n_entries
        state.snapshots += 1
