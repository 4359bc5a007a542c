"""Mirror prox: extragradient steps under the entropy, as long as a test on the way allows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.mirror.arguments import check_positive
from fenchel.solvers.mirror.dual_geometry import DualGeometry, EntropyDual
from fenchel.solvers.mirror.game import Game, Play, Positions
from fenchel.solvers.mirror.radius import BALL_GEOMETRY
from fenchel.solvers.mirror.state import MirrorState, begin, game_of, report, widen
from fenchel.solvers.requirements import MULTICLASS
from fenchel.typing import FloatArray

__all__ = ["MirrorProx"]

_FIRST_GROWTH, _GROWTH = 2.0, 1.3
"""What the step grows by after an accepted one: up to the first refusal, and later."""
_LONGEST = 2.0**40
"""The longest step, over that of the theory: at a vertex every step is accepted."""
_MOST_TILT = 10.0
"""What a restart may change the scales by."""
_FEWEST, _SHARE = 5, 0.1
"""An epoch has this many steps, and later this share of all steps so far."""
_PROGRESS = 0.2
"""A restart asks that the gap has fallen to this share."""


@dataclass(frozen=True)
class MirrorProx(Solver[MirrorState]):
    r"""Mirror prox with adaptive steps: both players step twice, the second time against the middle point.

    With the operator :math:`F(w, u) = (A^\top (s \circ u)/n, \, -A w)` and a joint distance D,

    .. math::
        (\hat w, \hat u) = \mathrm{prox}_{(w, u)}\bigl(\gamma F(w, u)\bigr), \qquad
        (w^+, u^+) = \mathrm{prox}_{(w, u)}\bigl(\gamma F(\hat w, \hat u)\bigr),

    and the result is the average of the middle points with weights :math:`\gamma`. Under the entropy the
    steps are products: :math:`w = w_+ - w_-` with positive parts that are multiplied by
    :math:`e^{\mp c v}` and brought into the ball, and rows in the simplex that are multiplied by
    :math:`e^{c z}`. A step is accepted when

    .. math:: \gamma \, \langle F(\hat w, \hat u) - F(w, u), \, (\hat w, \hat u) - (w^+, u^+) \rangle
        \le D\bigl((\hat w, \hat u), (w, u)\bigr) + D\bigl((w^+, u^+), (\hat w, \hat u)\bigr)

    and tried again with half of gamma otherwise; after it gamma grows by 1.3 (by 2 up to the first refusal).
    Steps of theory always pass.
    Whatever was accepted, the gap on the ball is at most :math:`1 / \sum \gamma`.

    Where the iterates converge by themselves (softmax) the past is a burden for the average. When the last
    middle point has the smaller gap of the two, and that gap is a fifth of what it was, the average restarts,
    and the two parts of the distance are weighed anew, so that both sides have moved as far since the last
    restart.

    Parameters
    ----------
    step_multiple : float, optional
        A fixed step, as a multiple of that of the theory, :math:`1 / (2 \mathcal L \sqrt{\Omega_U
        \Omega_V})`, without restarts; 1 has the guarantee. By default the steps adapt.
    radius : float, optional
        For ``L1``, the first radius of the search for a ball that holds the optimum; by default
        ``P(0) / (10 strength)``. ``L1Ball`` has its own radius.
    dual_geometry : DualGeometry, default EntropyDual()
        The distance between dual rows: ``EntropyDual()`` (norm 2x1) or ``EuclideanDual()`` (2x2).

    Raises
    ------
    InvalidInputError
        If an argument is not a positive number.

    Notes
    -----
    Serves Softmax and MulticlassHinge with ``L1Ball`` and with ``L1`` (without weights or an intercept).
    Cost of a step: four products with A, of k columns each, and two more for each refusal. An epoch is five
    steps at first, a tenth of all steps later. Entropic iterates have no zeros; the reported w has its small
    entries set to zero as far as a twentieth of the gap pays for it. Memory O((n + d) k).

    References
    ----------
    Nemirovski, Prox-method with rate of convergence O(1/t) for variational inequalities with Lipschitz
    continuous monotone operators, 2004; Babichev, Ostrovskii and Bach, Efficient primal-dual algorithms for
    large-scale multiclass classification, 2019, section 2.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MirrorProx, Problem, RelativeGap, solve
    >>> from fenchel.losses import MulticlassHinge
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.eye(3), np.eye(3), MulticlassHinge(), L1Ball(1.5))
    >>> result = solve(problem, MirrorProx(), stopping=RelativeGap(1e-4))
    >>> round(result.certificate.primal, 3)
    0.5
    """

    name: ClassVar[str] = "mirror_prox"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, BALL_GEOMETRY)

    step_multiple: float | None = None
    radius: float | None = None
    dual_geometry: DualGeometry = field(default_factory=EntropyDual)

    def __post_init__(self) -> None:
        """Refuse arguments that are not positive."""
        check_positive(self, "step_multiple", self.step_multiple)
        check_positive(self, "radius", self.radius)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> MirrorState:
        """Start from the centres, or near ``start``."""
        state = begin(problem, self.dual_geometry, start, rng, self.radius)
        state.gamma = self._first_step(problem, state)
        state.growth = _FIRST_GROWTH
        return state

    def run_epoch(self, problem: Problem, state: MirrorState) -> None:
        """Some steps, the certificates of the average and the last point, and what follows from them."""
        game = game_of(problem, self.dual_geometry, state.radius)
        for _ in range(max(_FEWEST, int(_SHARE * state.steps))):
            half = self._step(game, state)
        average, last = report(problem, state, [state.average, half])
        if widen(problem, self.dual_geometry, state, average):
            state.gamma, state.growth = self._first_step(problem, state), _FIRST_GROWTH
            return
        gap = min(average.gap, last.gap)
        state.mark = gap if np.isinf(state.mark) else state.mark
        # The last point passes the average where the iterates converge by themselves.
        if self.step_multiple is None and last.gap <= average.gap and gap <= _PROGRESS * state.mark:
            _rebalance(game, state)
            state.restart(gap)

    def extract(self, problem: Problem, state: MirrorState) -> tuple[FloatArray, FloatArray]:
        """The better primal and the better dual point of the average and the last."""
        return state.w.copy(), state.u.copy()

    def _first_step(self, problem: Problem, state: MirrorState) -> float:
        return (self.step_multiple or 1.0) / game_of(problem, self.dual_geometry, state.radius).lipschitz

    def _step(self, game: Game, state: MirrorState) -> Play:
        """One accepted step; its middle point."""
        play, floor = game.play(state.at), 1.0 / game.lipschitz
        operators = 1
        while True:
            middle = game.prox(state.at, play, state.gamma, state.scales)
            half = game.play(middle)
            new = game.prox(state.at, half, state.gamma, state.scales)
            operators += 1
            fixed = self.step_multiple is not None or state.gamma <= floor
            if fixed or _accepted(game, state, play, half, middle, new):
                break
            state.gamma, state.growth = max(0.5 * state.gamma, floor), _GROWTH
        state.add(half, state.gamma)
        state.x, state.y = new
        state.steps += 1
        state.since += 1
        state.entries_read += 2 * operators * game.problem.design.n_entries
        if self.step_multiple is None:
            state.gamma = min(state.growth * state.gamma, _LONGEST * floor)
        return half


def _accepted(
    game: Game, state: MirrorState, play: Play, half: Play, middle: Positions, new: Positions
) -> bool:
    """The test of the class's second formula."""
    moved = game.distance(middle, state.at, state.scales) + game.distance(new, middle, state.scales)
    return state.gamma * game.turned(half, play, new) <= moved


def _rebalance(game: Game, state: MirrorState) -> None:
    """Bring the scales halfway to those at which both sides have moved as far since the restart.

    Their product stays, and with it the step of the theory.
    """
    primal, dual = game.distances(state.at, Positions(state.anchor_x, state.anchor_y))
    if primal > 0.0 and dual > 0.0:
        ratio = state.dual_scale * primal / (state.primal_scale * dual)
        factor = float(np.clip(ratio**0.25, 1.0 / _MOST_TILT, _MOST_TILT))
        state.primal_scale *= factor
        state.dual_scale /= factor
