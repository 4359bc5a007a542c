"""What prox-Newton remembers between its epochs."""

from __future__ import annotations

from dataclasses import dataclass

from fenchel.solvers.base import State
from fenchel.typing import FloatArray

__all__ = ["ProxNewtonState"]


@dataclass
class ProxNewtonState(State):
    """Coefficients ``w``, scores ``z``, loss derivatives ``u``, their correlation ``v``, and two scalars.

    ``damping`` is the theta of the next model. ``level`` multiplies the l1 part: 1 but for continuation,
    which ``continued`` tells of. ``unread`` are the entries that the start took; they count in the first
    epoch, because a start is no pass.
    """

    w: FloatArray
    z: FloatArray
    u: FloatArray
    v: FloatArray
    damping: float
    level: float
    continued: bool
    unread: int
