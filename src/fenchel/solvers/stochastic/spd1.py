"""SPD1: a primal and a dual step on one random entry of the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.spd1 import spd1_steps
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.requirements import COMPILED, SEPARABLE
from fenchel.solvers.stochastic.averages import lazy_average
from fenchel.solvers.stochastic.radius import Reach
from fenchel.typing import FloatArray

__all__ = ["SPD1", "SPD1State"]


@dataclass
class SPD1State(State):
    """Both points, the sums that their averages come from, the box, the steps, and the time."""

    time: int
    w: FloatArray
    u: FloatArray
    w_total: FloatArray
    w_since: FloatArray
    u_total: FloatArray
    u_since: FloatArray
    lower: FloatArray
    upper: FloatArray
    primal: FloatArray
    dual: FloatArray


@dataclass(frozen=True)
class SPD1(Solver[SPD1State]):
    r"""SPD1: one entry of the matrix a step, O(1) operations, averages of both points.

    The game is a sum over the stored entries of A, of which row i has :math:`r_i` and column j
    :math:`c_j`, N in all. A step draws one of them, and with the old values on the right

    .. math::
        w_j \leftarrow \mathrm{prox}_{\eta \frac n{c_j} g_j}(w_j - \eta s_i a_{ij} u_i), \qquad
        u_i \leftarrow \mathrm{prox}_{\frac \tau{r_i} \phi_i^*}(u_i + \tau a_{ij} w_j).

    Dense data are Algorithm 1 of the paper: any entry, :math:`r_i = d`, :math:`c_j = n`. With
    :math:`\bar r = N / n` and :math:`\mu_j = l_{2j}`, the steps are

    .. math::
        \eta_{t,j} = \frac{2 \bar r}{\mu_j (t + 4 N / c_j)} \;(\mu_j > 0), \quad
        \eta_t = \frac{\sqrt{\bar r} D}{L R \sqrt{t + 1}} \;\text{ else}; \qquad
        \tau_{t,i} = \frac{2 N}{\gamma (t + 4 N / r_i)} \;(\gamma > 0), \quad
        \tau_t = \frac{\sqrt{\bar r} L n}{D R' \sqrt{t + 1}} \;\text{ else}.

    On dense data the first of each pair is :math:`2d / (\mu (t + 4 d))` and
    :math:`2 n d / (\gamma (t + 4 n))`: the paper prints steps that are too short by d and n in the end. The
    analysis is a sum over coordinates, so each takes the rule that its own curvature allows.

    Notes
    -----
    Serves every scalar loss with every separable regularizer. The analysis wants a bounded w: each
    coordinate is kept within a radius that the optimum provably has (the slope of the loss over l2, or the
    value of P at zero over the penalty), which moves no optimum. L is the Lipschitz constant of the loss,
    or, for one that has none, the root mean square that its derivatives can have at the optimum,
    :math:`\sqrt{2 P(0) / \gamma}`; :math:`R^2 = \frac1n \sum_{ij} s_i^2 a_{ij}^2`,
    :math:`R'^2 = \max_j \sum_i s_i a_{ij}^2`. A free intercept has no radius; its D, which only sets the
    length of its steps, is the size of the targets.

    The gap closes as :math:`1/\sqrt t`, or :math:`\log(t) / t` with curvature on both sides: SPD1 is for a
    rough solution, and SVRG or SDCA for a precise one. Cost of a step: one entry, one prox each of g and of
    the conjugate. An epoch is one pass at first, a tenth of all passes so far later. Memory O(n + d) beside
    the rows, and one index an entry for sparse ones.

    References
    ----------
    Tan, Zhang, Ma and Liu, Stochastic primal-dual method for empirical risk minimization with O(1)
    per-iteration complexity, 2018, Algorithm 1, Theorems 1 and 2 with their steps corrected.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SPD1, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.7, 0.5))
    >>> solve(problem, SPD1(), stopping=MaxPasses(2000)).w.round(1)
    array([0.8, 0. ])
    """

    name: ClassVar[str] = "spd1"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SPD1State:
        """Start from ``start``, or where the penalty and the conjugates are least.

        Columns and rows without an entry start there in any case, for that is their optimum.
        """
        reach, b = Reach(problem), problem.b
        box = reach.form
        w, u = np.zeros(problem.n_coordinates), problem.loss.gradient(np.zeros_like(b), b)
        if start.w is not None:
            w = np.where(problem.design.column_counts > 0, start.w, w)
        if (given := start.dual_within(problem)) is not None:
            u = np.where(problem.design.row_counts > 0, given, u)
        w = np.clip(w, box.lower, box.upper)
        return SPD1State(
            rng=rng,
            entries_read=0,
            time=0,
            w=w,
            u=np.ascontiguousarray(u),
            w_total=np.zeros_like(w),
            w_since=np.zeros_like(w),
            u_total=np.zeros_like(b),
            u_since=np.zeros_like(b),
            lower=box.lower,
            upper=box.upper,
            primal=_primal_rule(problem, reach),
            dual=_dual_rule(problem, reach),
        )

    def run_epoch(self, problem: Problem, state: SPD1State) -> None:
        """Some times N entries, drawn with replacement."""
        form, design = problem.coordinate_form, problem.design
        n_entries = design.n_entries
        for _ in range(1 + state.time // (10 * max(n_entries, 1))):
            spd1_steps(
                design.rows,
                state.rng.integers(max(n_entries, 1), size=n_entries),
                problem.kernel_loss,
                b=problem.b,
                sample_weight=problem.sample_weight,
                form=CoordinateForm(form.l1, form.l2, state.lower, state.upper),
                column_share=problem.n_samples / np.maximum(design.column_counts, 1),
                row_share=1.0 / np.maximum(design.row_counts, 1),
                primal=state.primal,
                dual=state.dual,
                first=state.time,
                w=state.w,
                u=state.u,
                w_total=state.w_total,
                w_since=state.w_since,
                u_total=state.u_total,
                u_since=state.u_since,
            )
            state.time += n_entries
            state.entries_read += n_entries

    def extract(self, problem: Problem, state: SPD1State) -> tuple[FloatArray, FloatArray]:
        """Both averages."""
        w = lazy_average(state.w, state.w_total, state.w_since, state.time)
        u = lazy_average(state.u, state.u_total, state.u_since, state.time)
        # An average of values at a bound can miss it by rounding.
        return np.clip(w, state.lower, state.upper), u


def _primal_rule(problem: Problem, reach: Reach) -> FloatArray:
    """The coefficients (constant, linear, root) of one over eta, for every coordinate."""
    design, n, weight = problem.design, problem.n_samples, problem.sample_weight
    l2, counts = problem.coordinate_form.l2, np.maximum(design.column_counts, 1)
    row_length = max(design.n_entries, 1) / n
    # Free coordinates have lengths of their own, so that no other is measured by theirs.
    free = ~np.isfinite(reach.radii)
    rows = np.sqrt(np.mean(weight**2 * design.row_square_sums(np.where(free, 0.0, 1.0))))
    columns = np.sqrt(np.mean(weight**2)) * problem.column_norms
    slope = reach.slope * np.where(free, columns, rows)
    length = np.sqrt(row_length) * np.where(free, reach.scales, reach.distance)
    # A column of zeros moves by its penalty alone: any step will do.
    root = np.where(slope > 0, slope, 1.0) / np.where(length > 0, length, 1.0)
    return np.column_stack([2.0 * n * l2 / counts, l2 / (2.0 * row_length), np.where(l2 > 0, 0.0, root)])


def _dual_rule(problem: Problem, reach: Reach) -> FloatArray:
    """The coefficients (constant, linear, root) of one over tau, for every row."""
    n, n_entries = problem.n_samples, max(problem.design.n_entries, 1)
    counts, zeros = np.maximum(problem.design.row_counts, 1), np.zeros(n)
    if problem.loss.smooth:
        gamma = 1.0 / problem.loss.smoothness
        return np.column_stack([2.0 * gamma / counts, np.full(n, gamma / (2.0 * n_entries)), zeros])
    column = float(np.sqrt(n) * problem.column_norms.max(initial=0.0)) or 1.0
    root = reach.distance * column / (np.sqrt(n_entries / n) * n * reach.slope)
    return np.column_stack([zeros, zeros, np.full(n, root)])
