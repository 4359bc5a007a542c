"""What the mirror methods keep: positions, running averages, and the best points that they have proved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.problem.bounds import admissible
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Start, State
from fenchel.solvers.mirror.dual_geometry import DualGeometry
from fenchel.solvers.mirror.game import Game, Play, Positions, Scales
from fenchel.solvers.mirror.geometry_choice import primal_geometry
from fenchel.solvers.mirror.primal_geometry import Ball
from fenchel.solvers.mirror.radius import first_radius, grown_radius, l1_strength
from fenchel.solvers.mirror.threshold import sparsified
from fenchel.typing import FloatArray

__all__ = ["MirrorState", "begin", "game_of", "report", "widen"]

_SPARE = 0.05
"""The share of the gap that setting small entries to zero may cost."""


@dataclass
class MirrorState(State):
    """Positions, the weighted sums of points and products since a restart, and what is reported.

    ``since`` counts the steps since the restart, and ``mark`` is the gap that was proved then. ``horizon`` is
    the number of steps that a step size was chosen for, where it was.
    """

    steps: int
    since: int
    horizon: int
    radius: float
    x: FloatArray
    y: FloatArray
    anchor_x: FloatArray
    anchor_y: FloatArray
    primal_scale: float
    dual_scale: float
    gamma: float
    growth: float
    weight: float
    w_sum: FloatArray
    u_sum: FloatArray
    z_sum: FloatArray
    v_sum: FloatArray
    w: FloatArray
    u: FloatArray
    mark: float

    @property
    def at(self) -> Positions:
        """The two positions."""
        return Positions(self.x, self.y)

    @property
    def scales(self) -> Scales:
        """The divisors of the two distances."""
        return Scales(self.primal_scale, self.dual_scale)

    @property
    def average(self) -> Play:
        """The weighted average of the points since the restart; all is linear, so no product is needed."""
        sums = (self.w_sum, self.u_sum, self.z_sum, self.v_sum)
        return Play(*(total / self.weight for total in sums))

    def add(self, play: Play, weight: float) -> None:
        """One more point of the average."""
        self.weight += weight
        for total, part in zip((self.w_sum, self.u_sum, self.z_sum, self.v_sum), play, strict=True):
            total += weight * part

    def restart(self, mark: float) -> None:
        """Begin a new average here; the point stays."""
        self.weight, self.since, self.mark = 0.0, 0, mark
        for total in (self.w_sum, self.u_sum, self.z_sum, self.v_sum):
            total[:] = 0.0
        self.anchor_x, self.anchor_y = self.x, self.y


def game_of(problem: Problem, dual: DualGeometry, radius: float) -> Game:
    """The game on the ball of that radius."""
    return Game(problem, primal_geometry(problem.regularizer), dual, Ball(radius, l1_strength(problem)))


def begin(
    problem: Problem, dual: DualGeometry, start: Start, rng: np.random.Generator, wanted: float | None
) -> MirrorState:
    """The state at the centres, or near the starting point, with scales for the first radius."""
    radius = first_radius(problem, wanted)
    if start.w is not None:
        # A ball of our own must hold the starting point, unless no optimum is that far.
        radius = first_radius(problem, max(radius, float(np.abs(start.w).sum())))
    game = game_of(problem, dual, radius)
    at, scales = game.start(start.w, start.u), game.scales
    w = np.zeros(problem.primal_shape) if start.w is None else np.array(start.w, dtype=np.float64)
    u = game.dual.point(at.y, problem.b)
    return MirrorState(
        rng=rng,
        entries_read=0,
        steps=0,
        since=0,
        horizon=0,
        radius=radius,
        x=at.x,
        y=at.y,
        anchor_x=at.x,
        anchor_y=at.y,
        primal_scale=scales.primal,
        dual_scale=scales.dual,
        gamma=0.0,
        growth=1.0,
        weight=0.0,
        w_sum=np.zeros_like(w),
        u_sum=np.zeros_like(u),
        z_sum=np.zeros_like(u),
        v_sum=np.zeros_like(w),
        w=w,
        u=u,
        mark=np.inf,
    )


def report(problem: Problem, state: MirrorState, plays: list[Play]) -> list[Certificate]:
    """Certify some points, and keep the best w (with exact zeros) and the best u of them.

    A is read for the zeros alone.
    """
    proofs = [problem.certify_at(play.w, play.z, admissible(problem, play.u), play.v) for play in plays]
    primal = min(range(len(plays)), key=lambda index: proofs[index].primal)
    dual = max(range(len(plays)), key=lambda index: proofs[index].dual)
    gap = max(proofs[primal].primal - proofs[dual].dual, 0.0)
    state.w, entries = sparsified(problem, plays[primal].w, proofs[primal].primal, _SPARE * gap)
    state.entries_read += entries
    state.u = plays[dual].u
    return proofs


def widen(problem: Problem, dual: DualGeometry, state: MirrorState, proof: Certificate) -> bool:
    r"""Grow the radius of the search where the ball holds the point back; tell whether it did.

    That is: the average is near the boundary, and its gap on the ball alone,

    .. math:: P(\bar w) + \tfrac1n \sum_i s_i \phi_i^*(\bar u_i) + R \max(\|\bar v\|_\infty - \lambda, 0),

    is less than half of its gap in the problem without a ball. The next point is near the best one. For
    L1Ball nothing grows.
    """
    play, old = state.average, state.radius
    new = grown_radius(problem, old, play.w, proof.primal)
    if new == old:
        return False
    excess = max(float(np.abs(play.v).max()) - l1_strength(problem), 0.0)
    inside = proof.primal + problem.mean_conjugate(play.u) + old * excess
    if inside > 0.5 * proof.gap:
        return False
    state.radius = new
    game = game_of(problem, dual, new)
    state.x, state.y = game.start(state.w, state.u)
    state.primal_scale, state.dual_scale = game.scales
    state.restart(np.inf)
    return True
