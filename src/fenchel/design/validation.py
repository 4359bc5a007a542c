"""The boundary: what the user passes becomes arrays that the core can trust, or a clear error."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.design.base import Design
from fenchel.design.compressed import INDEX_LIMIT, as_csr, checked_lines
from fenchel.design.dense import DenseDesign
from fenchel.design.sparse import SparseDesign
from fenchel.design.values import check_values, real_array
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["as_design", "as_sample_weight", "as_target"]


def as_design(X: object, *, name: str = "X") -> Design:
    """Check a data matrix and wrap it, without a copy where the list below allows.

    Parameters
    ----------
    X : array_like or scipy sparse matrix or array, shape (n, d)
        Dense input of any layout, byte order and real type, a data frame of numbers, or sparse
        input of any format with 32 or 64 bit indices. It is never modified, and sparse input is
        never made dense. A Design comes back as it is.
    name : str, default="X"
        What error messages call it.

    Returns
    -------
    Design
        It keeps float32 and float64 as they are. What is copied:

        - any other real type, and foreign byte order: once, to float64 (or to the native order);
        - sparse formats other than CSR and CSC: once, to CSR;
        - 64 bit indices: to a private array of 32 bits, not the values;
        - repeated positions in a sparse matrix: summed on a private copy.

    Raises
    ------
    InvalidInputError
        For NaN, infinite or over-large values (above 1e100, whose squares overflow), complex, text
        or other non-numeric types, no rows, no columns, a number of dimensions other than two,
        2^31 rows or columns in a sparse matrix, and sparse structure that points outside of its
        arrays.

    Notes
    -----
    Reads the entries once; O(nnz log nnz) when the indices of a sparse line are unsorted.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from fenchel.design import as_design
    >>> as_design(sp.coo_array([[0.0, 1.0], [2.0, 0.0]])).n_entries
    2
    """
    if isinstance(X, Design):
        return X
    if not sp.issparse(X):
        # A pandas frame offers `sparse` when all of its columns are sparse.
        to_coo = getattr(getattr(X, "sparse", None), "to_coo", None)
        if to_coo is None:
            return _dense_design(X, name)
        X = to_coo()
    return _sparse_design(X, name)


def _dense_design(X: object, name: str) -> DenseDesign:
    array = real_array(X, name)
    _check_shape(array.shape, name)
    design = DenseDesign(array)
    if not design.squares_are_small():
        check_values(array, name)
    return design


def _sparse_design(X: Any, name: str) -> SparseDesign:
    _check_shape(X.shape, name)
    if max(X.shape) >= INDEX_LIMIT:
        raise InvalidInputError(
            f"{name} has shape {X.shape}, but a sparse matrix may have at most {INDEX_LIMIT - 1} rows "
            "and columns, because indices are kept in 32 bits. Drop the empty columns, or hash them."
        )
    matrix = X if X.format in ("csr", "csc") else as_csr(X, name)
    return SparseDesign(checked_lines(matrix, name), by_columns=matrix.format == "csc")


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise InvalidInputError(
            f"{name} has shape {shape}, but a matrix with one row for each sample is needed. Use "
            f"{name}.reshape(-1, 1) for one feature, {name}.reshape(1, -1) for one sample."
        )
    if 0 in shape:
        missing = "samples" if shape[0] == 0 else "features"
        raise InvalidInputError(
            f"{name} has shape {shape}: there are no {missing} to fit. Pass at least one row and one column."
        )


def as_target(b: object, n_samples: int, *, name: str = "y", n_dim: int = 1) -> FloatArray:
    """Check real targets and return them as contiguous float64.

    Parameters
    ----------
    b : array_like, shape (n,) or (n, k)
    n_samples : int
        The number of rows of the design.
    name : str, default="y"
        What error messages call it.
    n_dim : {1, 2}, default=1
        With 1 the result has shape (n,), and a single column is accepted; with 2 it has shape
        (n, k), and a vector becomes one column.

    Returns
    -------
    ndarray of float64
        The caller's own memory where it is fit for use, a copy otherwise.

    Raises
    ------
    InvalidInputError
        For another shape, and for values that :func:`as_design` refuses.

    Examples
    --------
    >>> from fenchel.design import as_target
    >>> as_target([1, 0, 2], 3)
    array([1., 0., 2.])
    """
    array = real_array(b, name)
    if n_dim == 1 and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    elif n_dim == 2 and array.ndim == 1:
        array = array[:, None]
    if array.ndim != n_dim or 0 in array.shape[1:]:
        wanted = "one value" if n_dim == 1 else "one row of values"
        raise InvalidInputError(
            f"{name} has shape {array.shape}, but {wanted} for each sample is needed. "
            "Fit several targets one at a time, or choose a loss with vector outputs."
        )
    if len(array) != n_samples:
        raise InvalidInputError(
            f"{name} has {len(array)} rows, but there are {n_samples} samples. Pass one row for each sample."
        )
    check_values(array, name)
    return np.ascontiguousarray(array, dtype=np.float64)


def as_sample_weight(w: object, n: int) -> FloatArray:
    """Check sample weights and return them as contiguous float64, shape (n,), not normalised.

    Parameters
    ----------
    w : None, float or array_like of shape (n,)
        None and a single number give all samples the same weight. Weights are at least zero; a
        sample of weight zero does not count.
    n : int
        The number of samples.

    Raises
    ------
    InvalidInputError
        For a negative weight, weights that are all zero, another shape, and values that
        :func:`as_design` refuses.

    Examples
    --------
    >>> from fenchel.design import as_sample_weight
    >>> as_sample_weight(None, 3)
    array([1., 1., 1.])
    """
    if w is None:
        return np.ones(n)
    name = "sample_weight"
    given = real_array(w, name)
    weights = as_target(np.full(n, given) if given.ndim == 0 else given, n, name=name)
    if weights.min() < 0:
        row = int(weights.argmin())
        raise InvalidInputError(
            f"{name} has {weights[row]:.6g} at row {row}: a negative weight makes the objective "
            "non-convex. Use weights of at least zero."
        )
    if not weights.any():
        raise InvalidInputError(f"{name} is zero for all samples: nothing is left to fit. Give one a weight.")
    return weights
