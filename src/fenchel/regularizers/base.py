"""What every penalty and constraint set offers, and the capabilities that some of them add."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from fenchel.numerics.coordinate import CoordinateForm, scale_into
from fenchel.numerics.vertices import Ray, Vertices
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Regularizer(ABC):
    r"""A convex function :math:`g(w)` of the coefficients, finite in at least one point.

    Every ``g`` is non-negative and closed. ``w`` and ``v`` have shape (d,) or (d, k). The intercept is
    never among them.
    """

    name: ClassVar[str]
    takes_factors: ClassVar[bool] = False
    """Whether ``w`` may be a matrix in factors, and ``v`` a sparse one."""
    is_set: ClassVar[bool] = False
    """Whether it is infinite outside a set, and zero or a penalty with a strength of its own inside."""

    @abstractmethod
    def value(self, w: FloatArray) -> float:
        """The penalty; infinite outside the set."""

    @abstractmethod
    def conjugate(self, v: FloatArray) -> float:
        r"""The conjugate :math:`g^*(v) = \sup_w \langle v, w \rangle - g(w)`; may be infinite."""

    @abstractmethod
    def strong_convexity(self, n_features: int) -> float:
        """The modulus of strong convexity in the Euclidean norm, 0 when there is none."""

    def conjugate_domain(self, n_features: int) -> tuple[FloatArray, FloatArray]:
        """The interval of each ``v_j`` outside which the conjugate is infinite; by default the whole line."""
        return np.full(n_features, -np.inf), np.full(n_features, np.inf)

    def conjugate_scale(self, v: FloatArray) -> float:
        """The largest ``s`` in [0, 1] known to make ``conjugate(s * v)`` finite.

        By default that of :meth:`conjugate_domain`; a regularizer whose conjugate can be infinite inside
        those intervals overrides this.
        """
        return scale_into(v, *self.conjugate_domain(v.shape[0]))

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        """An upper bound on ``sup <v, w> - g(w)`` over the ``w`` with ``g(w) <= level``."""
        return self.conjugate(v)

    def conjugate_failure(self, v: FloatArray) -> float:
        """The probability with which :meth:`conjugate` may be too small; 0 where it is computed exactly."""
        return 0.0

    def check(self, n_features: int) -> None:  # noqa: B027 - many classes have nothing to check
        """Raise InvalidInputError when a per-feature argument does not fit ``n_features``."""


@runtime_checkable
class Proximable(Protocol):
    """A regularizer whose proximal operator is cheap."""

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The minimiser over x of ``step * g(x) + ||x - w||**2 / 2``."""


@runtime_checkable
class BregmanProximable(Protocol):
    """A regularizer of non-negative points whose proximal step under the entropy is cheap."""

    def prox_bregman(self, w: FloatArray, v: FloatArray, step: float) -> FloatArray:
        r"""The minimiser over x of ``step * (<v, x> + g(x)) + D(x, w)``.

        With :math:`D(x, w) = \sum x \log(x/w) - x + w`; ``w`` is positive, or zero where x must be zero.
        """


@runtime_checkable
class LinearlyMinimizable(Protocol):
    """A regularizer with a linear minimisation oracle."""

    def lmo(self, v: FloatArray) -> FloatArray:
        """A minimiser over w of ``<v, w> + g(w)``, where one exists."""


@runtime_checkable
class Separable(Protocol):
    """A regularizer that is a sum over coordinates of one known form."""

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        """The per-feature strengths and bounds."""


@runtime_checkable
class Gauged(Protocol):
    """A norm, whose subgradients at zero are a ball of the dual norm."""

    def gauge(self, v: FloatArray) -> float:
        """The smallest factor t with ``w = 0`` a minimiser of ``<v, w> + t * g(w)``; may be infinite."""


@runtime_checkable
class Polytope(Protocol):
    """A set whose vertices have one coordinate that is not zero, and carry the penalty inside."""

    @property
    def vertices(self) -> Vertices:
        """The vertices and their costs."""


@runtime_checkable
class Radial(Protocol):
    """A regularizer whose best response to v is a multiple of v."""

    @property
    def ray(self) -> Ray | None:
        """The radius and the curvature; None where weights bend the ray."""
