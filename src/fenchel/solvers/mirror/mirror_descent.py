"""Composite mirror descent with the step of the theory: the plain method that the others are measured by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.solvers.mirror.arguments import check_positive
from fenchel.solvers.mirror.dual_geometry import DualGeometry, EntropyDual
from fenchel.solvers.mirror.game import Game
from fenchel.solvers.mirror.radius import BALL_GEOMETRY
from fenchel.solvers.mirror.state import MirrorState, begin, game_of, report, widen
from fenchel.solvers.requirements import MULTICLASS
from fenchel.typing import FloatArray

__all__ = ["MirrorDescent"]

_FEWEST, _SHARE = 10, 0.1
"""An epoch has this many steps, and later this share of all steps so far; no more than are left."""


@dataclass(frozen=True)
class MirrorDescent(Solver[MirrorState]):
    r"""Mirror descent: both players take one proximal step against where the other one is.

    .. math::
        (w^{t+1}, u^{t+1}) = \arg\min_{w, u} \; \gamma \bigl(\langle F(w^t, u^t), (w, u) \rangle + g(w)
        + \tfrac1n \textstyle\sum_i s_i \phi_i^*(u_i)\bigr) + D\bigl((w, u), (w^t, u^t)\bigr)

    with the operator and the distance of :class:`~fenchel.MirrorProx`, and a step for a horizon of T steps,

    .. math:: \gamma = \frac{1}{\mathcal L \sqrt{5 T \, \Omega_U \Omega_V}}.

    The result is the average of the T points before the last; its gap on the ball is at most
    :math:`2 \sqrt5 \, \mathcal L \sqrt{\Omega_U \Omega_V / T}`. After T steps the method begins again, with
    twice the horizon.

    Parameters
    ----------
    horizon : int, default 1000
        The first T.
    radius : float, optional
        For ``L1``, the first radius of the search; see :class:`~fenchel.MirrorProx`.
    dual_geometry : DualGeometry, default EntropyDual()
        The distance between dual rows: ``EntropyDual()`` (norm 2x1) or ``EuclideanDual()`` (2x2).

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Serves what :class:`~fenchel.MirrorProx` serves, which is better on every problem that was tried: a
    baseline. Cost of a step: two products with A, of k columns each. Memory O((n + d) k).

    References
    ----------
    Babichev, Ostrovskii and Bach, Efficient primal-dual algorithms for large-scale multiclass
    classification, 2019, section 2 and Theorem 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MaxPasses, MirrorDescent, Problem, solve
    >>> from fenchel.losses import MulticlassHinge
    >>> from fenchel.regularizers import L1Ball
    >>> problem = Problem(np.eye(3), np.eye(3), MulticlassHinge(), L1Ball(1.5))
    >>> round(solve(problem, MirrorDescent(), stopping=MaxPasses(4000)).certificate.primal, 1)
    0.5
    """

    name: ClassVar[str] = "mirror_descent"
    requires: ClassVar[tuple[Requirement, ...]] = (MULTICLASS, BALL_GEOMETRY)

    horizon: int = 1000
    radius: float | None = None
    dual_geometry: DualGeometry = field(default_factory=EntropyDual)

    def __post_init__(self) -> None:
        """Refuse arguments out of range."""
        check_positive(self, "radius", self.radius)
        if isinstance(self.horizon, bool) or not isinstance(self.horizon, int) or self.horizon < 1:
            raise InvalidInputError(
                f"MirrorDescent cannot use horizon={self.horizon!r}: a horizon is a whole number of steps, 1 "
                "or more. Pass an int."
            )

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> MirrorState:
        """Start from the centres, or near ``start``."""
        state = begin(problem, self.dual_geometry, start, rng, self.radius)
        state.horizon = self.horizon
        return state

    def run_epoch(self, problem: Problem, state: MirrorState) -> None:
        """Some steps, and at the end of the horizon a new beginning."""
        game = game_of(problem, self.dual_geometry, state.radius)
        state.gamma = 2.0 / (game.lipschitz * float(np.sqrt(5.0 * state.horizon)))
        left = state.horizon - state.since
        for _ in range(min(left, max(_FEWEST, int(_SHARE * state.steps)))):
            self._step(game, state)
        (proof,) = report(problem, state, [state.average])
        if state.since == state.horizon and not widen(problem, self.dual_geometry, state, proof):
            state.x, state.y = game.start(None, None)
            state.restart(np.inf)
            state.horizon *= 2

    def extract(self, problem: Problem, state: MirrorState) -> tuple[FloatArray, FloatArray]:
        """The average, with its small entries set to zero."""
        return state.w.copy(), state.u.copy()

    def _step(self, game: Game, state: MirrorState) -> None:
        play = game.play(state.at)
        state.add(play, state.gamma)
        state.x, state.y = game.prox(state.at, play, state.gamma, state.scales)
        state.steps += 1
        state.since += 1
        state.entries_read += 2 * game.problem.design.n_entries
