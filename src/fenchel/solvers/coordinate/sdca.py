"""Proximal stochastic dual coordinate ascent, with a proximal-point mode for weak regularizers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.coordinate import sdca_pass
from fenchel._kernels.losses import KernelLoss
from fenchel.numerics.coordinate import soft_threshold
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.requirements import COMPILED, SEPARABLE
from fenchel.typing import FloatArray

__all__ = ["SDCA", "SDCAState"]


@dataclass
class SDCAState(State):
    """Dual point, its correlation ``v``, the primal best response, and the proximal anchor."""

    epoch: int
    u: FloatArray
    v: FloatArray
    w: FloatArray
    step: FloatArray
    alpha: FloatArray
    anchor: FloatArray


@dataclass(frozen=True)
class SDCA(Solver[SDCAState]):
    r"""Prox-SDCA: exact maximisation of the dual over one row at a time.

    .. math::
        u_i \leftarrow \mathrm{prox}_{c_i \phi_i^*}(u_i + c_i \langle a_i, w \rangle), \qquad
        c_i = \frac{n}{s_i \sum_j a_{ij}^2 / (l_{2j} + \alpha_j)}, \qquad
        w = \arg\min_w \; g(w) + \tfrac12 \|w - \bar w\|_\alpha^2 + \langle v, w \rangle

    with :math:`v = A'(s \circ u)/n` kept up to date. On coordinates with curvature of their own
    (:math:`l_{2j} > 0`) alpha is 0 and this is prox-SDCA, whose dual value never falls. On the others
    (the intercept, features without penalty, an l1 part alone, a box alone) a proximal term with
    :math:`\alpha_j > 0` is added and its anchor moved to w after every epoch: the proximal-point
    method, whose fixed points are the optima of the problem itself. The certificate is always that
    of the problem itself.

    Parameters
    ----------
    proximal_weight : float, default 1.0
        Multiplies the automatic :math:`\alpha_j = \rho_j\, \bar r / (n \gamma)`, with :math:`\rho_j` the
        mean square of column j, r the mean number of entries in a row and gamma the inverse of
        the loss's smoothness (1 for a loss with kinks).

    Notes
    -----
    Serves every scalar loss with every separable regularizer. Cost of a step: the stored entries of
    the row. Rows are visited in a random order, a new one each pass. Memory O(n + d) beside the rows.

    References
    ----------
    Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, 2014; the dual baseline of Lei, Yen, Wu, Dhillon, Ravikumar, 2017.
    """

    name: ClassVar[str] = "sdca"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE)

    proximal_weight: float = 1.0

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SDCAState:
        """Start from ``start``, or from the loss derivatives at the best unpenalised coordinates."""
        form = problem.coordinate_form
        w = minimise_free(problem, np.zeros(problem.n_coordinates)) if start.w is None else start.w
        u = problem.dual_point(w) if start.u is None else start.u.copy()
        alpha = self._alpha(problem)
        inverse = np.divide(1.0, form.l2 + alpha, out=np.zeros_like(alpha), where=form.l2 + alpha > 0)
        norms = problem.sample_weight * problem.design.row_square_sums(inverse)
        step = np.divide(problem.n_samples, norms, out=np.zeros_like(norms), where=norms > 0)
        state = SDCAState(
            rng=rng,
            entries_read=0,
            epoch=0,
            u=np.ascontiguousarray(u),
            v=problem.correlation(u),
            w=np.array(w, dtype=np.float64),
            step=step,
            alpha=alpha,
            anchor=np.array(w, dtype=np.float64),
        )
        self._respond(problem, state)
        return state

    def run_epoch(self, problem: Problem, state: SDCAState) -> None:
        """Some random passes over the rows (one at first, up to ten later), then move the anchor."""
        loss = KernelLoss(problem.loss.name, problem.loss.parameters)
        for _ in range(min(10, 1 + state.epoch // 3)):
            state.entries_read += sdca_pass(
                problem.design.rows,
                state.rng.permutation(problem.n_samples).astype(np.int64),
                loss,
                b=problem.b,
                sample_weight=problem.sample_weight,
                step=state.step,
                form=problem.coordinate_form,
                alpha=state.alpha,
                anchor=state.anchor,
                v=state.v,
                w=state.w,
                u=state.u,
            )
        state.epoch += 1
        # The increments of a whole epoch have rounded: take v afresh from u.
        state.v[:] = problem.correlation(state.u)
        self._respond(problem, state)
        if state.alpha.any():
            state.anchor[:] = state.w
            self._respond(problem, state)

    def extract(self, problem: Problem, state: SDCAState) -> tuple[FloatArray, FloatArray]:
        """The best response, its free coordinates minimised exactly, and the dual point."""
        return minimise_free(problem, state.w.copy()), state.u.copy()

    def _respond(self, problem: Problem, state: SDCAState) -> None:
        """``w = argmin g(w) + |w - anchor|^2_alpha / 2 + <v, w>``, coordinate by coordinate."""
        form = problem.coordinate_form
        curvature = form.l2 + state.alpha
        pull = soft_threshold(state.alpha * state.anchor - state.v, form.l1)
        w = np.divide(pull, curvature, out=np.zeros_like(pull), where=curvature > 0)
        state.w[:] = np.clip(w, form.lower, form.upper)

    def _alpha(self, problem: Problem) -> FloatArray:
        """The proximal weight of each coordinate; 0 where the regularizer is curved."""
        form = problem.coordinate_form
        smoothness = problem.loss.smoothness if problem.loss.smooth else 1.0
        entries = problem.design.n_entries / problem.n_samples
        weight = self.proximal_weight * problem.column_norms**2 * entries * smoothness / problem.n_samples
        # A column of zeros needs some curvature too; any value will do.
        return np.where(form.l2 > 0, 0.0, np.where(weight > 0, weight, 1.0))
