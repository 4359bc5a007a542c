"""Proximal stochastic dual coordinate ascent for several classes, one dual block a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.multiclass_sdca import multiclass_sdca_pass
from fenchel.problem.free import minimise_free
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.coordinate.proximal_point import (
    DualModel,
    ProximalState,
    dual_steps,
    first_dual_point,
    move_anchor,
)
from fenchel.solvers.proximal_weights import proximal_alpha
from fenchel.solvers.requirements import MULTICLASS, SEPARABLE
from fenchel.typing import FloatArray, IndexArray

__all__ = ["MulticlassSDCA"]

_MOST_PASSES, _MOST_ROUNDS = 10, 4
"""Whole passes that an epoch may read, and passes over the rows that move for each of them."""
_ROUNDING = 1e-14
"""A dual block that changes by less has not moved."""


@dataclass(frozen=True)
class MulticlassSDCA(Solver[ProximalState]):
    r"""Prox-SDCA with simplex-valued dual blocks: all classes of a row at once.

    .. math::
        u_i \leftarrow \mathrm{prox}_{c_i \phi_i^*}(u_i + c_i w^\top a_i), \qquad
        c_i = \frac{n}{s_i \sum_j a_{ij}^2 / (l_{2j} + \alpha_j)}, \qquad
        w = \arg\min_w \; g(w) + \tfrac12 \|w - \bar w\|_\alpha^2 + \langle v, w \rangle

    with :math:`v = A^\top (s \circ u)/n` of shape (D, k) kept up to date. The prox is a projection onto the
    simplex for the multiclass hinge, and the root of one equation for softmax. Every step is exact in a
    quadratic model of the dual, whose value never falls. Where a coordinate has no curvature of its own
    (the intercept, an l1 part alone, a box alone) the proximal-point method of
    :class:`~fenchel.SDCA` is added; the certificate is always that of the problem itself.

    Parameters
    ----------
    proximal_weight : float, default 1.0
        Multiplies the automatic weights of the proximal term, as in :class:`~fenchel.SDCA`.

    Notes
    -----
    Serves the softmax and the multiclass hinge loss with every separable regularizer. Cost of a step: the
    stored entries of the row times k for the scores, and times the number of classes whose dual variables
    move for the update: few, where the hinge leaves most of them at zero. Rows are visited in a random
    order, a new one each pass; every epoch begins with all rows, and goes on with those that moved. The
    hinge without an l2 part is a linear program, and takes many passes. Memory O((n + d) k) beside the rows.

    References
    ----------
    Shalev-Shwartz and Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, Mathematical Programming 155, 2016, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MulticlassSDCA, Problem, solve
    >>> from fenchel.losses import MulticlassHinge
    >>> from fenchel.regularizers import Ridge
    >>> problem = Problem(np.eye(3), np.eye(3), MulticlassHinge(), Ridge(1.0))
    >>> result = solve(problem, MulticlassSDCA())
    >>> result.w.round(6) + 0.0
    array([[ 0.333333, -0.166667, -0.166667],
           [-0.166667,  0.333333, -0.166667],
           [-0.166667, -0.166667,  0.333333]])
    >>> result.status.solved
    True
    """

    name: ClassVar[str] = "multiclass_sdca"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, SEPARABLE)

    proximal_weight: float = 1.0

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> ProximalState:
        """Start from ``start``, or from the best unpenalised coordinates alone."""
        w = minimise_free(problem, np.zeros(problem.primal_shape)) if start.w is None else start.w
        alpha = proximal_alpha(problem, w, self.proximal_weight)
        model = DualModel(alpha, np.array(w, dtype=np.float64), dual_steps(problem, alpha))
        u, v = first_dual_point(problem, start, model, w)
        return ProximalState(
            rng=rng,
            entries_read=0,
            epoch=0,
            u=u,
            v=v,
            w=np.ascontiguousarray(model.respond(problem, v)),
            step=model.step,
            alpha=alpha,
            anchor=model.anchor,
            shrinkage=1.0,
        )

    def run_epoch(self, problem: Problem, state: ProximalState) -> None:
        """A pass over all rows, more over those that move (up to ten's worth later), then a new anchor."""
        label = problem.b.argmax(axis=1)
        rows = np.arange(problem.n_samples)
        passes = min(_MOST_PASSES, 1 + state.epoch // 3)
        last = state.entries_read + passes * problem.design.n_entries
        for _ in range(_MOST_ROUNDS * passes):
            before = state.u[rows]
            self._pass(problem, state, label, state.rng.permutation(rows))
            rows = rows[np.abs(state.u[rows] - before).max(axis=1) > _ROUNDING]
            if state.entries_read >= last or rows.size == 0:
                break
        state.epoch += 1
        # The increments of a whole epoch have rounded: take v afresh from u.
        state.v[:] = problem.correlation(state.u)
        state.w[:] = DualModel(state.alpha, state.anchor, state.step).respond(problem, state.v)
        if state.alpha.any():
            move_anchor(problem, state)

    def _pass(self, problem: Problem, state: ProximalState, label: IndexArray, order: IndexArray) -> None:
        state.entries_read += multiclass_sdca_pass(
            problem.design.rows,
            order,
            problem.loss.name,
            label=label,
            sample_weight=problem.sample_weight,
            step=state.step,
            form=problem.coordinate_form,
            alpha=state.alpha,
            anchor=state.anchor,
            v=state.v,
            w=state.w,
            u=state.u,
        )

    def extract(self, problem: Problem, state: ProximalState) -> tuple[FloatArray, FloatArray]:
        """The best response, with the best free coordinates that are known for it, and the dual point."""
        return minimise_free(problem, state.w.copy()), state.u.copy()
