"""What every loss offers: value, gradient, conjugate, and the prox of the conjugate."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from fenchel.typing import BoolArray, FloatArray

DOMAIN_SLACK = 1e-13
"""A dual value this far outside its domain is rounding, and is clipped."""


class DualDomain(ABC):
    """The set on which the conjugates of the rows are finite, one set a row."""

    @abstractmethod
    def contains(self, u: FloatArray) -> BoolArray:
        """Tell for every row whether ``u`` is inside, up to ``DOMAIN_SLACK``; shape (n,)."""

    @abstractmethod
    def project(self, u: FloatArray) -> FloatArray:
        """Return the nearest point of the domain, row by row."""

    @abstractmethod
    def room(self, u: FloatArray) -> FloatArray:
        """How far each entry can move before it leaves the domain; zero on the boundary, at most 1."""

    def balance(self, u: FloatArray, sample_weight: FloatArray) -> FloatArray | None:
        """A point of the domain near ``u`` with ``sum_i s_i u_i = 0``, or None: no formula gives one."""
        return None


@dataclass(frozen=True)
class IntervalDomain(DualDomain):
    """An interval for every entry of ``u``; the ends may be infinite."""

    lower: FloatArray
    upper: FloatArray

    def contains(self, u: FloatArray) -> BoolArray:
        inside = (u >= self.lower - DOMAIN_SLACK) & (u <= self.upper + DOMAIN_SLACK)
        result: BoolArray = inside if u.ndim == 1 else np.all(inside, axis=1)
        return result

    def project(self, u: FloatArray) -> FloatArray:
        return np.minimum(np.maximum(u, self.lower), self.upper)  # np.clip takes three times as long

    def room(self, u: FloatArray) -> FloatArray:
        nearest = np.minimum(u - self.lower, self.upper - u)
        return np.clip(nearest, 0.0, 1.0)


@dataclass(frozen=True)
class Loss(ABC):
    r"""A convex loss :math:`\phi(z, b)` of a score ``z`` and a target ``b``.

    All methods act on whole arrays, row by row. A scalar loss takes ``z``, ``u`` and ``b`` of shape
    (n,); a loss with vector outputs takes (n, k). Dual variables live in the domain of
    :math:`\phi^*`, whatever the sample weights: weights are the problem's business.

    Attributes
    ----------
    name : str
        The loss's name in the registry, on the command line and in the kernels.
    task : str
        "classification" (targets -1 and +1), "multiclass" (targets one-hot, one column a class) or
        "regression" (real targets).
    vector_output : bool
        Whether ``z`` has one column an output.
    coupled : bool
        Whether the outputs of a row depend on each other, so that the second derivative is not diagonal.
    compiled : bool
        Whether the kernels know the loss under its name; its parameters are its fields.
    sparse_dual : bool
        Whether the loss is flat somewhere, so that rows can have the dual value 0.
    open_dual : bool
        Whether no derivative is an end of the dual domain, so that no row can rest there.
    separating_value : float
        For a loss that is above zero everywhere: a row with a smaller loss has its class ahead of all others.
        0 for other losses.
    indicator : bool
        Whether the loss is the indicator of a set: zero on it and infinite elsewhere.
    constant_curvature : bool
        Whether the second derivative is the same everywhere.
    """

    name: ClassVar[str]
    task: ClassVar[str]
    vector_output: ClassVar[bool] = False
    coupled: ClassVar[bool] = False
    compiled: ClassVar[bool] = True
    sparse_dual: ClassVar[bool] = False
    open_dual: ClassVar[bool] = False
    separating_value: ClassVar[float] = 0.0
    indicator: ClassVar[bool] = False
    constant_curvature: ClassVar[bool] = False

    @property
    @abstractmethod
    def smoothness(self) -> float:
        """The Lipschitz constant of the gradient (1/gamma); infinite when there is none."""

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """The Lipschitz constant of the loss in ``z``; infinite when there is none."""

    @abstractmethod
    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """The loss of every row, shape (n,). Never negative."""

    @abstractmethod
    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """The derivative in ``z`` (one subgradient where there are several), shape of ``z``."""

    @abstractmethod
    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """The second derivative in ``z`` almost everywhere (diagonal), shape of ``z``."""

    def damping_curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        """A curvature to damp Newton steps with, shape of ``z``: not below the second derivative.

        Where the loss flattens its second derivative vanishes, and a Newton step is much too long. This one
        vanishes slowly or not at all; a share of it is the floor under the second derivative. By default the
        second derivative itself: no damping.
        """
        return self.curvature(z, b)

    def hessian_map(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """The map of a direction to its product with the second derivative, row by row."""
        curvature = self.curvature(z, b)
        return lambda direction: curvature * direction

    @abstractmethod
    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        """The conjugate of every row, shape (n,); infinite outside the domain."""

    @abstractmethod
    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        """The minimiser over t of ``step * conjugate(t) + (t - v)**2 / 2``, shape of ``v``.

        ``step`` is a positive scalar, or one value a row.
        """

    @abstractmethod
    def dual_domain(self, b: FloatArray) -> DualDomain:
        """The domain of the conjugate, row by row."""

    @property
    def parameters(self) -> tuple[float, ...]:
        """The values of the fields, in the order in which the kernels expect them."""
        values: list[float] = []
        for field in fields(self):
            value = getattr(self, field.name)
            values.extend(value.parameters if isinstance(value, Loss) else [float(value)])
        return tuple(values)

    @property
    def smooth(self) -> bool:
        """Whether the gradient is Lipschitz."""
        return math.isfinite(self.smoothness)


@runtime_checkable
class EntropicallyProximable(Protocol):
    """A loss of several classes whose conjugate has a cheap proximal step under the entropy."""

    def prox_conjugate_entropic(
        self, log_p: FloatArray, z: FloatArray, b: FloatArray, step: float
    ) -> FloatArray:
        r"""The logarithm of the minimiser over probability rows q of a step from ``p``.

        The function is ``step * (conjugate(q - b) - <q, z>) + sum q log(q / p)``, row by row.
        """


@dataclass(frozen=True)
class ScalarLoss(Loss):
    """A loss of one score a row: its conjugate has a subdifferential that is an interval."""

    @abstractmethod
    def conjugate_slopes(self, u: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The ends of the subdifferential of the conjugate at ``u``, shape of ``u`` each.

        They are the scores ``z`` at which ``u`` is a subgradient of the loss. At an end of the domain
        the interval is unbounded to that side. ``u`` lies in the domain.
        """
