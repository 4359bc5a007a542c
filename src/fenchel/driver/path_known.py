r"""What is known of the correlations at a new dual point from those at earlier ones.

A path moves its dual point u little, and for a squared loss along pieces of straight lines. With the full
products :math:`v_k = A'(s \circ u_k)/n` at the last reference points and coefficients a,

.. math:: \Bigl| v_j(u) - \sum_k a_k v_{kj} \Bigr| \le \rho_j \, \delta, \qquad
          \delta^2 = \tfrac1n \sum_i s_i \Bigl( u_i - \sum_k a_k u_{ki} \Bigr)^2,

with :math:`\rho_j` the root mean square of column j (Cauchy and Schwarz): true for every a, and best for that
of least squares. No entry of A is read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["Estimate", "KnownCorrelations"]

_INDEPENDENT = 1e-3
"""Of the size of a point: with less beside the other one it says nothing more, and rounding would grow."""
_ROUNDING = 1e-12
"""Of the size of a point, for the rounding of its correlations and of their combinations."""


class Estimate(NamedTuple):
    """Correlations, and the distance that bounds their errors: ``distance`` times the norm of the column."""

    v: FloatArray
    distance: float


class KnownCorrelations:
    """The last two dual points with all their correlations, under the weights of the rows.

    They are kept as an orthonormal basis of their span, in the mean of the weighted squares.
    """

    def __init__(self, weight: FloatArray) -> None:
        self.weight = weight / weight.size
        self._last: tuple[FloatArray, FloatArray] | None = None
        self._points = self._weighted = self._correlations = np.empty((0, 0))

    def add(self, u: FloatArray, v: FloatArray) -> None:
        """Remember a point; ``v`` holds its correlations with all features."""
        basis: list[tuple[FloatArray, FloatArray]] = []
        for point, correlation in [(u, v)] + ([] if self._last is None else [self._last]):
            size = self._size(point)
            for other, known in basis:
                share = float((self.weight * other) @ point)
                point, correlation = point - share * other, correlation - share * known
            rest = self._size(point)
            if rest > _INDEPENDENT * size:
                basis.append((point / rest, correlation / rest))
        self._last = (u, v)
        self._points = np.array([point for point, _ in basis]).reshape(len(basis), u.size)
        self._correlations = np.array([known for _, known in basis]).reshape(len(basis), v.size)
        self._weighted = self._points * self.weight

    def at(self, u: FloatArray) -> Estimate:
        """Estimate the correlations at ``u``. Cost O(n + d)."""
        a = self._weighted @ u
        distance = self._size(u - a @ self._points) + _ROUNDING * float(np.abs(a).sum())
        return Estimate(a @ self._correlations, distance)

    def _size(self, u: FloatArray) -> float:
        return float(np.sqrt((self.weight * u) @ u))
