"""The composite stochastic subgradient method for several classes, in two geometries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel._kernels.subgradient_rows import SubgradientRows
from fenchel.losses.multiclass_hinge import MulticlassHinge
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.mirror.arguments import check_choice, check_positive, check_steps
from fenchel.solvers.mirror.averaged import mean_point
from fenchel.solvers.mirror.entropic_rows import EntropicGeometry
from fenchel.solvers.mirror.euclidean_rows import EuclideanGeometry
from fenchel.solvers.mirror.radius import L1_GEOMETRY
from fenchel.solvers.mirror.row_geometry import RowGeometry, SSMState
from fenchel.solvers.requirements import MULTICLASS
from fenchel.typing import FloatArray

__all__ = ["SSM", "SSMState"]

_GEOMETRIES: dict[str, RowGeometry] = {"euclidean": EuclideanGeometry(), "entropic": EntropicGeometry()}


@dataclass(frozen=True)
class SSM(Solver[SSMState]):
    r"""SSM: a prox step along the subgradient of a random row, with the l1 norm kept exact.

    A row is drawn with probability :math:`s_i / n`, and :math:`u_i \in \partial\phi_i(w^\top a_i)`. In the
    Euclidean geometry

    .. math:: w \leftarrow \Pi_R\bigl(\mathrm{soft}(w - \gamma\, a_i u_i^\top, \gamma\lambda)\bigr), \qquad
              \gamma = \frac{R_2}{G \sqrt T}, \quad G^2 = \frac 2n \sum_i s_i \|a_i\|_2^2,

    where :math:`R_2` bounds the norm of the optimum; then :math:`E\,[P(\bar w)] - P^* \le R_2 G / \sqrt T`.
    In the entropic one, on the logarithms of :math:`w = w_+ - w_-` with :math:`\sum (w_+ + w_-) \le R`,

    .. math:: w_\pm \leftarrow W_\pm \min\bigl(e^{-\gamma\lambda/R}, R / \textstyle\sum W\bigr), \quad
              W_\pm = w_\pm e^{\mp \gamma a_i u_i^\top / R}, \qquad
              \gamma = \frac{R \sqrt{2 L}}{M \sqrt T}, \quad M^2 = \frac1n \sum_i s_i \|a_i\|_\infty^2,

    with L = max(1, log 2dk), and :math:`E\,[P(\bar w)] - P^* \le R M \sqrt{2 L / T}`. The answer is the
    average of the points before the steps with weights :math:`\gamma_t`. The dual point is, row by row, the
    average of its subgradients for the hinge, and the gradient at the average for softmax.

    Parameters
    ----------
    geometry : {"euclidean", "entropic"}, default "euclidean"
    steps : int, optional
        The number T of steps that the step size is made for. By default the time so far.
    step_multiple : float, default 1.0
        Multiplies the step size; the bounds are for 1.
    radius : float, optional
        Under ``L1`` the bound R_2, by default ``P(0) / strength``, or the first radius R of the entropic
        geometry, by default a tenth of that; it doubles whenever an average of as many steps as before is
        near the boundary.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Serves the softmax and the multiclass hinge with ``L1`` or ``L1Ball``, without an intercept. A step takes
    O(nnz(a_i) k) operations: entries that the row does not meet are shrunk when they are met. Two things ask
    for all of w: a projection onto the ball in the Euclidean geometry, and a flush of the sums where the
    scale of the entropic one has moved by a factor of 1024.
    A baseline: the gap closes like :math:`1/\sqrt T`, and for the hinge the dual point is a poor one.

    References
    ----------
    Babichev, Ostrovskii and Bach, Efficient primal-dual algorithms for large-scale multiclass classification,
    2019, section 5 (a baseline there); Duchi, Shalev-Shwartz, Singer and Tewari, Composite objective mirror
    descent, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SSM, MaxPasses, Problem, solve
    >>> from fenchel.losses import Softmax
    >>> from fenchel.regularizers import L1
    >>> problem = Problem(np.eye(3), np.eye(3), Softmax(), L1(0.1))
    >>> result = solve(problem, SSM(), stopping=MaxPasses(1000))
    >>> bool(result.certificate.gap < 0.05)
    True
    """

    name: ClassVar[str] = "ssm"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, L1_GEOMETRY)

    geometry: str = "euclidean"
    steps: int | None = None
    step_multiple: float = 1.0
    radius: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a choice, or not a positive number."""
        check_choice("geometry", self.geometry, tuple(_GEOMETRIES))
        check_steps(self.steps)
        check_positive(self, "step_multiple", self.step_multiple)
        check_positive(self, "radius", self.radius)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SSMState:
        """Start from ``start.w``, moved into the ball, or from zero."""
        geometry = _GEOMETRIES[self.geometry]
        radius = geometry.first_radius(problem, self.radius)
        w = np.zeros(problem.primal_shape) if start.w is None else start.w
        point, log_scale = geometry.start(problem, w, radius)
        return SSMState(
            rng=rng,
            entries_read=0,
            time=0,
            w_total=np.zeros(problem.primal_shape),
            weight=0.0,
            radius=radius,
            begun=0,
            point=point,
            log_scale=log_scale,
            u_total=np.zeros_like(problem.b),
            u_weight=np.zeros(problem.n_samples),
        )

    def run_epoch(self, problem: Problem, state: SSMState) -> None:
        """As many steps as there are rows, or a tenth of all so far, of one size; then the radius."""
        geometry, n = _GEOMETRIES[self.geometry], problem.n_samples
        count = max(n, state.time // 10)
        if self.steps is not None and state.time < self.steps:
            count = min(count, self.steps - state.time)
        horizon = state.time + count if self.steps is None else self.steps
        gamma = self.step_multiple * geometry.unit_step(problem, state.radius) / math.sqrt(horizon)
        point = geometry.begin(problem, state, gamma)
        order = state.rng.choice(n, size=count, p=problem.sample_weight / n)
        point.take(_game(problem, state), order)
        state.entries_read += int(problem.design.row_counts[order].sum())
        state.log_scale = point.finish()
        state.time += count
        state.weight += count * gamma
        geometry.widen(problem, state)

    def extract(self, problem: Problem, state: SSMState) -> tuple[FloatArray, FloatArray | None]:
        """The averages; for softmax the certificate takes its dual point from the scores."""
        w = mean_point(problem, state) if state.weight > 0.0 else state.w_total.copy()
        if problem.loss.smooth:
            return w, None
        visited = state.u_weight[:, None] > 0.0
        mean = state.u_total / np.where(visited, state.u_weight[:, None], 1.0)
        at_zero = problem.loss.gradient(np.zeros_like(problem.b), problem.b)
        return w, np.where(visited, mean, at_zero)


def _game(problem: Problem, state: SSMState) -> SubgradientRows:
    return SubgradientRows(
        rows=problem.design.rows,
        hinge=isinstance(problem.loss, MulticlassHinge),
        label=problem.b.argmax(axis=1),
        u_total=state.u_total,
        u_weight=state.u_weight,
    )
