r"""The largest singular value of a sparse matrix: from below, from above, and its vectors.

A certificate of a nuclear ball needs an upper bound. Two kinds are computed here.

*Proven.* Where the shorter side q is at most 2048, a Cholesky factor of :math:`t I - S S^\top` is
sought for t slightly above an estimate of :math:`\sigma_1^2`. Where it exists the matrix is positive
definite, up to a rounding error that is bounded and added to t [1]_.

*Probable.* Otherwise k steps of Lanczos from a random unit vector give an estimate
:math:`\theta \le \sigma_1^2` with [2]_

.. math:: \Pr\bigl[\theta < (1 - \epsilon)\, \sigma_1^2\bigr]
          \le 1.648 \sqrt q \; e^{-\sqrt\epsilon\,(2k - 1)},

whatever the matrix. k is taken so that the right-hand side is 1e-10 at epsilon = 4e-4: about 700 steps.
The seed is fixed, so that a bound can be computed again. No bound exceeds
:math:`\min(\sqrt{\|S\|_1 \|S\|_\infty}, \|S\|_F)`, which is proven.

.. [1] S. M. Rump, "Verification of positive definiteness", BIT Numerical Mathematics 46, 2006.
.. [2] J. Kuczynski and H. Wozniakowski, "Estimating the largest eigenvalue by the power and Lanczos
   algorithms with a random start", SIAM J. Matrix Anal. Appl. 13(4), 1992, Theorem 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

from fenchel.typing import FloatArray

__all__ = ["FAILURE", "is_proven", "leading_pair", "singular_bound"]

FAILURE = 1e-10
"""The probability with which a probable bound may fail."""
_ACCURACY = 4e-4
"""The relative error of a probable bound on the square of the singular value."""
_LONGEST_PROVEN, _MOST_PRODUCTS = 2048, 2e9
_SMALL, _DENSE = 512, 250_000
_ESTIMATE_STEPS = 200
_MARGINS = (0.0, 1e-9, 1e-7, 1e-5, 1e-3)
_UNIT = float(np.finfo(float).eps)


def is_proven(matrix: Any) -> bool:
    """Whether :func:`singular_bound` is a proof: by the shape and the positions of the entries alone."""
    m, p = matrix.shape
    if min(m, p) > _LONGEST_PROVEN:
        return False
    # With S as wide as it is high or wider, S S' has the squared length of every column in multiplications.
    rows = matrix.tocsr()
    lengths = (np.bincount(rows.indices, minlength=1) if m <= p else np.diff(rows.indptr)).astype(float)
    return bool(float(lengths @ lengths) <= _MOST_PRODUCTS)


def singular_bound(matrix: Any) -> float:
    """An upper bound on the largest singular value of a scipy sparse matrix; see :func:`is_proven`.

    A bound that is probable needs memory for some 20 bytes an entry beside the matrix.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> round(singular_bound(sp.csr_array([[3.0, 0.0], [0.0, -4.0]])), 12)
    4.0
    """
    rows = matrix.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    scale = float(max(rows.data.max(initial=0.0), -rows.data.min(initial=0.0)))
    if scale == 0.0:
        return 0.0
    rows = _with_data(rows, rows.data / scale)
    square = _proven_square(rows) if is_proven(rows) else _probable_square(rows)
    return scale * float(min(math.sqrt(square), _loose(rows)))


def leading_pair(matrix: Any) -> tuple[FloatArray, float, FloatArray]:
    """The first pair of singular vectors of a sparse matrix with its value, to rounding; zeros for zero."""
    scale = float(np.abs(matrix.data).max(initial=0.0))
    if scale == 0.0:
        return np.zeros(matrix.shape[0]), 0.0, np.zeros(matrix.shape[1])
    if math.prod(matrix.shape) <= _DENSE or min(matrix.shape) <= 2:
        left, sizes, right = scipy.linalg.svd((matrix / scale).toarray(), full_matrices=False)
    else:
        start = np.random.default_rng(0).normal(size=min(matrix.shape))
        left, sizes, right = scipy.sparse.linalg.svds(matrix / scale, k=1, v0=start)
    return left[:, 0], scale * float(sizes[0]), right[0]


def _with_data(rows: Any, data: FloatArray) -> Any:
    """A CSR array with other values at the same positions, which it shares."""
    return sp.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def _loose(rows: Any) -> float:
    """The geometric mean of the 1-norm and the infinity norm, or the Frobenius norm."""
    sizes, (m, p) = _with_data(rows, np.abs(rows.data)), rows.shape
    mixed = float((sizes.T @ np.ones(m)).max()) * float((sizes @ np.ones(p)).max())
    return min(math.sqrt(mixed), float(np.linalg.norm(rows.data))) * (1.0 + int(rows.nnz) * _UNIT)


def _proven_square(rows: Any) -> float:
    wide = rows if rows.shape[0] <= rows.shape[1] else rows.T.tocsr()
    q = int(wide.shape[0])
    square = (wide @ wide.T).toarray()
    if q <= _SMALL:
        estimate = float(scipy.linalg.eigvalsh(square, subset_by_index=[q - 1, q - 1])[0])
    else:
        estimate = _lanczos(lambda x: wide @ (wide.T @ x), q, _ESTIMATE_STEPS)
    # Of the product S S', of the shift, and of the factorisation of a matrix with trace at most q t.
    rounding = _UNIT * (int(wide.shape[1]) * float(wide.data @ wide.data) + (q + 2.0) ** 2 * estimate)
    for margin in _MARGINS:
        bound = estimate * (1.0 + margin) + rounding
        _, failed = scipy.linalg.lapack.dpotrf(bound * np.eye(q) - square, overwrite_a=True)
        if not failed:
            return bound + rounding
    return math.inf


def _probable_square(rows: Any) -> float:
    q = min(rows.shape)
    # sqrt(accuracy) (2 k - 1) = log(1.648 sqrt(q) / failure)
    steps = math.ceil(0.5 + 0.5 * math.log(1.648 * math.sqrt(q) / FAILURE) / math.sqrt(_ACCURACY))
    # Products by rows are the faster ones.
    transpose = rows.T.tocsr()
    first, second = (rows, transpose) if rows.shape[0] > rows.shape[1] else (transpose, rows)
    return _lanczos(lambda x: second @ (first @ x), q, steps) / (1.0 - _ACCURACY)


def _lanczos(apply: Callable[[FloatArray], FloatArray], size: int, steps: int) -> float:
    """The largest Ritz value of a semidefinite map, from a random start.

    Without reorthogonalisation: copies of converged values appear, which do no harm to the largest one.
    """
    current = np.random.default_rng(0).normal(size=size)
    current /= np.linalg.norm(current)
    previous, beta = np.zeros(size), 0.0
    diagonal, off = [], []
    for _ in range(steps):
        image = apply(current) - beta * previous
        diagonal.append(float(image @ current))
        image -= diagonal[-1] * current
        beta = float(np.linalg.norm(image))
        if beta <= _UNIT * max(diagonal):
            break
        off.append(beta)
        previous, current = current, image / beta
    last = len(diagonal) - 1
    values = scipy.linalg.eigh_tridiagonal(
        diagonal, off[:last], eigvals_only=True, select="i", select_range=(last, last)
    )
    return float(values[0])
