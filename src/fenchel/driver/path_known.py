r"""What is known of the correlations at a new dual point from those at earlier ones.

A path moves its dual point u little, and for a squared loss along pieces of straight lines. With the full
products :math:`v_k = A'(s \circ u_k)/n` at the last reference points and coefficients a,

.. math:: \Bigl| v_j(u) - \sum_k a_k v_{kj} \Bigr| \le \rho_j \, \delta, \qquad
          \delta^2 = \tfrac1n \sum_i s_i \Bigl( u_i - \sum_k a_k u_{ki} \Bigr)^2,

with :math:`\rho_j` the root mean square of column j (Cauchy and Schwarz): true for every a, and best for that
of least squares. No entry of A is read.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["Estimate", "KnownCorrelations"]

_KEPT = 2
_INDEPENDENT = 1e-8
"""Of the squares of the reference points, relative to the largest: what is more alike counts once."""
_ROUNDING = 1e-14


class Estimate(NamedTuple):
    """Correlations, and the distance that bounds their errors: ``distance`` times the norm of the column."""

    v: FloatArray
    distance: float


@dataclass
class KnownCorrelations:
    """The last dual points with all their correlations, under the weights of the rows."""

    weight: FloatArray
    points: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=_KEPT))
    correlations: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def add(self, u: FloatArray, v: FloatArray) -> None:
        """Remember a point; ``v`` holds its correlations with all features."""
        self.points.append(u)
        self.correlations.append(v)

    def at(self, u: FloatArray) -> Estimate:
        """Estimate the correlations at ``u``. Cost O(n + d)."""
        points = np.array(self.points)
        weighted = points * (self.weight / u.size)
        gram = weighted @ points.T
        a = np.linalg.lstsq(gram, weighted @ u, rcond=_INDEPENDENT)[0]
        rest = u - a @ points
        size = float(np.abs(a) @ np.sqrt(gram.diagonal()))
        distance = float(np.sqrt(np.mean(self.weight * rest * rest))) + _ROUNDING * size
        return Estimate(a @ np.array(self.correlations), distance)
