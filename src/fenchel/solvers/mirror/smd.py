"""Stochastic mirror descent on the saddle point, with one row and one column of A a step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.mirror.arguments import check_choice, check_positive, check_steps
from fenchel.solvers.mirror.averaged import AveragedState, mean_point, wider_radius
from fenchel.solvers.mirror.dual_geometry import EntropyDual
from fenchel.solvers.mirror.entropic_sampling import unit_step
from fenchel.solvers.mirror.entropy_primal import LiftedEntropy
from fenchel.solvers.mirror.game import Game, Play, Positions
from fenchel.solvers.mirror.primal_geometry import Ball
from fenchel.solvers.mirror.radius import L1_GEOMETRY, first_radius, l1_strength
from fenchel.solvers.mirror.sampled_products import SampledProducts, sizes
from fenchel.solvers.requirements import MULTICLASS
from fenchel.typing import FloatArray

__all__ = ["SMD", "SMDState"]

_SHARE = 8
"""Of the entries of A, one in so many is updated between two certificates at first."""


@dataclass
class SMDState(AveragedState):
    """The positions of both sides, the weighted sum of u, and the sizes of columns and rows."""

    x: FloatArray
    y: FloatArray
    u_total: FloatArray
    column_size: FloatArray
    row_size: FloatArray


@dataclass(frozen=True)
class SMD(Solver[SMDState]):
    r"""SMD: an entropic step on both sides of the game, along estimates from one row and one column.

    With :math:`U \ge 0` of shape (2d, k) for :math:`w = U_{:d} - U_{d:}`, V of shape (n, k) for
    u = V - b, and unbiased estimates S of :math:`\hat A^\top (s \circ (V - b))/n` and M of
    :math:`\hat A U`, where :math:`\hat A = [A, -A]`,

    .. math::
        W = U e^{-2 \gamma R L S}, \qquad U \leftarrow W \min\bigl(e^{-2\gamma\lambda R L}, R/\textstyle\sum W
        \bigr), \qquad L = \max(1, \log 2dk),

    .. math::
        V \leftarrow \arg\max_V \; \langle M, V - b\rangle - f(V, b) - \mathrm{KL}(V, V_{\text{old}}) / c,
        \qquad c = 2\gamma\max(1, \log k),

    row by row: :math:`V e^{c (M - b)}` (hinge) or :math:`V^{1/(1+c)} e^{cM/(1+c)}` (softmax), normalised.
    The column i is drawn with probability :math:`\sim \sigma_i \|U_i\|`, the row j with probability
    :math:`\sim \tau_j \|V_j - b_j\|`, which minimises the second moments of the estimates; full sampling
    draws one class of each, too. The answer is the average of w and of u over the points before the steps,
    with weights :math:`\gamma_t`.

    Parameters
    ----------
    sampling : {"partial", "full"}, default "partial"
        A row of U and one of V - b, or one entry of each: noisier, and no cheaper here.
    rows : {"optimal", "static"}, default "optimal"
        ``static`` draws rows :math:`\sim \tau_j` alone, under the same bound.
    steps : int, optional
        The number T of steps that the step size is made for: with ``step_multiple = 1``, constant steps
        :math:`\gamma = \sqrt{2 / (T (10 a + 3 c))}` and

        .. math:: E\,[P(\bar w) - D(\bar u)] \le 2 \sqrt 2 \sqrt{10 a + 3 c} / \sqrt T

        over the ball of radius R, where :math:`a = \mathcal L^2 \Omega_U \Omega_V`, :math:`c = \Omega_U
        \sigma_V^2 + \Omega_V \sigma_U^2`, :math:`\Omega_U = R^2 L`, :math:`\Omega_V = n \max(1, \log k)`,
        :math:`\mathcal L = \max_i \sigma_i / n`, :math:`\sigma_U^2 = 4 R^2 \max_i \sigma_i^2 / n^2` and
        :math:`\sigma_V^2 = 8 \max_i \sigma_i^2 / n + 8 (\sum_j \tau_j)^2 / n^2`. By default T is the time so
        far: steps that fall like :math:`1/\sqrt t`, and a logarithm in the bound.
    step_multiple : float, default 8.0
        Multiplies the step size. 4 to 16 is what works best; 1 is what is proved.
    radius : float, optional
        The first radius R under ``L1``, at most ``P(0) / strength``. By default a tenth of that. It doubles
        whenever an average of as many steps as before is near the boundary.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Serves the softmax and the multiclass hinge with ``L1`` or ``L1Ball``, without an intercept. A step reads
    one row and one column of A, and takes O((n + d) k) operations and memory; the steps of
    :class:`~fenchel.SublinearMulticlass` with full sampling cost less. The gap closes like
    :math:`1/\sqrt T`. The sizes of rows and columns have the sample weights in them: :math:`\sigma_i =
    (\sum_r s_r a_{ri}^2)^{1/2}` and :math:`\tau_j = s_j \max_f |a_{jf}|`.

    References
    ----------
    Babichev, Ostrovskii and Bach, Efficient primal-dual algorithms for large-scale multiclass classification,
    2019, sections 3.1 and 3.2; the step size has the constant that holds for the gap, where their (35) has
    one for a fixed comparison point.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import SMD, MaxPasses, Problem, solve
    >>> from fenchel.losses import MulticlassHinge
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.eye(3), np.eye(3), MulticlassHinge(), L1Ball(3.0))
    >>> result = solve(problem, SMD(), stopping=MaxPasses(2000))
    >>> bool(result.certificate.gap < 0.1)
    True
    """

    name: ClassVar[str] = "smd"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, L1_GEOMETRY)

    sampling: str = "partial"
    rows: str = "optimal"
    steps: int | None = None
    step_multiple: float = 8.0
    radius: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is not a choice, or not a positive number."""
        check_choice("sampling", self.sampling, ("partial", "full"))
        check_choice("rows", self.rows, ("optimal", "static"))
        check_steps(self.steps)
        check_positive(self, "step_multiple", self.step_multiple)
        check_positive(self, "radius", self.radius)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> SMDState:
        """Start from the centres, or near ``start``."""
        radius = first_radius(problem, self.radius)
        at = _game(problem, radius).start(start.w, start.u)
        column_size, row_size = sizes(problem)
        return SMDState(
            rng=rng,
            entries_read=0,
            time=0,
            w_total=np.zeros(problem.primal_shape),
            weight=0.0,
            radius=radius,
            begun=0,
            x=at.x,
            y=at.y,
            u_total=np.zeros_like(problem.b),
            column_size=column_size,
            row_size=row_size,
        )

    def run_epoch(self, problem: Problem, state: SMDState) -> None:
        """Steps of one size: a tenth of all so far, or as many as a certificate costs; then the radius."""
        count = max(1, problem.design.n_entries // (_SHARE * sum(problem.design.shape)), state.time // 10)
        if self.steps is not None and state.time < self.steps:
            count = min(count, self.steps - state.time)
        game = _game(problem, state.radius)
        products = self._products(problem, state)
        horizon = state.time + count if self.steps is None else self.steps
        gamma = self.step_multiple * _unit_step(problem, state) / math.sqrt(horizon)
        for uniforms in state.rng.random((count, 4)):
            _step(game, state, products, gamma, uniforms)
        state.time += count
        _widen(problem, state)

    def extract(self, problem: Problem, state: SMDState) -> tuple[FloatArray, FloatArray]:
        """The averages; before the first step the starting point."""
        if state.weight == 0.0:
            game = _game(problem, state.radius)
            return game.primal.point(state.x), game.dual.point(state.y, problem.b)
        return mean_point(problem, state), state.u_total / state.weight

    def _products(self, problem: Problem, state: SMDState) -> SampledProducts:
        return SampledProducts(
            problem, self.sampling == "full", self.rows == "static", state.column_size, state.row_size
        )


def _unit_step(problem: Problem, state: SMDState) -> float:
    """The step size of the theorem for T = 1; where A is zero, any will do."""
    if not state.row_size.any():
        return 1.0
    n, (d, k) = problem.n_samples, problem.primal_shape
    return unit_step(n, d, k, state.radius, state.column_size, state.row_size)


def _game(problem: Problem, radius: float) -> Game:
    return Game(problem, LiftedEntropy(), EntropyDual(), Ball(radius, l1_strength(problem)))


def _step(game: Game, state: SMDState, products: SampledProducts, gamma: float, uniforms: FloatArray) -> None:
    """Both estimates at the same point, then both sides move."""
    w, u = game.primal.point(state.x), game.dual.point(state.y, game.problem.b)
    state.w_total += gamma * w
    state.u_total += gamma * u
    state.weight += gamma
    slope, of_row = products.slope(u, uniforms[:2])
    scores, of_column = products.scores(np.exp(state.x), uniforms[2:])
    state.entries_read += of_row + of_column
    at = Positions(state.x, state.y)
    state.x, state.y = game.prox(at, Play(w, u, scores, slope), gamma, game.scales)


def _widen(problem: Problem, state: SMDState) -> None:
    """The same point in a larger ball, where it grows; the averages begin anew."""
    radius = wider_radius(problem, state)
    if radius > state.radius:
        state.x += math.log(radius / state.radius)
        state.radius, state.weight, state.begun = radius, 0.0, state.time
        state.w_total[:], state.u_total[:] = 0.0, 0.0
