r"""The one form of every separable regularizer, and its scalar calculus.

.. math:: g_j(x) = l_{1j}|x| + \tfrac12 l_{2j} x^2 + \mathbb 1[lo_j \le x \le hi_j]

Zero need not lie in ``[lo, hi]``. All functions act on whole arrays; a feature's strengths and bounds
apply to all of its outputs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from fenchel.typing import BoolArray, FloatArray

__all__ = ["CoordinateForm", "along", "bound_on_level", "scale_into", "soft_threshold"]

_Scalar = TypeVar("_Scalar", bound=np.generic)
_BLOCK = 1 << 20
"""Entries of a matrix that are worked on at a time."""


def soft_threshold(v: FloatArray, threshold: npt.ArrayLike) -> FloatArray:
    """Shrink every entry toward zero by ``threshold``; exact zeros inside."""
    result: FloatArray = v - np.clip(v, np.negative(threshold), threshold)
    return result


def scale_into(v: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """The largest ``s`` in [0, 1] with ``lower <= s * v <= upper``, in floating point too.

    ``lower <= 0 <= upper`` have shape (d,), ``v`` has shape (d,) or (d, k).
    """
    if np.all(np.isinf(lower)) and np.all(np.isinf(upper)):
        return 1.0
    parts = [(v[rows], along(lower[rows], v), along(upper[rows], v)) for rows in _blocks(v)]
    scale = min((_largest_scale(*part) for part in parts), default=np.inf)
    if scale == np.inf:
        return 1.0
    # The quotient rounds, so that scale * v can miss the interval by an ulp: step down until it does not.
    while scale > 0 and any(np.any((scale * x > up) | (scale * x < low)) for x, low, up in parts):
        scale = float(np.nextafter(scale, 0.0))
    return scale


def _largest_scale(v: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """The smallest quotient of an end and a value beyond it; infinite where all are inside."""
    outside = (v > upper) | (v < lower)
    if not outside.any():
        return np.inf
    end = np.where(v > 0, upper, lower)
    return float(np.divide(end, v, out=np.ones_like(v), where=outside).min(initial=1.0))


def bound_on_level(groups: Iterable[tuple[float, float]], level: float) -> float:
    """The smallest of ``level * excess + rest`` over the (excess, rest) of some groups."""
    # A level of zero does not hold a coordinate without l1 part.
    return min(float((level * excess if 0 < excess < np.inf else excess) + rest) for excess, rest in groups)


def _blocks(v: FloatArray) -> Iterator[slice]:
    """Rows of about 8 MB together: what is made of them does not take the memory of v many times over."""
    height = max(1, _BLOCK // max(1, v[:1].size))
    return (slice(first, first + height) for first in range(0, len(v), height))


def along(strength: npt.NDArray[_Scalar], w: FloatArray) -> npt.NDArray[_Scalar]:
    """Give an array of one value a row of ``w`` the number of axes of ``w``."""
    return strength if w.ndim == 1 else strength[:, None]


def _weighted_square(w: FloatArray, weight: FloatArray) -> float:
    """``sum_j weight_j |w_j|^2``, without a temporary of the size of ``w``."""
    rows = w.reshape(len(w), -1)
    return float(weight @ np.einsum("jk,jk->j", rows, rows))


@dataclass(frozen=True, eq=False)
class CoordinateForm:
    """Per-feature strengths ``l1``, ``l2`` and bounds ``lower``, ``upper``, each of shape (d,)."""

    l1: FloatArray
    l2: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def broadcast(
        cls,
        n_features: int,
        l1: float = 0.0,
        l2: float = 0.0,
        lower: npt.ArrayLike = -np.inf,
        upper: npt.ArrayLike = np.inf,
        weights: npt.ArrayLike | None = None,
    ) -> "CoordinateForm":
        """Spread scalars over the features; ``weights`` multiply ``l1`` and ``l2``."""
        scale = 1.0 if weights is None else np.asarray(weights, dtype=np.float64)
        arrays, values = np.empty((4, n_features)), (l1 * scale, l2 * scale, lower, upper)
        for array, value in zip(arrays, values, strict=True):
            array[:] = value
        form = cls(*arrays)
        if all(isinstance(value, float) for value in values):
            form.__dict__["_kinds"] = cls(*arrays[:, :1])
        return form

    @cached_property
    def _kinds(self) -> "CoordinateForm":
        """A form that has every kind of coordinate of this one: a single one where all are alike.

        What is said below of some or of all features is found there.
        """
        return self

    @cached_property
    def free(self) -> BoolArray:
        """The features with neither a penalty nor a bound."""
        bounded = np.isfinite(self.lower) | np.isfinite(self.upper)
        result: BoolArray = (self.l1 == 0) & (self.l2 == 0) & ~bounded
        return result

    @property
    def strong_convexity(self) -> float:
        """The smallest ``l2``; 0 when there are no features."""
        return float(self._kinds.l2.min()) if self.l2.size else 0.0

    @cached_property
    def bounded(self) -> bool:
        """Whether some feature has a finite bound."""
        return bool(np.isfinite(self._kinds.lower).any() or np.isfinite(self._kinds.upper).any())

    @cached_property
    def kinked(self) -> bool:
        """Whether some feature has an l1 part."""
        return bool(self._kinds.l1.any())

    @cached_property
    def curved(self) -> bool:
        """Whether every feature has an l2 part, so that the conjugate is finite everywhere."""
        return bool((self._kinds.l2 > 0).all())

    @cached_property
    def quadratic(self) -> bool:
        """Whether no feature has a kink or a bound: ``sum_j l2_j x_j^2 / 2`` and nothing else."""
        return not (self.bounded or self.kinked)

    @cached_property
    def ridge(self) -> float:
        """The l2 of a form that is ``l2 / 2 |w|^2`` and nothing else; 0 for any other."""
        l2 = float(self.l2[0]) if self.l2.size else 0.0
        return l2 if self.quadratic and bool((self._kinds.l2 == l2).all()) else 0.0

    def restrict(self, coordinates: npt.NDArray[np.integer | np.bool_] | slice) -> "CoordinateForm":
        """The form of the named features."""
        return CoordinateForm(
            self.l1[coordinates], self.l2[coordinates], self.lower[coordinates], self.upper[coordinates]
        )

    @cached_property
    def only_l1(self) -> bool:
        """Whether this is a weighted l1 norm: then the conjugate is the indicator of a box."""
        return not (self.bounded or self._kinds.l2.any() or (self._kinds.l1 == 0).any())

    def extended_by_free(self, count: int) -> "CoordinateForm":
        """Append ``count`` free coordinates."""
        zeros, infinite = np.zeros(count), np.full(count, np.inf)
        return CoordinateForm(
            np.concatenate([self.l1, zeros]),
            np.concatenate([self.l2, zeros]),
            np.concatenate([self.lower, -infinite]),
            np.concatenate([self.upper, infinite]),
        )

    def value(self, w: FloatArray) -> float:
        """The sum of ``g_j(w_j)``; infinite when a bound is broken."""
        return sum((part._value(w[rows]) for rows, part in self._parts(w)), 0.0)

    def _value(self, w: FloatArray) -> float:
        if self.bounded and (np.any(w < along(self.lower, w)) or np.any(w > along(self.upper, w))):
            return np.inf
        if self.curved and not self.kinked:
            return 0.5 * _weighted_square(w, self.l2)
        size = np.abs(w)
        if self.only_l1:
            return float(np.sum(along(self.l1, w) * size))
        # Factored, so that l2 = 0 never meets an overflowed square.
        return float(np.sum(size * (along(self.l1, w) + 0.5 * along(self.l2, w) * size)))

    def prox(self, w: FloatArray, step: npt.ArrayLike) -> FloatArray:
        """The minimiser of ``step g(x) + ||x - w||^2 / 2``: shrink, scale, clip (exact in one dimension)."""
        shrunk = soft_threshold(w, np.multiply(step, along(self.l1, w)))
        scaled = shrunk / (1.0 + np.multiply(step, along(self.l2, w)))
        return np.clip(scaled, along(self.lower, w), along(self.upper, w))

    def lmo(self, v: FloatArray) -> FloatArray:
        """A minimiser of ``<v, x> + g(x)``; infinite where there is none."""
        l1, l2 = along(self.l1, v), along(self.l2, v)
        lower, upper = along(self.lower, v), along(self.upper, v)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            curved = soft_threshold(-v, l1) / l2 if self.kinked else v / -l2
        if self.curved:
            return np.clip(curved, lower, upper) if self.bounded else curved
        # Without curvature the minimiser is an end of the interval, or the point nearest zero.
        linear = np.where(v > l1, lower, np.where(v < -l1, upper, np.clip(0.0, lower, upper)))
        return np.where(l2 > 0, np.clip(curved, lower, upper), linear)

    def conjugate_terms(self, v: FloatArray) -> FloatArray:
        """``sup_x v_j x - g_j(x)`` for every coordinate."""
        x = self.lmo(-v)
        attained = np.isfinite(x)
        x = np.where(attained, x, 0.0)
        # Factored: v x and l1 |x| nearly cancel when |v| is just above l1.
        slope = v - along(self.l1, v) * np.sign(x)
        return np.where(attained, x * (slope - 0.5 * along(self.l2, v) * x), np.inf)

    def conjugate(self, v: FloatArray) -> float:
        """The conjugate, infinite outside :meth:`conjugate_domain`."""
        if self.only_l1:
            return 0.0 if np.all(np.abs(v) <= along(self.l1, v)) else np.inf
        if self.curved and self.quadratic:
            return 0.5 * _weighted_square(v, 1.0 / self.l2)
        return sum((float(np.sum(part.conjugate_terms(v[rows]))) for rows, part in self._parts(v)), 0.0)

    def _parts(self, v: FloatArray) -> Iterator[tuple[slice, "CoordinateForm"]]:
        """The blocks of an array of values, with their part of the form."""
        if v.size <= _BLOCK:
            yield slice(None), self
            return
        for rows in _blocks(v):
            yield rows, self.restrict(rows)

    def conjugate_domain(self) -> tuple[FloatArray, FloatArray]:
        """The closed interval of each ``v_j`` on which the conjugate is finite."""
        if self.curved and not self.bounded:
            return self.lower, self.upper  # whole lines too
        if self.curved:
            return np.full(self.l2.size, -np.inf), np.full(self.l2.size, np.inf)
        curved = self.l2 > 0
        lower = np.where(curved | np.isfinite(self.lower), -np.inf, -self.l1)
        upper = np.where(curved | np.isfinite(self.upper), np.inf, self.l1)
        return lower, upper

    def conjugate_on_level(self, v: FloatArray, level: float) -> float:
        r"""Bound ``sup <v, w> - g(w)`` over the ``w`` with ``g(w) <= level``.

        On the coordinates J that carry an l1 part, :math:`v_j w_j - g_j(w_j) \le
        (|v_j|/l_{1j} - 1)_+ \, l_{1j}|w_j|`, and the last factors sum to at most ``level``. The
        coordinates outside J pay their conjugate. J is either all that have an l1 part, or only
        those whose conjugate is infinite; the smaller bound is returned.
        """
        if self.only_l1:
            with np.errstate(over="ignore"):
                ratio = np.abs(v) / along(self.l1, v)
            largest = float(ratio.max(initial=1.0)) - 1.0
            return float(level * largest) if largest > 0.0 else 0.0
        blocks = [part._excesses(v[rows]) for rows, part in self._parts(v)]
        groups = (
            (
                max((block[group][0] for block in blocks), default=0.0),
                sum(block[group][1] for block in blocks),
            )
            for group in range(2)
        )
        return bound_on_level(groups, level)

    def _excesses(self, v: FloatArray) -> list[tuple[float, float]]:
        """For both choices of J the largest :math:`(|v_j|/l_{1j} - 1)_+`, and the conjugate outside J."""
        l1, terms = along(self.l1, v), self.conjugate_terms(v)
        penalised = np.broadcast_to(l1 > 0, v.shape)
        slope = np.maximum(np.abs(v) - l1, 0.0)
        with np.errstate(over="ignore"):
            excess = np.divide(slope, l1, out=np.full_like(v, np.inf), where=penalised)
        groups = (penalised, np.isinf(terms))
        return [(float(excess[group].max(initial=0.0)), float(terms[~group].sum())) for group in groups]
