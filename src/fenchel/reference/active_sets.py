"""An epoch of the active-set solver in plain NumPy, on a dense matrix, without screening."""

from collections.abc import Callable

import numpy as np

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.reference.coordinate import row_shares, sdca_pass
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = [
    "active_ascent",
    "active_gap",
    "ascent_steps",
    "dgpd_plus_epoch",
    "respond",
    "response_sizes",
    "settle_rows",
    "take_best",
    "take_moves",
]


def respond(form: CoordinateForm, v: FloatArray, zero: BoolArray, counts: IndexArray, w: FloatArray) -> int:
    """Set w to the best response to v outside of ``zero``; returns the sum of its counts."""
    w[:] = np.where(zero, 0.0, form.lmo(v))
    return int(counts[w != 0.0].sum())


def response_sizes(form: CoordinateForm, share: float, v: FloatArray) -> FloatArray:
    """The size of the best response to v under a share of the l1 part."""
    size: FloatArray = np.abs(CoordinateForm(share * form.l1, form.l2, form.lower, form.upper).lmo(v))
    return size


def take_best(scores: FloatArray, barred: BoolArray, count: int, active: BoolArray) -> None:
    """Add the best positive scores outside of both sets to ``active``, in place; the first of equal ones."""
    outside = np.where(active | barred, 0.0, scores)
    best = np.argsort(-outside, kind="stable")[:count]
    active[best[outside[best] > 0.0]] = True


def settle_rows(
    loss: Loss,
    z: FloatArray,
    u: FloatArray,
    b: FloatArray,
    spread: FloatArray,
    reach: float,
    slack: float,
    settled: BoolArray,
) -> None:
    """Add the rows whose u is the derivative at both ends of an interval around z to ``settled``."""
    radius = reach * spread + slack * (1.0 + np.abs(z))
    low, high = loss.gradient(z - radius, b), loss.gradient(z + radius, b)
    settled |= (low == high) & (u == low)


def ascent_steps(
    S: FloatArray, sample_weight: FloatArray, inverse_l2: FloatArray, n_samples: int
) -> FloatArray:
    """The step of every row of S, in a problem of ``n_samples`` rows; 0 where it is infinite."""
    norms = sample_weight * (S**2 @ inverse_l2)
    return np.divide(n_samples, norms, out=np.zeros_like(norms), where=norms > 0.0)


def take_moves(
    named: IndexArray,
    fresh: FloatArray,
    counts: IndexArray,
    sample_weight: FloatArray,
    u: FloatArray,
    v: FloatArray,
    moves: FloatArray,
) -> int:
    """Set u on the named rows; moves is the change of s u or, where less is read, all of it, with v = 0."""
    before = sample_weight * u
    u[named] = fresh
    after = sample_weight * u
    change, total = after - before, after
    by_change, afresh = (int(counts[x != 0].sum()) for x in (change, total))
    if afresh <= by_change:
        v[:] = 0.0
    moves[:] = total if afresh <= by_change else change
    return min(by_change, afresh)


def active_ascent(
    S: FloatArray,
    passes: int,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    form: CoordinateForm,
    v: FloatArray,
    w: FloatArray,
    u: FloatArray,
) -> None:
    """Passes of prox-SDCA, in place: the first over all rows in order, the others over those it moved."""
    none, before = np.zeros_like(w), u.copy()
    sdca_pass(S, np.arange(len(b)), loss, b, sample_weight, step, form, none, none, v, w, u)
    moved = np.flatnonzero(np.abs(u - before) > 1e-12 * np.abs(u))
    for _ in range(passes - 1):
        sdca_pass(S, moved, loss, b, sample_weight, step, form, none, none, v, w, u)


def active_gap(
    S: FloatArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    n_samples: int,
    w: FloatArray,
    u: FloatArray,
) -> float:
    """What the rows of S add to the gap of a problem of ``n_samples`` rows."""
    return float(row_shares(loss, S @ w, u, b, sample_weight).sum()) * len(b) / n_samples


def dgpd_plus_epoch(
    A: FloatArray,
    permutation: Callable[[int], IndexArray],
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    u: FloatArray,
    rows: BoolArray,
    columns: BoolArray,
    most_passes: int,
) -> float:
    r"""Grow both active sets, then prox-SDCA on ``S = A[rows, columns]``; in place.

    With w the best response to u and the shares :math:`s_i(\phi_i(z_i) + \phi_i^*(u_i) - z_i u_i)/n`, the
    largest shares and the largest responses to 0.9 of the l1 part join ``rows`` and ``columns``, as many as
    are active, at least 10 and a 64th of all. Returns the sum of the shares, the gap before the epoch.
    """
    n = len(b)

    def correlation() -> FloatArray:
        return np.asarray(A.T @ (sample_weight * u) / n)

    w = form.lmo(correlation())
    shares = row_shares(loss, A @ w, u, b, sample_weight)
    for active, scores in ((columns, response_sizes(form, 0.9, correlation())), (rows, shares)):
        nobody = np.zeros(active.size, dtype=bool)
        take_best(scores, nobody, max(10, len(active) // 64, int(active.sum())), active)
    i, j = np.flatnonzero(rows & (sample_weight > 0.0)), np.flatnonzero(columns)
    i = i[permutation(i.size)]
    S = A[np.ix_(i, j)]
    part = form.restrict(j)
    u_part, v, w_part = u[i], correlation()[j], w[j]
    step = ascent_steps(S, sample_weight[i], 1.0 / part.l2, n)
    empty = step == 0.0
    u_part[empty] = loss.gradient(np.zeros(i.size), b[i])[empty]
    # The pass divides by the number of its own rows.
    weight = sample_weight[i] * (i.size / n)
    inner, left = np.inf, most_passes if step.any() else 0
    while left > 0:
        count = min(8, left)
        left -= count
        active_ascent(S, count, loss, b[i], weight, step, part, v, w_part, u_part)
        if count == 8:
            last, inner = inner, row_shares(loss, S @ w_part, u_part, b[i], weight).sum()
            slow = inner > 0.95 * last
            if inner < (0.3 if slow else 0.03) * shares.sum():
                break
    u[i] = u_part
    return float(shares.sum())
