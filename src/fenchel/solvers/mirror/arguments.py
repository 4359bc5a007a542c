"""Checks of the arguments that mirror solvers share."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np

from fenchel.errors import InvalidInputError

__all__ = ["check_choice", "check_positive", "check_steps"]


def check_positive(owner: object, name: str, value: object) -> None:
    """Refuse what is neither None nor a finite number above 0."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise InvalidInputError(
            f"{type(owner).__name__} cannot use {name}={value!r}: it is not a finite number above 0. "
            "Pass None for the default."
        )


def check_choice(name: str, value: object, known: tuple[str, ...]) -> None:
    """Refuse anything but one of the known words."""
    if value not in known:
        raise InvalidInputError(f"{name}={value!r} is unknown. Use one of {known}.")


def check_steps(steps: object) -> None:
    """Refuse anything but None and a number of steps."""
    if steps is None:
        return
    if isinstance(steps, bool) or not isinstance(steps, Integral) or steps < 1:
        raise InvalidInputError(
            f"steps={steps!r} is not a whole number above 0. Use None for step sizes that serve any number."
        )
