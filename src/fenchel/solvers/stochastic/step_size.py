"""What a step size that the caller gives must be."""

from __future__ import annotations

import math
from numbers import Real

from fenchel.errors import InvalidInputError

__all__ = ["check_step_size"]


def check_step_size(step_size: object) -> None:
    """Refuse anything but None and a finite number above 0."""
    if step_size is None:
        return
    value = float(step_size) if isinstance(step_size, Real) else math.nan
    if isinstance(step_size, bool) or not (math.isfinite(value) and value > 0):
        raise InvalidInputError(
            f"step_size={step_size!r} is not a finite number above 0. Use None for the automatic steps."
        )
