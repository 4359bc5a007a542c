"""Stochastic primal-dual coordinate ascent with extrapolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.doubly_greedy import spdc_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.coordinate.dual_curvature import dual_curvature, square_radius
from fenchel.solvers.coordinate.dual_start import dual_start, start_entries
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.requirements import COMPILED, CURVED, SEPARABLE
from fenchel.typing import FloatArray

__all__ = ["SPDC", "SPDCState"]


@dataclass
class SPDCState(State):
    """The last two primal points, the dual point, its correlation, and the primal steps.

    ``unread`` are the entries that the start took.
    """

    epoch: int
    w: FloatArray
    previous: FloatArray
    u: FloatArray
    v: FloatArray
    tau: FloatArray
    sigma: float
    theta: float
    unread: int


@dataclass(frozen=True)
class SPDC(Solver[SPDCState]):
    r"""SPDC: a dual prox step on a random row, and a primal prox step with extrapolation.

    .. math::
        u_i \leftarrow \mathrm{prox}_{\sigma \phi_i^*}(u_i + \sigma \langle a_i, \tilde w \rangle), \qquad
        w^+ = \mathrm{prox}_{\tau g}\bigl(w - \tau (v + s_i \delta_i a_i)\bigr), \qquad
        \tilde w = w^+ + \theta (w^+ - w)

    with :math:`v = A'(s \circ u)/n`. With the loss :math:`1/\gamma`-smooth and
    :math:`R^2 = \max_i s_i \sum_j a_{ij}^2 / l_{2j}`,

    .. math::
        \tau_j = \frac1{2 R\, l_{2j}} \sqrt{\gamma / n}, \qquad
        \sigma = \frac1{2R} \sqrt{n / \gamma}, \qquad
        \theta = 1 - \frac1{n + R \sqrt{n / \gamma}}.

    That is the method of the paper in the variables :math:`\sqrt{l_{2j}} w_j`, so that strengths may
    differ between the coordinates; with all of them equal it is the method itself.

    A loss with kinks has :math:`\gamma = 0`, for which these steps do not exist. It gets those of
    :math:`\gamma = R^2 / (16 n)` and the full extrapolation of primal-dual methods without curvature,

    .. math:: \tau_j = \frac1{8 n\, l_{2j}}, \qquad \sigma = \frac{2n}{R^2}, \qquad \theta = 1.

    Notes
    -----
    Serves scalar losses, with kinks too, and separable regularizers that have an l2 part on every
    coordinate. A linear rate is known for smooth losses alone. With kinks no rate is claimed: the
    certificate tells, and nearly dependent rows took thousands of passes to a relative gap of 1e-9.

    Cost of a step: the stored entries of the row. The primal steps of a coordinate that no row touches
    are made together, in closed form, when one touches it or when the pass ends. An epoch is one pass at
    first, up to ten later. Memory O(n + d) beside the rows.

    References
    ----------
    Zhang and Xiao, Stochastic primal-dual coordinate method for regularized empirical risk
    minimization, JMLR 18, 2017; a baseline of Lei, Yen, Wu, Dhillon and Ravikumar, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SPDC, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.75, 0.5))
    >>> solve(problem, SPDC()).w.round(2)
    array([0.75, 0.  ])
    """

    name: ClassVar[str] = "spdc"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE, CURVED)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SPDCState:
        """Start from ``start``, or from zero (from the derivatives at zero for the logistic loss)."""
        form, n = problem.coordinate_form, problem.n_samples
        u = np.ascontiguousarray(dual_start(problem, start))
        w = start.primal_within(form)
        square = square_radius(problem)
        radius, gamma = np.sqrt(square), dual_curvature(problem, square)
        return SPDCState(
            rng=rng,
            entries_read=0,
            epoch=0,
            w=w,
            previous=w.copy(),
            u=u,
            v=problem.correlation(u),
            tau=np.sqrt(gamma / n) / (2.0 * radius) / form.l2,
            sigma=float(np.sqrt(n / gamma) / (2.0 * radius)),
            theta=float(1.0 - 1.0 / (n + radius * np.sqrt(n / gamma))) if problem.loss.smooth else 1.0,
            unread=start_entries(problem, start, np.zeros_like(w) if start.w is None else start.w, u),
        )

    def run_epoch(self, problem: Problem, state: SPDCState) -> None:
        """Some passes of n random rows, drawn with replacement."""
        loss = problem.kernel_loss
        state.entries_read, state.unread = state.entries_read + state.unread, 0
        for _ in range(epoch_length(state.epoch)):
            state.entries_read += spdc_pass(
                problem.design.rows,
                state.rng.integers(problem.n_samples, size=problem.n_samples),
                loss,
                b=problem.b,
                sample_weight=problem.sample_weight,
                form=problem.coordinate_form,
                tau=state.tau,
                sigma=state.sigma,
                theta=state.theta,
                w=state.w,
                previous=state.previous,
                u=state.u,
                v=state.v,
            )
        state.epoch += 1
        # The increments of a whole epoch have rounded: take v afresh from u.
        state.v[:] = problem.correlation(state.u)

    def extract(self, problem: Problem, state: SPDCState) -> tuple[FloatArray, FloatArray]:
        """Both points as they are."""
        return state.w.copy(), state.u.copy()
