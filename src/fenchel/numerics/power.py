r"""The norms :math:`\|\cdot\|_p` and the gradients of half their squares, at any size of the entries."""

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["lp_norm", "power_map"]


def lp_norm(w: FloatArray, p: float) -> float:
    """``(sum |w_j|^p)^(1/p)`` over all entries, for a finite p >= 1.

    The entries are divided by the largest, so that no power overflows, however large p is.

    Examples
    --------
    >>> import numpy as np
    >>> lp_norm(np.array([3.0, -4.0]), 2.0), lp_norm(np.array([1.0, 1e300]), 700.0)
    (5.0, 1e+300)
    """
    largest = float(np.abs(w).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    return largest * float(np.sum((np.abs(w) / largest) ** p) ** (1.0 / p))


def power_map(u: FloatArray, q: float) -> FloatArray:
    r"""The gradient of half the squared q-norm N: :math:`N (|u_j| / N)^{q-1} \operatorname{sign}(u_j)`.

    It is 0 at 0, and the inverse of the map of the dual exponent ``q / (q - 1)``.

    Examples
    --------
    >>> import numpy as np
    >>> power_map(power_map(np.array([3.0, -4.0]), 3.0), 1.5).round(12)
    array([ 3., -4.])
    """
    norm = lp_norm(u, q)
    if norm == 0.0:
        return np.zeros_like(u)
    return np.copysign(norm * (np.abs(u) / norm) ** (q - 1.0), u)
