"""Exact zeros for points that entropic steps have made: their entries shrink, and never vanish."""

from __future__ import annotations

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.typing import FloatArray

__all__ = ["sparsified", "thresholded"]

_GROWTH = 4.0
"""How much bolder each trial of :func:`sparsified` is than the one before."""


def thresholded(problem: Problem, w: FloatArray, slack: float) -> FloatArray:
    r"""Set the smallest entries of ``w`` to zero, as many as ``P`` bears.

    For a loss of several classes the subgradients satisfy :math:`|u_{il}| \le 1`; so, by convexity, without
    the entries of a set S

    .. math:: P(w_{\setminus S}) - P(w) \le \sum_{(j, l) \in S} \rho_j |w_{jl}|,

    with :math:`\rho_j` the root mean square of column j. The terms are added from the smallest on while
    their sum is at most ``slack``. The l1 norm only falls.

    Parameters
    ----------
    problem : Problem
        With Softmax or MulticlassHinge, and without an intercept.
    w : ndarray of shape (n_features, n_outputs)
    slack : float
        What P may grow by: a small share of the gap.

    Returns
    -------
    ndarray like w
        A new array.

    Notes
    -----
    A sort of the d k terms; no entry of A is read.
    """
    costs = (problem.column_norms[:, None] * np.abs(w)).ravel()
    order = np.argsort(costs, kind="stable")
    kept = order[np.cumsum(costs[order]) > slack]
    result = np.zeros_like(w)
    result.flat[kept] = w.flat[kept]
    return result


def sparsified(problem: Problem, w: FloatArray, primal: float, slack: float) -> tuple[FloatArray, int]:
    """Set as many of the smallest entries to zero as trials find, while P stays within ``primal + slack``.

    The bound of :func:`thresholded` is that of the worst case. From there on every trial sets entries of four
    times the total size to zero, until P, computed anew, is too large.

    Parameters
    ----------
    problem, w, slack
        As for :func:`thresholded`.
    primal : float
        ``P(w)``.

    Returns
    -------
    ndarray like w
        A new array.
    int
        The entries of A that the trials have read: one pass each.
    """
    best, bound, entries = thresholded(problem, w, slack), slack, 0
    while bound > 0.0 and np.any(best):
        bound *= _GROWTH
        trial = thresholded(problem, w, bound)
        entries += problem.design.n_entries
        if problem.primal_value(trial) > primal + slack:
            break
        best = trial
    return best, entries
