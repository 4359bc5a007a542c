"""The inner steps of SPD1-VR on contiguous blocks of a dense matrix, and how long they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels.spd1_vr_blocks import (
    LARGEST_BLOCK,
    BlockDraws,
    SaddleSteps,
    Snapshot,
    spd1_vr_block_steps,
)
from fenchel._kernels.views import DenseLines
from fenchel.errors import UnsupportedProblemError
from fenchel.numerics.partition import Partition
from fenchel.problem.problem import Problem
from fenchel.solvers.centred_game import CentredGame
from fenchel.solvers.stochastic.spd1_vr_state import SPD1VRState

__all__ = ["LARGEST_RHO", "BlockShape", "block_shape"]

LARGEST_RHO = 1.0
"""The largest product that the search tries."""

_ROWS, _COLUMNS = 8, 64
_WIDER = 32
"""A block may have one column for so many of the longer side: up to there the first product of the steps
grows with the block, and the rate of a pass does not fall."""
_FEWEST = 4
"""Blocks on a side, at least: a matrix of one block knows no other rows or columns for its first half."""
_SMALL = 10_000
"""Entries of a matrix below which the products and the gaps, not the steps, take the time."""
_LARGEST_FIRST, _FASTEST = 1.0 / 4.0, 2.0
"""Of the product, and of the contraction that it gives to an epoch."""


def block_shape(problem: Problem, block: str | tuple[int, int]) -> BlockShape | None:
    """The shape that was asked for; None for single entries.

    "auto": 8 x 64 on a dense matrix, wider on a large one, less on a narrow one; entries on a sparse or a
    small one. Wide, because a row of a block costs a prox of the conjugate whatever its length, and its
    entries are contiguous.
    """
    n, d = problem.design.shape
    dense = isinstance(problem.design.rows, DenseLines)
    if block == "entries" or (block == "auto" and (not dense or n * d < _SMALL)):
        return None
    if not dense:
        raise UnsupportedProblemError(
            "SPD1VR cannot draw blocks of a sparse matrix: they are mostly zeros. Use block='entries'."
        )
    if isinstance(block, tuple):
        return BlockShape(min(block[0], n), min(block[1], d))
    widest = min(max(_COLUMNS, max(n, d) // _WIDER), LARGEST_BLOCK)
    return BlockShape(min(_ROWS, max(1, n // _FEWEST)), min(widest, max(1, d // _FEWEST)))


@dataclass(frozen=True)
class BlockShape:
    r"""Blocks of at most ``rows`` by ``columns`` entries, and the steps that belong to them.

    With :math:`m_j = l_{2j} + \alpha_j`, :math:`\eta_j = \eta / m_j`, :math:`\bar a^2` the mean of
    :math:`s_i a_{ij}^2 / m_j`, and blocks of p rows and q columns,

    .. math:: \eta\, \tau\, \bar a^2 = \rho, \qquad \eta\, \frac np = \frac{\tau \gamma}q.

    The first bounds what a step can amplify. The second makes both sides contract at the same rate in an
    epoch, in which a coordinate of w is drawn n / p times and one of u D / q times; that rate depends on p q
    alone, not on the shape.
    """

    rows: int
    columns: int

    def first_rho(self, problem: Problem, game: CentredGame) -> float:
        """A product to begin the search with, as for entries: the noise of a step falls with its entries."""
        rho = min(_LARGEST_FIRST, self.rows * self.columns / max(problem.design.shape))
        return rho * min(1.0, (_FASTEST / self.contraction(problem, game, rho)) ** 2)

    def contraction(self, problem: Problem, game: CentredGame, rho: float) -> float:
        """The share of its distance to the solution that an epoch takes away from every coordinate."""
        return self._eta_tau(problem, game, rho)[0] * problem.n_samples / self.rows

    def block_pass(self, problem: Problem, state: SPD1VRState, rho: float, threads: int) -> int:
        """As many steps as A has blocks. Returns the entries read."""
        game, rng = state.game, state.rng
        n, d = problem.n_samples, problem.n_coordinates
        eta, tau = self._eta_tau(problem, game, rho)
        rows, columns = Partition.even(n, self.rows), Partition.even(d, self.columns)
        count = max(1, round(n * d / (self.rows * self.columns)))
        return spd1_vr_block_steps(
            problem.design.rows,
            BlockDraws(
                rows.bounds,
                columns.bounds,
                row=rows.draw(count, rng),
                other_row=rows.draw(count, rng),
                column=columns.draw(count, rng),
                other_column=columns.draw(count, rng),
            ),
            problem.kernel_loss,
            b=problem.b,
            sample_weight=problem.sample_weight,
            form=problem.coordinate_form,
            steps=SaddleSteps(
                eta / game.metric(problem),
                np.full(n, tau),
                game.alpha,
                game.centre_w,
                game.beta,
                game.centre_u,
            ),
            snapshot=Snapshot(state.w.copy(), state.u.copy(), state.v, state.z / d),
            w=state.w,
            u=state.u,
            threads=threads,
        )

    def _eta_tau(self, problem: Problem, game: CentredGame, rho: float) -> tuple[float, float]:
        n, gamma = problem.n_samples, game.gamma(problem)
        mean = float(np.mean(problem.column_norms**2 / game.metric(problem))) or 1.0
        eta = float(np.sqrt(rho * gamma * self.rows / (n * self.columns * mean)))
        return eta, rho / (eta * mean)
