"""Checks of the arguments of the dual ascent methods."""

from __future__ import annotations

from numbers import Integral

from fenchel.errors import InvalidInputError

__all__ = ["check_count"]


def check_count(name: str, value: object, *, least: int) -> None:
    """Refuse anything but a whole number of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidInputError(f"{name}={value!r} is not a whole number of at least {least}.")
