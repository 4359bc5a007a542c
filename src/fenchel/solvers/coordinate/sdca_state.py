"""What SDCA remembers between its epochs."""

from __future__ import annotations

from dataclasses import dataclass

from fenchel.solvers.coordinate.proximal_point import ProximalState
from fenchel.typing import FloatArray

__all__ = ["SDCAState"]


@dataclass
class SDCAState(ProximalState):
    """The state of the proximal dual ascent, and when to try the next Newton steps.

    ``unread`` are the entries that the start took. ``ridge`` is that of the form without a proximal
    term, else 0; under a ridge ``point`` is the primal point of the last epoch, and ``z`` has its scores, but
    where rows are few enough for their matrix only when a step or a choice has asked for them.
    ``reach`` is the length of the next proximal step in those of the passes, 0 where there will be none.
    ``by_matrix`` says that passes read the matrix of the rows, ``matrix``; it and ``exact``, the same without
    rounding, are no part of what is saved.
    """

    next_newton: int
    newton_wait: int
    unread: int
    ridge: float
    point: FloatArray
    z: FloatArray
    reach: float
    by_matrix: bool

    def __post_init__(self) -> None:
        """The matrices are made when they are first wanted."""
        self.matrix: FloatArray | None = None
        self.exact: FloatArray | None = None
