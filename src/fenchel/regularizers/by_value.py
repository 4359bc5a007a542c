"""Equality, hash and copies by value, for frozen dataclasses with arrays among their fields."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from fenchel.regularizers.base import Regularizer

__all__ = ["RegularizerByValue"]


@dataclass(frozen=True, eq=False)
class RegularizerByValue(Regularizer):
    """A concrete class is decorated with ``dataclass(frozen=True, eq=False)``, so that these methods stay."""

    def _store(self, **values: object) -> None:
        """Replace fields by their normalised values while the frozen instance is made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _key(self) -> tuple[object, ...]:
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(
            (value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else value for value in values
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __reduce__(self) -> tuple[object, ...]:
        # Copies and pickles go through the constructor, which makes the arrays read-only again.
        return type(self), tuple(getattr(self, field.name) for field in fields(self))
