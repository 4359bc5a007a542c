"""The proof of quality that every fit carries."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["Certificate", "relative"]

_NONE = np.empty(0)


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
    violation : float
        Where the loss is a constraint: the largest distance r_i of a score from its set; else 0.
    relative_violation : float
        ``violation`` over the size of the targets (of the scores, where these are all zero).
    relaxation : float
        :math:`\tfrac1n \sum_i s_i r_i \|u_i\|`, with the distances of the rows; 0 where nothing is violated.
    distances : ndarray of shape (n,)
        The distances r_i of a constraint; empty for other losses.

    Notes
    -----
    Where the loss is a constraint, ``primal`` is :math:`g(w)`, which is P(w) when ``violation`` is zero up to
    rounding, and ``dual`` is a lower bound on P* in any case. Else the certificate is relaxed: with the sets
    enlarged by r_i, which makes w feasible, the dual value of the same u is less by ``relaxation``, so that

    .. math:: g(w) - P^*_r \le \text{gap} = g(w) - D(u) + \tfrac1n \sum_i s_i r_i \|u_i\|

    with the optimum :math:`P^*_r \le P^*` of the enlarged problem. The gap and the violation belong
    together: neither says much alone.

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
    dual_point: FloatArray = field(default_factory=lambda: _NONE, repr=False)
    failure: float = 0.0
    violation: float = 0.0
    relative_violation: float = field(default=0.0, repr=False)
    relaxation: float = field(default=0.0, repr=False)
    distances: FloatArray = field(default_factory=lambda: _NONE, repr=False)

    @property
    def gap(self) -> float:
        """``primal - dual + relaxation``; never negative, because a negative difference is rounding."""
        return max(self.primal - self.dual + self.relaxation, 0.0)

    @property
    def relative_gap(self) -> float:
        """``gap / max(|primal|, |dual|)``; 0 when the gap is 0."""
        return relative(self.gap, self.primal, self.dual)

    @property
    def rank(self) -> tuple[float, float, float]:
        """What ranks primal points beside one dual point, the best first: for most losses the primal value.

        A small value counts for nothing while constraints are broken, nor does a small violation at a value
        far from the optimum: there the larger one of the relative gap and the relative violation decides.
        Violations of the size of the targets are all alike; then the gap decides, which weighs them by the
        dual point.
        """
        if self.distances.size == 0:
            return 0.0, 0.0, self.primal
        gap = self.relative_gap
        return max(gap, min(self.relative_violation, 1.0)), gap, self.primal

    @property
    def numbers(self) -> Certificate:
        """The same without its arrays."""
        return Certificate(
            self.primal,
            self.dual,
            self.radius,
            failure=self.failure,
            violation=self.violation,
            relative_violation=self.relative_violation,
            relaxation=self.relaxation,
        )

    def __add__(self, other: Certificate) -> Certificate:
        """Add the certificates of two independent problems: their values add up."""
        return Certificate(
            self.primal + other.primal,
            self.dual + other.dual,
            max(self.radius, other.radius),
            failure=self.failure + other.failure,
            violation=max(self.violation, other.violation),
            relative_violation=max(self.relative_violation, other.relative_violation),
            relaxation=self.relaxation + other.relaxation,
        )
