"""What the comparison asks of another library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import numpy as np

from benchmarks.instance import FloatArray, Instance, Matrix

__all__ = ["UNLIMITED", "Peer"]

UNLIMITED = 1_000_000


class Peer(ABC):
    """A library, or one solver of it.

    Attributes
    ----------
    module : the package that must be importable.
    layout : whether the fit gets the matrix by rows or by columns.
    compiles : whether the first fit of a process compiles code.
    served : for every loss, the penalties that the solver can fit.
    """

    name: ClassVar[str]
    module: ClassVar[str]
    layout: ClassVar[Literal["rows", "columns"]] = "rows"
    compiles: ClassVar[bool] = False
    served: ClassVar[dict[str, tuple[str, ...]]]

    def refusal(self, instance: Instance) -> str | None:
        """Say why this peer cannot fit the problem; None when it can."""
        if instance.penalty not in self.served.get(instance.loss, ()):
            return f"no {instance.loss.replace('_', ' ')} loss with {instance.penalty} penalty"
        if find_spec(self.module) is None:
            return f"{self.module} is not installed"
        return None

    def fit(self, instance: Instance, tolerance: float) -> FloatArray:
        """Return the coefficients of a fit that stops at the library's own ``tolerance``."""
        A: Matrix = getattr(instance, self.layout)
        w = self._coefficients(A, instance, tolerance)
        return np.ascontiguousarray(np.ravel(w), dtype=np.float64)

    @abstractmethod
    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> Any:
        """Fit and return the coefficients in any shape."""
