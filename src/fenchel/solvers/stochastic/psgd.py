"""Proximal stochastic gradient descent with averaging."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.psgd import psgd_pass
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start, State
from fenchel.solvers.requirements import COMPILED, SEPARABLE
from fenchel.solvers.stochastic.averages import lazy_average
from fenchel.solvers.stochastic.radius import Reach
from fenchel.solvers.stochastic.row_curvature import coordinate_metric, row_curvatures
from fenchel.solvers.stochastic.step_size import check_step_size
from fenchel.typing import FloatArray

__all__ = ["PSGD", "PSGDState"]


@dataclass
class PSGDState(State):
    """The point, the sums that its average comes from, the sums of the subgradients, and the time."""

    time: int
    w: FloatArray
    w_total: FloatArray
    w_since: FloatArray
    u: FloatArray
    u_total: FloatArray
    u_weight: FloatArray
    step: float
    metric: FloatArray
    share: FloatArray


@dataclass(frozen=True)
class PSGD(Solver[PSGDState]):
    r"""PSGD: a prox step along the (sub)gradient of a random row, with steps that shrink, and averages.

    .. math::
        w_k \leftarrow \mathrm{prox}_{h_t \frac n{c_k} g_k}\bigl(w_k - h_t s_i
        \phi_i'(\langle a_i, w \rangle)\, a_{ik}\bigr) \qquad \text{for every entry k of the row}

    where :math:`c_k` rows hold an entry of column k. On dense rows that is the prox step of the whole of g;
    on sparse ones each row carries its share of the penalty, and a step costs its entries alone. Starting
    from :math:`h_0`,

    .. math::
        h_t = \frac{h_0}{1 + h_0 \mu t / 2} \;\text{ with an l2 part, } \mu = \min_k l_{2k}, \qquad
        h_t = \frac{h_0}{\sqrt{1 + t / n}} \;\text{ without.}

    The point is the average of all points with weights t + 1. The dual point is, row by row, the average of
    the row's subgradients with the same weights for a loss with kinks, and the gradient at the average for
    a smooth one.

    Parameters
    ----------
    step_size : float, optional
        The first step :math:`h_0`. By default :math:`D / G` under the first rule and
        :math:`D / (G \sqrt n)` under the second, where D bounds the norm of the optimum and G the root mean
        square of the subgradients; and for a smooth loss at most 1 / L, with L the largest
        :math:`s_i |a_i|^2 / \gamma`, the intercept's share included. So the steps are
        :math:`2 / (\mu (t + t_0))` or, D permitting, :math:`D / (G \sqrt{t + n})`.

    Raises
    ------
    InvalidInputError
        If ``step_size`` is not a positive number.

    Notes
    -----
    Serves every scalar loss with every separable regularizer, and converges as :math:`1/t` or
    :math:`1/\sqrt t`: a baseline, whose gap is honest and closes slowly. Beside an intercept, which has no
    curvature, a loss with kinks gets the second rule. Cost of a step: the stored entries of the row. An
    epoch is one pass at first, a tenth of all passes so far later. Memory O(n + d).

    References
    ----------
    Nemirovski, Juditsky, Lan and Shapiro, Robust stochastic approximation approach to stochastic
    programming, 2009; Shamir and Zhang, Stochastic gradient descent for non-smooth optimization, 2013. A
    baseline of Tan, Zhang, Ma and Liu, Stochastic primal-dual method for empirical risk minimization with
    O(1) per-iteration complexity, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import PSGD, MaxPasses, Problem, solve
    >>> from fenchel.losses import Squared
    >>> from fenchel.regularizers import ElasticNet
    >>> problem = Problem(np.eye(2), [3.0, 1.0], Squared(), ElasticNet(0.7, 0.5))
    >>> solve(problem, PSGD(), stopping=MaxPasses(1000)).w.round(1)
    array([0.8, 0. ])
    """

    name: ClassVar[str] = "psgd"
    requires: ClassVar[tuple[Requirement, ...]] = (COMPILED, SEPARABLE)

    step_size: float | None = None

    def __post_init__(self) -> None:
        """Refuse a step that is not a positive number."""
        check_step_size(self.step_size)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> PSGDState:
        """Start from ``start.w``, or from zero; columns without an entry go where their penalty is least."""
        form, counts = problem.coordinate_form, problem.design.column_counts
        w = np.zeros(problem.n_coordinates) if start.w is None else np.where(counts > 0, start.w, 0.0)
        w = np.clip(w, form.lower, form.upper)
        metric = coordinate_metric(problem)
        return PSGDState(
            rng=rng,
            entries_read=0,
            time=0,
            w=w,
            w_total=np.zeros_like(w),
            w_since=np.zeros_like(w),
            # For the rows that are not visited yet.
            u=problem.loss.gradient(np.zeros_like(problem.b), problem.b),
            u_total=np.zeros(problem.n_samples),
            u_weight=np.zeros(problem.n_samples),
            step=_first_step(problem, metric) if self.step_size is None else self.step_size,
            metric=metric,
            share=problem.n_samples / np.maximum(counts, 1),
        )

    def run_epoch(self, problem: Problem, state: PSGDState) -> None:
        """Some passes of n random rows, drawn with replacement."""
        n = problem.n_samples
        for _ in range(1 + state.time // (10 * n)):
            state.entries_read += psgd_pass(
                problem.design.rows,
                state.rng.integers(n, size=n),
                problem.kernel_loss,
                b=problem.b,
                sample_weight=problem.sample_weight,
                form=problem.coordinate_form,
                metric=state.metric,
                share=state.share,
                step=_steps(problem, state),
                first=state.time,
                w=state.w,
                w_total=state.w_total,
                w_since=state.w_since,
                u_total=state.u_total,
                u_weight=state.u_weight,
            )
            state.time += n

    def extract(self, problem: Problem, state: PSGDState) -> tuple[FloatArray, FloatArray | None]:
        """The averages; for a smooth loss the certificate takes its dual point from the scores."""
        weight = 0.5 * state.time * (state.time + 1)
        w = lazy_average(state.w, state.w_total, state.w_since, weight)
        # An average of values at a bound can miss it by rounding.
        w = np.clip(w, problem.coordinate_form.lower, problem.coordinate_form.upper)
        if problem.loss.smooth:
            return w, None
        return w, np.divide(state.u_total, state.u_weight, out=state.u.copy(), where=state.u_weight > 0)


def _curvature(problem: Problem) -> float:
    """The mu of the first rule; 0 where the second holds."""
    least = float(problem.coordinate_form.l2[: problem.n_features].min(initial=np.inf))
    flat_intercept = problem.fit_intercept and not problem.loss.smooth
    return 0.0 if flat_intercept or not np.isfinite(least) else least


def _first_step(problem: Problem, metric: FloatArray) -> float:
    """``D / G`` under the first rule, ``D / (G sqrt(n))`` under the second; at most 1 / L."""
    reach, squares = Reach(problem), problem.design.row_square_sums(metric)
    slope = reach.slope * float(np.sqrt(np.mean(problem.sample_weight**2 * squares)))
    if slope == 0.0:
        return 1.0
    length = reach.distance / slope
    first = length if _curvature(problem) > 0 else length / float(np.sqrt(problem.n_samples))
    if not problem.loss.smooth:
        return first
    return min(first, 1.0 / float(row_curvatures(problem, metric).max()))


def _steps(problem: Problem, state: PSGDState) -> FloatArray:
    """The steps of the next n visits."""
    mu, times = _curvature(problem), state.time + np.arange(problem.n_samples, dtype=np.float64)
    shrinkage: FloatArray = np.sqrt(1.0 + times / problem.n_samples)
    if mu > 0:
        shrinkage = 1.0 + 0.5 * mu * state.step * times
    return state.step / shrinkage
