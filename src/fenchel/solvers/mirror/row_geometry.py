"""What a geometry of the stochastic subgradient method offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from fenchel._kernels.subgradient_rows import SubgradientRows
from fenchel.problem.problem import Problem
from fenchel.solvers.mirror.averaged import AveragedState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["MovingPoint", "RowGeometry", "SSMState"]


@dataclass
class SSMState(AveragedState):
    """The point, and the weighted sums of the subgradients of every row, with their weights.

    ``point`` is w in the Euclidean geometry, and H with ``w = 2 exp(log_scale) sinh(H)`` in the entropic one.
    """

    point: FloatArray
    log_scale: float
    u_total: FloatArray
    u_weight: FloatArray


class MovingPoint(Protocol):
    """A point during steps of one size; it changes the state's ``point`` and ``w_total`` in place."""

    def take(self, game: SubgradientRows, order: IndexArray) -> None:
        """A step for every row of ``order``."""

    def finish(self) -> float:
        """Bring all rows and sums up to date; the logarithm of the scale."""


@dataclass(frozen=True)
class RowGeometry(ABC):
    """Where steps begin, how long they are, and what one does."""

    @abstractmethod
    def first_radius(self, problem: Problem, wanted: float | None) -> float:
        """The radius that the step size is made for."""

    @abstractmethod
    def start(self, problem: Problem, w: FloatArray, radius: float) -> tuple[FloatArray, float]:
        """``point`` and ``log_scale`` near w."""

    @abstractmethod
    def unit_step(self, problem: Problem, radius: float) -> float:
        """The step size of the theorem for T = 1."""

    @abstractmethod
    def begin(self, problem: Problem, state: SSMState, gamma: float) -> MovingPoint:
        """The point of a state, for steps of size gamma."""

    @abstractmethod
    def widen(self, problem: Problem, state: SSMState) -> None:
        """Go on in a larger ball, where that may hold the optimum."""
