"""What prox-Newton remembers between its epochs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from fenchel._kernels.prox_newton import RowModel
from fenchel.solvers.base import State
from fenchel.solvers.prox_newton.gram_matrix import GramMatrix
from fenchel.typing import FloatArray, IndexArray

__all__ = ["ProxNewtonState"]


@dataclass
class ProxNewtonState(State):
    """Coefficients ``w``, scores ``z``, loss derivatives ``u``, their correlation ``v``, and two scalars.

    ``damping`` is the theta of the next model. ``level`` multiplies the l1 part: 1 but for continuation,
    which ``continued`` tells of. ``unread`` are the entries that the start took; they count in the first
    epoch, because a start is no pass. ``places`` and ``root`` say of which columns the last matrix was made,
    with which roots of the curvatures; ``gram`` is that matrix, made again when a run is resumed, and so are
    ``rows``, the rows of the next model. ``sample`` is the size of the next sample of rows where the steps
    are by rows, else 0.
    """

    growing: ClassVar[Mapping[str, int]] = {"places": 0}

    w: FloatArray
    z: FloatArray
    u: FloatArray
    v: FloatArray
    damping: float
    level: float
    continued: bool
    unread: int
    places: IndexArray
    root: FloatArray
    sample: int

    def __post_init__(self) -> None:
        """A matrix is no part of what is saved."""
        self.gram: GramMatrix | None = None
        self.rows: RowModel | None = None
