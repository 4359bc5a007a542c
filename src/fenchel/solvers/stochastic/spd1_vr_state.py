"""What SPD1-VR keeps between its snapshots."""

from __future__ import annotations

from dataclasses import dataclass

from fenchel._kernels.entries import AliasTables
from fenchel.solvers.centred_game import CentredGame
from fenchel.solvers.stochastic.entry_sampling import EntrySampling
from fenchel.solvers.stochastic.step_search import SearchState
from fenchel.typing import FloatArray

__all__ = ["SPD1VRState"]


@dataclass
class SPD1VRState(SearchState):
    """Both points and their products, the best ones, the proximal terms, and how entries are drawn.

    ``v = A'(s u) / n`` and ``z = A w`` after every snapshot. ``unit`` is the scale of each coordinate of w
    in the steps.
    """

    epoch: int
    snapshots: int
    w: FloatArray
    u: FloatArray
    v: FloatArray
    z: FloatArray
    best_w: FloatArray
    best_u: FloatArray
    best_v: FloatArray
    best_z: FloatArray
    alpha: FloatArray
    beta: float
    shrinkage: float
    centre_w: FloatArray
    centre_u: FloatArray
    unit: FloatArray
    choice: AliasTables
    in_row: AliasTables
    in_column: AliasTables
    row: FloatArray
    column: FloatArray
    spread: FloatArray
    mass: float

    @property
    def sampling(self) -> EntrySampling:
        """How the entries are drawn."""
        return EntrySampling(
            self.choice, self.in_row, self.in_column, self.row, self.column, self.spread, self.mass
        )

    @property
    def game(self) -> CentredGame:
        """The game whose steps are being made."""
        alpha, beta = self.shrinkage * self.alpha, self.shrinkage * self.beta
        return CentredGame(alpha, beta, self.centre_w, self.centre_u)

    def keep_best(self) -> None:
        """Remember the points as the best so far."""
        self.best_w[:], self.best_u[:], self.best_v[:], self.best_z[:] = self.w, self.u, self.v, self.z

    def restore_best(self) -> None:
        """Give the points up for the best so far."""
        self.w[:], self.u[:], self.v[:], self.z[:] = self.best_w, self.best_u, self.best_v, self.best_z
