"""Random problems with a known generating vector, of the shapes that linear models meet."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["correlated_regression", "sparse_logistic", "text_like"]


def sparse_logistic(
    n: int,
    d: int,
    density: float,
    rng: np.random.Generator,
    *,
    n_informative: int | None = None,
    signal: float = 3.0,
) -> tuple[Any, FloatArray, FloatArray]:
    r"""Draw a sparse matrix and labels from the logistic model.

    Every entry is non-zero with probability ``density``, independently, and then standard normal.
    :math:`P(y_i = 1) = 1 / (1 + e^{-x_i^\top w})`.

    Parameters
    ----------
    n, d : int
        Samples and features.
    density : float in (0, 1]
    rng : numpy.random.Generator
    n_informative : int, optional
        The non-zeros of ``w``, at random places; by default ``max(1, d // 10)``.
    signal : float, default=3.0
        The standard deviation of the scores ``X w``. Labels are noisier when it is smaller.

    Returns
    -------
    X : scipy.sparse.csr_array of float64, shape (n, d)
    y : ndarray of -1.0 and +1.0, shape (n,)
    w_true : ndarray, shape (d,)

    Notes
    -----
    O(nnz + n + d) time and memory: the gaps between non-zeros are geometric.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.datasets import sparse_logistic
    >>> X, y, w_true = sparse_logistic(100, 50, 0.1, np.random.default_rng(0))
    >>> X.shape, int((w_true != 0).sum())
    ((100, 50), 5)
    """
    _check_sizes(n, d)
    if not 0 < density <= 1:
        raise InvalidInputError(f"density is {density}, but a share of the entries is needed. Use (0, 1].")
    cells = _bernoulli_cells(n * d, density, rng)
    indptr = np.searchsorted(cells, np.arange(n + 1) * d)
    X = sp.csr_array((rng.standard_normal(len(cells)), cells % d, indptr), shape=(n, d))
    w_true = _sparse_weights(d, n_informative, rng)
    y, w_true = _logistic_labels(X, w_true, signal, rng)
    return X, y, w_true


def correlated_regression(
    n: int,
    d: int,
    rho: float,
    rng: np.random.Generator,
    *,
    n_informative: int | None = None,
    signal_to_noise: float = 5.0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    r"""Draw a dense matrix with correlated columns and ``y = X w + noise``.

    Columns are standard normal with :math:`\mathrm{corr}(x_j, x_k) = \rho^{|j-k|}`, an
    autoregression of order one along the features.

    Parameters
    ----------
    n, d : int
        Samples and features.
    rho : float in (-1, 1)
        The correlation of neighbouring columns.
    rng : numpy.random.Generator
    n_informative : int, optional
        The non-zeros of ``w``, at random places; by default ``max(1, d // 10)``.
    signal_to_noise : float, default=5.0
        The norm of ``X w`` over the norm of the noise; infinite for no noise.

    Returns
    -------
    X : ndarray, shape (n, d), C-contiguous
    y : ndarray, shape (n,)
    w_true : ndarray, shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.datasets import correlated_regression
    >>> X, y, w_true = correlated_regression(20, 30, 0.5, np.random.default_rng(0))
    >>> X.shape, y.shape, w_true.shape
    ((20, 30), (20,), (30,))
    """
    _check_sizes(n, d)
    if not -1 < rho < 1:
        raise InvalidInputError(f"rho is {rho}, but a correlation inside (-1, 1) is needed.")
    if not signal_to_noise > 0:
        raise InvalidInputError(f"signal_to_noise is {signal_to_noise}, but a positive ratio is needed.")
    X = rng.standard_normal((n, d))
    # x_j = rho x_{j-1} + sqrt(1 - rho^2) e_j keeps the variance at one.
    X[:, 1:] *= np.sqrt(1.0 - rho**2)
    for j in range(1, d):
        X[:, j] += rho * X[:, j - 1]
    w_true = _sparse_weights(d, n_informative, rng)
    clean = X @ w_true
    noise = rng.standard_normal(n)
    noise *= np.linalg.norm(clean) / (signal_to_noise * np.linalg.norm(noise))
    return X, clean + noise, w_true


def text_like(
    n: int,
    d: int,
    nnz_per_row: float,
    rng: np.random.Generator,
    *,
    exponent: float = 1.05,
    n_informative: int | None = None,
    signal: float = 3.0,
) -> tuple[Any, FloatArray, FloatArray]:
    r"""Draw documents as unit tf-idf rows, with labels from the logistic model.

    Term j has probability proportional to :math:`(j+1)^{-a}` (Zipf). A document is a fixed number of
    independent terms, chosen so that ``nnz_per_row`` of them are distinct on average. Entries are
    :math:`(1 + \log \mathrm{tf}) (1 + \log\frac{1+n}{1+\mathrm{df}})`, rows have unit length.

    Parameters
    ----------
    n, d : int
        Documents and terms.
    nnz_per_row : float in [1, d / 2]
        The expected number of distinct terms in a document.
    rng : numpy.random.Generator
    exponent : float, default=1.05
        The exponent a.
    n_informative : int, optional
        The non-zeros of ``w``, at random places; by default ``max(1, d // 10)``.
    signal : float, default=3.0
        The standard deviation of the scores ``X w``.

    Returns
    -------
    X : scipy.sparse.csr_array of float64, shape (n, d), sorted indices
    y : ndarray of -1.0 and +1.0, shape (n,)
    w_true : ndarray, shape (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.datasets import text_like
    >>> X, y, w_true = text_like(50, 400, 20, np.random.default_rng(0))
    >>> X.shape
    (50, 400)
    """
    _check_sizes(n, d)
    if not 1 <= nnz_per_row <= d / 2:
        raise InvalidInputError(
            f"nnz_per_row is {nnz_per_row}, but a number from 1 to d/2 = {d / 2} is needed."
        )
    shares = np.arange(1, d + 1, dtype=np.float64) ** -exponent
    shares /= shares.sum()
    length = _document_length(shares, nnz_per_row)
    edges = np.cumsum(shares)
    # The last edge may round to less than one: no draw may fall beyond it.
    terms = np.minimum(np.searchsorted(edges, rng.random(n * length), side="right"), d - 1)
    documents = np.repeat(np.arange(n), length)
    X = sp.coo_array((np.ones(n * length), (documents, terms)), shape=(n, d)).tocsr()
    frequency = np.bincount(X.indices, minlength=d)
    X.data = (1.0 + np.log(X.data)) * (1.0 + np.log((1.0 + n) / (1.0 + frequency)))[X.indices]
    X.data /= np.repeat(np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1])), np.diff(X.indptr))
    y, w_true = _logistic_labels(X, _sparse_weights(d, n_informative, rng), signal, rng)
    return X, y, w_true


def _check_sizes(n: int, d: int) -> None:
    if n < 1 or d < 1:
        raise InvalidInputError(f"n is {n} and d is {d}, but both must be at least 1.")


def _bernoulli_cells(n_cells: int, density: float, rng: np.random.Generator) -> IndexArray:
    """Choose every cell with probability ``density``: the gaps between chosen cells are geometric."""
    expected = n_cells * density
    n_draws = int(expected + 6.0 * np.sqrt(expected)) + 10
    cells = np.cumsum(rng.geometric(density, n_draws)) - 1
    while cells[-1] < n_cells:
        more = cells[-1] + np.cumsum(rng.geometric(density, n_draws))
        cells = np.concatenate([cells, more])
    return cells[: np.searchsorted(cells, n_cells)]


def _sparse_weights(d: int, n_informative: int | None, rng: np.random.Generator) -> FloatArray:
    count = max(1, d // 10) if n_informative is None else n_informative
    if not 1 <= count <= d:
        raise InvalidInputError(f"n_informative is {count}, but a number from 1 to d = {d} is needed.")
    weights = np.zeros(d)
    weights[rng.choice(d, count, replace=False)] = rng.standard_normal(count)
    return weights


def _logistic_labels(
    X: Any, weights: FloatArray, signal: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Scale the weights so that the scores have deviation ``signal``, and draw the labels."""
    scores = X @ weights
    spread = float(np.std(scores))
    scale = signal / spread if spread > 0 else 1.0
    # y = +1 with the probability that a standard logistic variable lies below the score.
    y = np.where(rng.logistic(size=len(scores)) < scale * scores, 1.0, -1.0)
    return y, scale * weights


def _document_length(shares: FloatArray, n_distinct: float) -> int:
    r"""Find T with :math:`\sum_j 1 - (1 - p_j)^T` about ``n_distinct``, by bisection."""

    def distinct(length: float) -> float:
        return float(-np.expm1(length * np.log1p(-shares)).sum())

    low, high = 1.0, 2.0
    while distinct(high) < n_distinct:
        high *= 2.0
    while high - low > 0.5:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if distinct(middle) < n_distinct else (low, middle)
    return max(1, round(0.5 * (low + high)))
