r"""Stochastic mirror descent for several classes in plain NumPy: dense, with the draws as arguments.

The point is lifted: :math:`U \ge 0` of shape (2d, k) stands for :math:`w = U_{:d} - U_{d:}`, and
:math:`\hat A = [A, -A]`. V of shape (n, k) has rows in the simplex, and u = V - b. The game is

.. math:: \min_{U \ge 0,\; \sum U \le R} \; \max_V \; \frac1n \sum_i s_i \left(
    \langle V_i - b_i, \hat a_i U \rangle - f(V_i, b_i) \right) + \lambda \sum U

with :math:`f = \langle V_i, b_i \rangle - 1` for the hinge and the negative entropy for softmax.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "LiftedGame",
    "MirrorRun",
    "column_probabilities",
    "full_estimates",
    "mirror_step",
    "partial_estimates",
    "row_probabilities",
    "smd",
]


@dataclass(frozen=True)
class LiftedGame:
    """The data of the game, and the constants of its geometry; ``sample_weight`` has mean 1."""

    A: FloatArray
    b: FloatArray
    sample_weight: FloatArray
    hinge: bool
    l1: float
    radius: float

    @property
    def lifted(self) -> FloatArray:
        return np.hstack([self.A, -self.A])

    @property
    def column_size(self) -> FloatArray:
        r""":math:`\sigma_i = (\sum_r s_r \hat a_{ri}^2)^{1/2}`, shape (2d,)."""
        size: FloatArray = np.sqrt(self.sample_weight @ self.lifted**2)
        return size

    @property
    def row_size(self) -> FloatArray:
        r""":math:`\tau_j = s_j \max_f |a_{jf}|`, shape (n,)."""
        size: FloatArray = self.sample_weight * np.abs(self.A).max(axis=1)
        return size

    @property
    def primal_log(self) -> float:
        """The entropy radius ``max(1, log(2 d k))`` of the primal set, over R^2."""
        return max(1.0, float(np.log(2 * self.A.shape[1] * self.b.shape[1])))

    @property
    def dual_log(self) -> float:
        """The entropy radius ``max(1, log k)`` of a simplex."""
        return max(1.0, float(np.log(self.b.shape[1])))


class MirrorRun(NamedTuple):
    """The last U and V, and the means of w (d, k) and of V over the points before each step."""

    U: FloatArray
    V: FloatArray
    w_mean: FloatArray
    V_mean: FloatArray


def column_probabilities(game: LiftedGame, U: FloatArray, full: bool) -> FloatArray:
    r"""The optimal :math:`p_i \sim \sigma_i \sum_l U_{il}` (full) or :math:`\sigma_i \max_l U_{il}`."""
    return _shares(game.column_size * (U.sum(axis=1) if full else U.max(axis=1)))


def row_probabilities(game: LiftedGame, V: FloatArray, full: bool, static: bool) -> FloatArray:
    r"""The optimal :math:`q_j \sim \tau_j \|V_j - b_j\|` (norm 1 or infinity), or :math:`\tau_j` alone."""
    distance = np.abs(V - game.b)
    within = distance.sum(axis=1) if full else distance.max(axis=1)
    return _shares(game.row_size * (1.0 if static else within))


def _shares(size: FloatArray) -> FloatArray:
    shares: FloatArray = size / size.sum()
    return shares


def partial_estimates(
    game: LiftedGame, U: FloatArray, V: FloatArray, draw: IndexArray, static: bool
) -> tuple[FloatArray, FloatArray]:
    r"""Take one row of U and one of V - b; ``draw`` is (j, i).

    Returns :math:`\hat A_{:i} U_i / p_i`, shape (n, k), and :math:`s_j \hat a_j^\top (V_j - b_j) / (n q_j)`,
    shape (2d, k).
    """
    j, i = draw
    p = column_probabilities(game, U, full=False)[i]
    q = row_probabilities(game, V, full=False, static=static)[j]
    scores = np.outer(game.lifted[:, i], U[i]) / p
    gradient = game.sample_weight[j] * np.outer(game.lifted[j], V[j] - game.b[j]) / q
    return scores, gradient / len(V)


def full_estimates(
    game: LiftedGame, U: FloatArray, V: FloatArray, draw: IndexArray, static: bool
) -> tuple[FloatArray, FloatArray]:
    r"""Take one entry of U and one of V - b; ``draw`` is (j, h, i, m).

    Beside the rows the classes :math:`h \sim |V_j - b_j|` and :math:`m \sim U_i` are drawn: a single column
    of each estimate is not zero.
    """
    j, h, i, m = draw
    p = column_probabilities(game, U, full=True)[i]
    q = row_probabilities(game, V, full=True, static=static)[j]
    scores, gradient = np.zeros_like(V), np.zeros_like(U)
    scores[:, m] = game.lifted[:, i] * U[i].sum() / p
    sign = -1.0 if game.b[j, h] else 1.0
    gradient[:, h] = game.sample_weight[j] * game.lifted[j] * sign * np.abs(V[j] - game.b[j]).sum() / q
    return scores, gradient / len(V)


def mirror_step(
    game: LiftedGame, log_U: FloatArray, log_V: FloatArray, S: FloatArray, M: FloatArray, gamma: float
) -> tuple[FloatArray, FloatArray]:
    r"""The composite entropic step with linear terms S (2d, k) and M (n, k), in logarithms.

    .. math:: W = U e^{-2\gamma R L S}, \quad U^+ = W \min(e^{-2\gamma\lambda R L}, R / \textstyle\sum W),
        \qquad V^+ \sim V e^{c (M - b)} \text{ (hinge)}, \quad V^{1-s} e^{s M},\ s = c/(1+c) \text{ (softmax)}

    with :math:`L = \max(1, \log 2dk)` and :math:`c = 2 \gamma \max(1, \log k)`.
    """
    stride = 2.0 * gamma * game.radius * game.primal_log
    W = log_U - stride * S
    log_U = W + min(-stride * game.l1, np.log(game.radius) - logsumexp(W))
    c = 2.0 * gamma * game.dual_log
    logits = log_V + c * (M - game.b) if game.hinge else (log_V + c * M) / (1.0 + c)
    return log_U, logits - logsumexp(logits, axis=1, keepdims=True)


def smd(
    game: LiftedGame, draws: IndexArray, gamma: FloatArray, *, full: bool = True, static: bool = False
) -> MirrorRun:
    """One step for every row of ``draws`` with the step sizes ``gamma``, from the uniform point.

    Both estimates of a step are taken at the point before it. The means have equal weights, whatever gamma.
    """
    n, k = game.b.shape
    d = game.A.shape[1]
    log_U, log_V = np.full((2 * d, k), np.log(game.radius / (2 * d * k))), np.full((n, k), -np.log(k))
    w_total, V_total = np.zeros((d, k)), np.zeros((n, k))
    estimates = full_estimates if full else partial_estimates
    for draw, step in zip(draws, gamma, strict=True):
        U, V = np.exp(log_U), np.exp(log_V)
        w_total += U[:d] - U[d:]
        V_total += V
        scores, gradient = estimates(game, U, V, draw, static)
        log_U, log_V = mirror_step(game, log_U, log_V, gradient, scores, float(step))
    return MirrorRun(np.exp(log_U), np.exp(log_V), w_total / len(draws), V_total / len(draws))
