r"""Stochastic mirror descent for several classes with its own draws, in plain NumPy on dense arrays.

The steps are those of :mod:`fenchel.reference.stochastic_mirror` with full sampling, one or more draws
averaged. A draw (j, h, i, m) takes uniform numbers by one rule: the first index at which the running sum of
the weights exceeds the uniform number times their total. The class of a row is its own where the number is
below 1/2, since half of :math:`|V_j - b_j|` stands there, and one of the others by twice the rest else.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fenchel.reference.stochastic_mirror import LiftedGame, full_estimates, mirror_step, row_probabilities
from fenchel.typing import FloatArray, IndexArray

__all__ = ["AllClasses", "MirrorPoint", "TouchedClasses", "mirror_dense_steps", "mirror_sparse_steps"]

_TRIES = 3


def _scan(weights: FloatArray, u: float) -> int:
    running = np.cumsum(weights)
    return int(np.argmax(running > u * running[-1]))


@dataclass
class MirrorPoint:
    """The logarithms of U and V, and the sums of w and V over the points before each step."""

    log_U: FloatArray
    log_V: FloatArray
    w_total: FloatArray
    V_total: FloatArray

    @classmethod
    def uniform(cls, game: LiftedGame) -> MirrorPoint:
        """The centres of both sets."""
        (n, k), d = game.b.shape, game.A.shape[1]
        log_U = np.full((2 * d, k), np.log(game.radius / (2 * d * k)))
        return cls(log_U, np.full((n, k), -np.log(k)), np.zeros((d, k)), np.zeros((n, k)))


class AllClasses:
    """Classes in their order."""

    def draw(self, line: int, weights: FloatArray, u: float, spare: FloatArray) -> int:
        return _scan(weights, u)

    def touch(self, line: int, label: int) -> None:
        """All are held."""


@dataclass
class TouchedClasses:
    """The touched classes of every line, the newest first, then the others together."""

    order: dict[int, list[int]] = field(default_factory=dict)

    def draw(self, line: int, weights: FloatArray, u: float, spare: FloatArray) -> int:
        """Of the untouched classes with a weight all have the same; rejection finds one, else a rank."""
        touched = self.order.get(line, [])
        threshold = u * weights.sum()
        for label in touched:
            if threshold < weights[label]:
                return label
            threshold -= weights[label]
        free = [label for label in range(weights.size) if label not in touched and weights[label] > 0]
        for tried in (int(u * weights.size) for u in spare[:_TRIES]):
            if tried in free:
                return tried
        return free[int(spare[_TRIES] * len(free))]

    def touch(self, line: int, label: int) -> None:
        if label not in self.order.setdefault(line, []):
            self.order[line].insert(0, label)


def _draw(
    game: LiftedGame,
    point: MirrorPoint,
    j: int,
    uniforms: FloatArray,
    spare: FloatArray,
    of_rows: AllClasses | TouchedClasses,
    of_features: AllClasses | TouchedClasses,
) -> IndexArray:
    """The class of row j, a feature, and its class."""
    U, V, d = np.exp(point.log_U), np.exp(point.log_V), game.A.shape[1]
    h = int(game.b[j].argmax())
    if uniforms[0] >= 0.5:
        others = np.where(game.b[j] > 0, 0.0, V[j])
        h = of_rows.draw(j, others, 2.0 * uniforms[0] - 1.0, spare[: _TRIES + 1])
    # The two halves of a feature are neighbours.
    halves = (game.column_size * U.sum(axis=1)).reshape(2, d)
    i, half = divmod(_scan(halves.T.ravel(), uniforms[1]), 2)
    m = of_features.draw(i, U[i + half * d], uniforms[2], spare[_TRIES + 1 :])
    return np.array([j, h, i + half * d, m])


def _step(game: LiftedGame, point: MirrorPoint, draws: IndexArray, gamma: float, static: bool) -> None:
    """One step along the mean of the estimates, all at the point before it."""
    U, V, d = np.exp(point.log_U), np.exp(point.log_V), game.A.shape[1]
    point.w_total += U[:d] - U[d:]
    point.V_total += V
    estimates = [full_estimates(game, U, V, draw, static) for draw in draws]
    scores, gradient = (np.mean(part, axis=0) for part in zip(*estimates, strict=True))
    point.log_U, point.log_V = mirror_step(game, point.log_U, point.log_V, gradient, scores, gamma)


def mirror_dense_steps(
    game: LiftedGame,
    point: MirrorPoint,
    gamma: float,
    draws: int,
    order: IndexArray | None,
    uniforms: FloatArray,
) -> IndexArray:
    """Steps of ``draws`` draws each, in place; without ``order`` rows come from the optimal probabilities.

    Returns the draws (row, class, feature or feature + d, class), four numbers each.
    """
    drawn, every, no_spare = [], AllClasses(), np.empty(2 * _TRIES + 2)
    for first in range(0, len(uniforms), draws):
        step = []
        for at in range(first, first + draws):
            if order is None:
                of_row = row_probabilities(game, np.exp(point.log_V), full=True, static=False)
                j = _scan(of_row, uniforms[at, 0])
            else:
                j = int(order[at])
            step.append(_draw(game, point, j, uniforms[at, 1:], no_spare, every, every))
        _step(game, point, np.array(step), gamma, order is not None)
        drawn += step
    return np.array(drawn)


def mirror_sparse_steps(
    game: LiftedGame,
    point: MirrorPoint,
    gamma: float,
    draws: int,
    order: IndexArray,
    uniforms: FloatArray,
    of_rows: AllClasses | TouchedClasses,
    of_features: AllClasses | TouchedClasses,
) -> IndexArray:
    """The same with the draws of classes by tables; under the hinge a row's own class is in none."""
    drawn: list[IndexArray] = []
    for first in range(0, len(uniforms), draws):
        step = [
            _draw(game, point, int(order[at]), uniforms[at, :3], uniforms[at, 3:], of_rows, of_features)
            for at in range(first, first + draws)
        ]
        _step(game, point, np.array(step), gamma, static=True)
        for j, h, i, m in step:
            for f in np.flatnonzero(game.A[j]):
                of_features.touch(int(f), int(h))
            for r in np.flatnonzero(game.A[:, i % game.A.shape[1]]):
                if not (game.hinge and game.b[r, m]):
                    of_rows.touch(int(r), int(m))
        drawn += step
    return np.array(drawn)
