"""Numbers for pairs of a line and a class: for all pairs, or for those that were touched."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array, check_vector
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["ClassTable"]

_INT64 = (np.dtype(np.int64),)
_SMALLEST = 1024


@dataclass(frozen=True, eq=False)
class ClassTable:
    """A full table, or a hash table of the pairs that were touched.

    Attributes
    ----------
    n_classes : k.
    values : (lines k, width) by line and class; in a hash table one row a slot.
    key, next : for every slot ``line * k + class`` or -1, and the slot that its line touched before or -1.
    head, count : for every line the slot touched last or -1, and the classes touched.
    size : the slots in use. All five are empty in a full table.
    """

    n_classes: int
    values: FloatArray
    key: IndexArray
    next: IndexArray
    head: IndexArray
    count: IndexArray
    size: IndexArray

    @classmethod
    def full(cls, lines: int, n_classes: int, fresh: tuple[float, ...]) -> ClassTable:
        """All pairs, with these values."""
        values = np.tile(np.array(fresh), (lines * n_classes, 1))
        none = np.empty(0, dtype=np.int64)
        return cls(n_classes, values, none, none, none, none, none)

    @classmethod
    def hashed(cls, lines: int, n_classes: int, width: int, capacity: int = _SMALLEST) -> ClassTable:
        """No pairs."""
        return cls(
            n_classes,
            values=np.zeros((capacity, width)),
            key=np.full(capacity, -1, dtype=np.int64),
            next=np.full(capacity, -1, dtype=np.int64),
            head=np.full(lines, -1, dtype=np.int64),
            count=np.zeros(lines, dtype=np.int64),
            size=np.zeros(1, dtype=np.int64),
        )

    @property
    def is_hashed(self) -> bool:
        return self.key.size > 0

    @property
    def nbytes(self) -> int:
        """The memory of all arrays."""
        arrays = (self.values, self.key, self.next, self.head, self.count, self.size)
        return sum(array.nbytes for array in arrays)

    @property
    def compiled(self) -> _core.ClassArrays:
        """The same table as the kernels take it; no copy."""
        return _core.ClassArrays(
            self.values.reshape(-1), self.key, self.next, self.head, self.count, self.size,
            self.n_classes, self.values.shape[1],
        )  # fmt: skip

    def check(self, name: str, lines: int, width: int) -> None:
        """Refuse a table of other lines or of another width, or one that the kernel cannot write to."""
        check_vector(f"{name}.values", self.values.reshape(-1), self.values.size, writeable=True)
        slots = self.key.size if self.is_hashed else lines * self.n_classes
        if self.values.shape != (slots, width):
            raise InvalidInputError(
                f"{name}.values has shape {self.values.shape}; the kernels need {(slots, width)}."
            )
        if not self.is_hashed:
            return
        for part, array, size in (
            ("key", self.key, slots), ("next", self.next, slots), ("head", self.head, lines),
            ("count", self.count, lines), ("size", self.size, 1),
        ):  # fmt: skip
            check_array(f"{name}.{part}", array, _INT64, 1, size)
        if slots & (slots - 1):
            raise InvalidInputError(f"{name} has {slots} slots; the kernels need a power of two.")

    def grown(self) -> ClassTable:
        """A hash table with the same pairs and twice the slots; O(slots)."""
        larger = self.hashed(self.head.size, self.n_classes, self.values.shape[1], 2 * self.key.size)
        _core.move_classes(self.compiled, larger.compiled)
        return larger

    def dense(self, lines: int, column: int, untouched: FloatArray | float = 0.0) -> FloatArray:
        """One of the values as an array (lines, k); what an untouched class has is given, by line."""
        if not self.is_hashed:
            return self.values[:, column].reshape(lines, self.n_classes).copy()
        result = np.empty((lines, self.n_classes))
        result[:] = np.reshape(untouched, (-1, 1))
        used = np.flatnonzero(self.key >= 0)
        result.reshape(-1)[self.key[used]] = self.values[used, column]
        return result

    def scaled(self, column: int, factor: float) -> None:
        """Multiply one of the values of all pairs, in place."""
        self.values[:, column] *= factor

    def copy(self) -> ClassTable:
        """A table of its own."""
        return replace(
            self,
            values=self.values.copy(), key=self.key.copy(), next=self.next.copy(), head=self.head.copy(),
            count=self.count.copy(), size=self.size.copy(),
        )  # fmt: skip
