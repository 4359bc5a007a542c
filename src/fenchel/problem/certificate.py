"""The proof of quality that every fit carries."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["Certificate", "relative"]


def relative(gap: float, primal: float, dual: float) -> float:
    """Divide a gap by the larger of the two values in magnitude; 0 when the gap is 0."""
    if gap == 0.0:
        return 0.0
    scale = max(abs(primal), abs(dual))
    return gap / scale if 0 < scale < np.inf else np.inf


@dataclass(frozen=True, eq=False)
class Certificate:
    r"""A primal value, a lower bound on the optimum, and the dual point that proves the bound.

    .. math:: 0 \le P(w) - P^* \le \text{gap} = P(w) - D(u)

    Attributes
    ----------
    primal : float
        :math:`P(w)`, recomputed in float64 from ``w``.
    dual : float
        A lower bound on :math:`P^*`, recomputed in float64 from ``dual_point``.
    radius : float
        0 when the bound holds without assumption. Coordinates without penalty (the intercept) leave a
        residual of rounding size in the dual constraint; the bound pays it with this radius, and holds
        when some minimiser has no such coordinate beyond it.
    dual_point : ndarray of shape (n,) or (n, k)
        The feasible dual point ``u``: certifying ``(w, u)`` again gives the same values.
    failure : float
        0 when the bound is proven. Otherwise the probability, over the seed of the computation, with
        which it may fail: a bound on the largest singular value of a large sparse matrix.

    Examples
    --------
    >>> Certificate(primal=1.0, dual=0.75).gap
    0.25
    >>> Certificate(primal=1.0, dual=0.75).relative_gap
    0.25
    """

    primal: float
    dual: float
    radius: float = 0.0
    dual_point: FloatArray = field(default_factory=lambda: np.empty(0), repr=False)
    failure: float = 0.0

    @property
    def gap(self) -> float:
        """``primal - dual``; never negative, because a negative difference is rounding."""
        return max(self.primal - self.dual, 0.0)

    @property
    def relative_gap(self) -> float:
        """``gap / max(|primal|, |dual|)``; 0 when the gap is 0."""
        return relative(self.gap, self.primal, self.dual)

    def __add__(self, other: Certificate) -> Certificate:
        """Add the certificates of two independent problems: their values add up."""
        return Certificate(
            self.primal + other.primal,
            self.dual + other.dual,
            max(self.radius, other.radius),
            failure=self.failure + other.failure,
        )
