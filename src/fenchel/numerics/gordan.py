r"""Proofs that no direction separates: positive weights of the rows that add up to zero.

The rows :math:`a_i` of a matrix are separated by theta when :math:`a_i^\top \theta > 0` for all i. By
Gordan's theorem no theta does so exactly when some :math:`u \ge 0`, :math:`u \ne 0` has
:math:`\sum_i u_i a_i = 0`. Weights in floating point make that sum small, never zero; two proofs are exact
in spite of it.

*Interior.* With :math:`N = \operatorname{diag}(u) A` over rows with positive weights and the column sums
:math:`r = N^\top 1`: if :math:`N \theta \ge 0`, then

.. math:: \sigma_{\min}(N) \|\theta\| \le \|N\theta\|_2 \le \|N\theta\|_1 = r^\top \theta
          \le \|r\| \|\theta\|,

so :math:`\|r\| < \sigma_{\min}(N)` leaves :math:`\theta = 0` alone: not even weak separation is possible.

*Rational.* Floating point numbers are fractions. Elimination without rounding gives weights whose sum is
exactly zero; it is affordable for small sets, and needs no full rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["balanced_weights", "is_balanced", "leaves_no_direction", "rational_weights"]

_EPS = float(np.finfo(float).eps)
_STEPS = 40
_REACH = 0.9
_SVD_CONSTANT = 8.0
"""Singular values are taken to be wrong by this many times (m + k) eps times the Frobenius norm."""
_MOST_OPERATIONS = 200_000
"""Fractions that an elimination may touch: a few seconds."""


def _scaled(rows: FloatArray) -> FloatArray:
    """Drop columns of zeros, and divide the others by powers of 2: exact, and the sizes are alike."""
    largest = np.abs(rows).max(axis=0, initial=0.0)
    kept = largest > 0.0
    _, exponents = np.frexp(largest[kept])
    scaled: FloatArray = np.ldexp(rows[:, kept], -exponents)
    return scaled


def balanced_weights(rows: FloatArray, weights: FloatArray) -> FloatArray:
    r"""Move positive weights so that the weighted rows add up to nearly zero; the weights sum to 1.

    A step takes from :math:`1` its projection on the range of N, the smallest relative change that makes
    the sum zero; it is shortened where a weight would not stay positive. Cost O(m k^2) a step.
    """
    rows = _scaled(rows)
    u = weights / weights.sum()
    for _ in range(_STEPS):
        N = u[:, None] * rows
        change = N @ np.linalg.lstsq(N, np.ones(len(N)), rcond=None)[0]
        largest = float(change.max(initial=0.0))
        u = u * (1.0 - min(1.0, _REACH / largest if largest > 0.0 else 1.0) * change)
        u /= u.sum()
        if float(np.abs(change).max(initial=0.0)) <= 1e-8:
            break
    result: FloatArray = u
    return result


def leaves_no_direction(rows: FloatArray, weights: FloatArray) -> bool:
    """Prove that ``rows @ theta >= 0`` has no solution but zero, from positive weights: see *Interior* above.

    Rounding is counted on the side of doubt. Columns of zeros do not count. False when nothing is proven.
    """
    rows = _scaled(rows)
    m, k = rows.shape
    if k == 0 or m < k or not np.all(weights > 0.0):
        return False
    N = weights[:, None] * rows
    total, sizes = N.sum(axis=0), np.abs(N).sum(axis=0)
    residual = float(np.linalg.norm(total) + (m + 2) * _EPS * np.linalg.norm(sizes))
    least = float(np.linalg.svd(N, compute_uv=False)[-1])
    error = (_SVD_CONSTANT * (m + k) + 1.0) * _EPS * float(np.linalg.norm(N))
    return bool(residual < least - error)


def rational_weights(rows: FloatArray, weights: FloatArray) -> tuple[Fraction, ...] | None:
    """Weights near the given ones with a weighted sum of the rows that is exactly zero, or None.

    The rows of the largest weights are determined by the others, by Gaussian elimination in fractions.
    None when a weight would be negative, all are zero, or the elimination is too long.
    """
    m, k = rows.shape
    if m * k * min(m, k) > _MOST_OPERATIONS:
        return None
    order = [int(i) for i in np.argsort(-weights, kind="stable")]
    pivots = _eliminate([[Fraction(float(rows[i, j])) for i in order] for j in range(k)])
    found = [Fraction(float(weights[i])) for i in order]
    for pivot, equation in pivots:
        found[pivot] = -sum(
            (entry * found[i] for i, entry in enumerate(equation) if entry and i != pivot), Fraction(0)
        )
    result = [Fraction(0)] * m
    for place, i in enumerate(order):
        result[i] = found[place]
    return tuple(result) if min(result) >= 0 and max(result) > 0 else None


def _eliminate(equations: list[list[Fraction]]) -> list[tuple[int, list[Fraction]]]:
    """The reduced row echelon form: pairs of a pivot and an equation with 1 there, 0 at the other pivots."""
    reduced: list[tuple[int, list[Fraction]]] = []
    for equation in equations:
        for pivot, known in reduced:
            equation = _without(equation, pivot, known)
        pivot = next((i for i, entry in enumerate(equation) if entry), -1)
        if pivot >= 0:
            unit = [entry / equation[pivot] for entry in equation]
            reduced = [(place, _without(known, pivot, unit)) for place, known in reduced]
            reduced.append((pivot, unit))
    return reduced


def _without(equation: list[Fraction], pivot: int, unit: list[Fraction]) -> list[Fraction]:
    """Subtract the multiple of ``unit`` that clears the pivot."""
    factor = equation[pivot]
    if not factor:
        return equation
    return [entry - factor * other for entry, other in zip(equation, unit, strict=True)]


def is_balanced(rows: FloatArray, exact: Sequence[Fraction]) -> bool:
    """Tell in fractions whether weights that are not negative, nor all zero, make the rows add up to zero."""
    if min(exact) < 0 or max(exact) == 0:
        return False
    used = [i for i, weight in enumerate(exact) if weight]
    return all(
        sum((exact[i] * Fraction(float(rows[i, j])) for i in used), Fraction(0)) == 0
        for j in range(rows.shape[1])
    )
