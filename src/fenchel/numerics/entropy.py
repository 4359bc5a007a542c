r"""Steps of mirror descent under the entropy, on the logarithms of the points.

The divergence of the entropy is :math:`D(x, y) = \sum x \log(x / y) - x + y`. On rows of the simplex, and
on the solid simplex :math:`\{x \ge 0, \sum x \le R\}`, its proximal steps have closed forms. Logarithms
in, logarithms out: no entry is lost to underflow, and none overflows.
"""

import numpy as np

from fenchel.typing import FloatArray

__all__ = [
    "affine_simplex_step",
    "entropic_simplex_step",
    "kullback_leibler",
    "log_normalised",
    "solid_simplex_step",
]

_SERIES = 1e-4
"""Below this size of the logarithm of a ratio the first terms of the series are the exact ones."""


def solid_simplex_step(log_w: FloatArray, slope: FloatArray, shrinkage: float, radius: float) -> FloatArray:
    r"""Return the logarithm of the minimiser of :math:`\langle c, x \rangle + \mu \sum x + D(x, w)`.

    Over all entries of :math:`x \ge 0` with :math:`\sum x \le R`:

    .. math:: x = y \min\{e^{-\mu}, \; R / \textstyle\sum y\}, \qquad y = w \, e^{-c}.

    Parameters
    ----------
    log_w, slope : ndarray of one shape
        The logarithm of w, and c.
    shrinkage : float
        The factor mu of the sum, not negative.
    radius : float
        R.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(solid_simplex_step(np.zeros(2), np.log([2.0, 4.0]), 0.0, 1.5))
    array([0.5 , 0.25])
    >>> np.exp(solid_simplex_step(np.zeros(2), np.log([2.0, 4.0]), 0.0, 0.3))
    array([0.2, 0.1])
    """
    moved = log_w - slope
    # The largest entries become small numbers, whose rounding leaves the sum within the radius.
    top = float(moved.max())
    moved -= top
    result: FloatArray = moved + min(top - shrinkage, float(np.log(radius) - np.log(np.exp(moved).sum())))
    return result


def affine_simplex_step(log_v: FloatArray, slope: FloatArray) -> FloatArray:
    r"""Return the logarithm of the minimiser of :math:`\langle c, p \rangle + D(p, v)` over the simplex.

    Row by row: :math:`p \propto v \, e^{-c}`.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(affine_simplex_step(np.log([[0.5, 0.5]]), np.log([[1.0, 3.0]])))
    array([[0.75, 0.25]])
    """
    return log_normalised(log_v - slope)


def entropic_simplex_step(log_v: FloatArray, slope: FloatArray, step: float) -> FloatArray:
    r"""Return the logarithm of the minimiser of a line, an entropy and a divergence over the simplex.

    The function is :math:`\eta \, (\langle c, p \rangle + \sum p \log p) + D(p, v)`. Row by row,
    with :math:`s = \eta / (1 + \eta)`: :math:`p \propto v^{1-s} e^{-s c}`.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(entropic_simplex_step(np.log([[0.5, 0.5]]), np.log([[1.0, 9.0]]), 1.0))
    array([[0.75, 0.25]])
    """
    s = step / (1.0 + step)
    return log_normalised((1.0 - s) * log_v - s * slope)


def log_normalised(a: FloatArray) -> FloatArray:
    """Subtract from every row the logarithm of the sum of its exponentials.

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(log_normalised(np.array([[1000.0, 1000.0]])))
    array([[0.5, 0.5]])
    """
    shifted = a - a.max(axis=-1, keepdims=True)
    result: FloatArray = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


def kullback_leibler(log_x: FloatArray, log_y: FloatArray) -> FloatArray:
    r"""Return :math:`D(x, y) = \sum x \log (x / y) - x + y`, summed over the last axis.

    The terms are :math:`x (r + e^{-r} - 1)` with :math:`r = \log(x / y)`: none is negative, and a small
    one keeps its digits.

    Examples
    --------
    >>> import numpy as np
    >>> x, y = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    >>> bool(np.isclose(kullback_leibler(np.log(x), np.log(y)), x @ np.log(x / y)))
    True
    """
    # Where x is 0 its term is y, and the ratio has no logarithm.
    r = np.where(np.isneginf(log_x), 0.0, log_x) - log_y
    near = np.abs(r) < _SERIES
    small = 0.5 * r * r * (1.0 - r / 3.0 * (1.0 - 0.25 * r))
    with np.errstate(over="ignore"):
        # x (r - 1) + y: in this form no y is lost where x has underflowed.
        large = np.exp(log_x) * (r - 1.0) + np.exp(log_y)
    terms = np.where(near, np.exp(log_x) * small, large)
    result: FloatArray = terms.sum(axis=-1)
    return result
