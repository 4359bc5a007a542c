r"""Two maps onto the probability simplex, row by row: the Euclidean projection, and the entropic one.

Both are :math:`\arg\min_{p \in \Delta} f(p) + \tfrac12 \|p - a\|^2`, with f = 0 or f the negative
entropy times c. Adding a constant to a row of ``a`` changes nothing.
"""

import numpy as np
import numpy.typing as npt
from scipy.special import wrightomega

from fenchel.typing import FloatArray

__all__ = ["entropic_projection", "project_simplex"]

_MOST_STEPS = 200
_ROUNDING = 4 * float(np.finfo(float).eps)


def project_simplex(a: FloatArray) -> FloatArray:
    r"""Return the nearest point of the simplex to every row: :math:`p_l = \max(a_l - \tau, 0)`, sum 1.

    By sorting; O(k log k) a row.

    Examples
    --------
    >>> import numpy as np
    >>> project_simplex(np.array([[0.5, 1.0, -3.0]]))
    array([[0.25, 0.75, 0.  ]])
    """
    a = _shifted(a)
    return np.maximum(a - _threshold(a), 0.0)


@np.errstate(over="ignore")
def entropic_projection(a: FloatArray, step: npt.ArrayLike) -> FloatArray:
    r"""Return the minimiser of :math:`c \sum_l p_l \log p_l + \tfrac12 \|p - a\|^2` over the simplex.

    With a multiplier :math:`\kappa` for the sum, :math:`p_l + c \log p_l = a_l - \kappa`, that is
    :math:`p_l = c\, \omega((a_l - \kappa)/c - \log c)` with the Wright omega function,
    :math:`\omega(y) + \log \omega(y) = y`. Each :math:`p_l` falls with kappa and is convex in it:
    Newton's method on ``sum(p) = 1`` from a lower bound climbs to the root without passing it.

    Parameters
    ----------
    a : ndarray of shape (n, k)
    step : float or ndarray of shape (n,)
        The positive c.

    Returns
    -------
    ndarray of shape (n, k)
        Rows of sum 1. Small entries have a relative error of a few units of rounding times the
        argument of omega.

    Examples
    --------
    >>> import numpy as np
    >>> entropic_projection(np.array([[2.0, 2.0]]), 0.3)
    array([[0.5, 0.5]])
    """
    if a.size == 0:
        return np.zeros_like(a)
    c = np.broadcast_to(np.asarray(step, dtype=np.float64), a.shape[:1])[:, None]
    a, log_c = _shifted(a), np.log(c)
    # p <= 1 gives p >= a - kappa, and p >= exp((a - kappa - 1) / c): two lower bounds on kappa.
    kappa = np.maximum(_threshold(a), c * np.log(np.exp(a / c).sum(axis=1, keepdims=True)) - 1.0)
    running = np.ones_like(kappa, dtype=np.bool_)
    for _ in range(_MOST_STEPS):
        p = c * wrightomega((a - kappa) / c - log_c)
        move = (p.sum(axis=1, keepdims=True) - 1.0) / (p / (p + c)).sum(axis=1, keepdims=True)
        # A row that has converged rests, so that no row depends on the others.
        kappa = np.where(running, kappa + move, kappa)
        running &= move > _ROUNDING * (1.0 + np.abs(kappa))
        if not running.any():
            break
    p = c * wrightomega((a - kappa) / c - log_c)
    result: FloatArray = p / p.sum(axis=1, keepdims=True)
    return result


def _shifted(a: FloatArray) -> FloatArray:
    """Subtract the largest entry of each row."""
    result: FloatArray = a - a.max(axis=1, keepdims=True, initial=-np.inf) if a.size else a
    return result


def _threshold(a: FloatArray) -> FloatArray:
    """The tau at which ``max(a - tau, 0)`` sums to 1, for rows with the largest entry 0; shape (n, 1)."""
    if a.size == 0:
        return np.zeros((len(a), 1))
    # Entries below -1 are never kept; cutting them leaves sums of moderate terms.
    descending = -np.sort(-np.maximum(a, -2.0), axis=1)
    counts = np.arange(1, a.shape[1] + 1)
    thresholds = (np.cumsum(descending, axis=1) - 1.0) / counts
    # The entries above their own threshold are the first ones.
    kept = np.count_nonzero(descending > thresholds, axis=1)
    result: FloatArray = np.take_along_axis(thresholds, kept[:, None] - 1, axis=1)
    return result
