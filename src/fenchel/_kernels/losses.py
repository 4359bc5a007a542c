"""The losses as the kernels know them: a tag and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from fenchel._kernels import _core
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["LOSS_NAMES", "KernelLoss", "conjugate", "gradient", "prox_conjugate", "value"]

LOSS_NAMES: tuple[str, ...] = tuple(_core.LossTag.__members__)
"""The names of the compiled losses."""


class NamedLoss(Protocol):
    """A loss with its name in the registry, and its fields in order."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> tuple[float, ...]: ...


@dataclass(frozen=True)
class KernelLoss:
    """A compiled loss: its registry name, and its fields in order."""

    name: str
    parameters: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a name that the kernels lack, or the wrong number of parameters."""
        if self.name not in LOSS_NAMES:
            known = ", ".join(LOSS_NAMES)
            raise InvalidInputError(f"No kernel knows the loss {self.name!r}; the compiled ones are {known}.")
        expected = _core.loss_parameter_count(self.tag)
        if len(self.parameters) != expected:
            raise InvalidInputError(
                f"The loss {self.name!r} takes {expected} parameter(s), got {self.parameters}."
            )

    @classmethod
    def of(cls, loss: NamedLoss) -> KernelLoss:
        """The compiled form of a loss."""
        return _known(loss.name, loss.parameters)

    @property
    def tag(self) -> _core.LossTag:
        """The member of the compiled enumeration."""
        return _core.LossTag[self.name]

    @cached_property
    def compiled(self) -> _core.Loss:
        """The loss as the kernels take it."""
        return _core.Loss(self.tag, np.array(self.parameters, dtype=np.float64))

    def __reduce__(self) -> tuple[object, ...]:
        """What the kernels take is made anew in another process."""
        return KernelLoss, (self.name, self.parameters)


@lru_cache(maxsize=64)
def _known(name: str, parameters: tuple[float, ...]) -> KernelLoss:
    """One object for equal losses: a small fit asks for its own many times."""
    return KernelLoss(name, parameters)


def _aligned(*arrays: FloatArray) -> list[FloatArray]:
    return [np.array(a, dtype=np.float64, order="C").ravel() for a in np.broadcast_arrays(*arrays)]


def value(loss: KernelLoss, z: FloatArray, b: FloatArray) -> FloatArray:
    """The loss of every row, as the kernels compute it."""
    z, b = _aligned(z, b)
    out = np.empty_like(z)
    loss.compiled.value(z, b, out)
    return out


def gradient(loss: KernelLoss, z: FloatArray, b: FloatArray) -> FloatArray:
    """The derivative of every row, as the kernels compute it."""
    z, b = _aligned(z, b)
    out = np.empty_like(z)
    loss.compiled.gradient(z, b, out)
    return out


def conjugate(loss: KernelLoss, u: FloatArray, b: FloatArray) -> FloatArray:
    """The conjugate of every row, as the kernels compute it."""
    u, b = _aligned(u, b)
    out = np.empty_like(u)
    loss.compiled.conjugate(u, b, out)
    return out


def prox_conjugate(loss: KernelLoss, v: FloatArray, b: FloatArray, step: FloatArray) -> FloatArray:
    """The prox of the conjugate of every row, as the kernels compute it."""
    v, b, step = _aligned(v, b, step)
    out = np.empty_like(v)
    loss.compiled.prox_conjugate(v, b, step, out)
    return out
