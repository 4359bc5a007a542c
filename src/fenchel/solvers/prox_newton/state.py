"""What prox-Newton remembers between its epochs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from fenchel._kernels.prox_newton import RowModel
from fenchel.solvers.base import State
from fenchel.typing import FloatArray, IndexArray

__all__ = ["ProxNewtonState"]


@dataclass
class ProxNewtonState(State):
    """Coefficients ``w``, scores ``z``, loss derivatives ``u``, their correlation ``v``, and two scalars.

    ``damping`` is the theta of the next model. ``level`` multiplies the l1 part: 1 but for continuation,
    which ``continued`` tells of. ``unread`` are the entries that the start took; they count in the first
    epoch, because a start is no pass. ``places`` and ``root`` say of which columns the last matrix was made,
    with which roots of the curvatures; ``matrix``, ``cross`` and ``total`` are that matrix, corrected since,
    and ``w_before`` and ``c_before`` the coefficients and derivatives that correct it next. ``rows``, the
    rows of the next model, are made again when a run is resumed. ``sample`` is the size of the next sample of
    rows where the steps are by rows, else 0.
    """

    growing: ClassVar[Mapping[str, int]] = dict.fromkeys(
        ("places", "matrix", "cross", "w_before", "c_before"), 0
    )

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
    matrix: FloatArray = field(default_factory=lambda: np.empty(0))
    cross: FloatArray = field(default_factory=lambda: np.empty(0))
    total: float = 0.0
    w_before: FloatArray = field(default_factory=lambda: np.empty(0))
    c_before: FloatArray = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        """Rows are no part of what is saved."""
        self.rows: RowModel | None = None

    def forget_matrix(self) -> None:
        """No step by it lowered the objective."""
        self.places = np.empty(0, dtype=np.int64)
