"""Observed entries of a matrix, from pairs of positions with values or from a sparse matrix."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel.design.validation import as_target
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["Observations", "as_observations", "as_positions"]


class Observations(NamedTuple):
    """Positions, values, and the shape of the matrix that they are from."""

    rows: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int64]
    values: FloatArray
    shape: tuple[int, int]


def as_observations(X: Any, y: Any, shape: tuple[int, int] | None) -> Observations:
    """Read ``(pairs, values)``, or a sparse matrix with ``y=None``, whose explicit zeros are observations.

    Raises InvalidInputError when the positions are not pairs of non-negative integers, when a value is not
    finite, or when a position lies outside of ``shape``.
    """
    if sp.issparse(X):
        if y is not None:
            raise InvalidInputError(
                "y is not None, but X is a sparse matrix, which holds the values. Pass y=None."
            )
        matrix = sp.csr_array(X, copy=True)
        matrix.sum_duplicates()
        entries = matrix.tocoo()
        rows, columns, y = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
        shape = shape or (int(X.shape[0]), int(X.shape[1]))
    else:
        if y is None:
            raise InvalidInputError(
                "y is None, but X is not a sparse matrix. Pass one value for each pair of positions."
            )
        rows, columns = as_positions(X)
        shape = shape or (int(rows.max(initial=-1)) + 1, int(columns.max(initial=-1)) + 1)
    if not len(rows):
        raise InvalidInputError("X has no observation. Pass at least one.")
    _check_within(rows, columns, shape)
    return Observations(rows, columns, as_target(y, len(rows), name="y", n_dim=1), shape)


def as_positions(
    X: Any, shape: tuple[int, int] | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read pairs of positions, an array-like of shape (n, 2); within ``shape`` if it is given."""
    pairs = np.asarray(X)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidInputError(
            f"X has shape {pairs.shape}. Pass one row for each observation: its row and its column."
        )
    if pairs.dtype.kind not in "iuf" or not np.all(pairs == np.trunc(pairs)) or np.any(pairs < 0):
        raise InvalidInputError("X has entries that are no positions. Pass integers of at least 0.")
    rows, columns = pairs.astype(np.int64, copy=False).T
    if shape is not None:
        _check_within(rows, columns, shape)
    return rows, columns


def _check_within(
    rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64], shape: tuple[int, int]
) -> None:
    for places, size, name in ((rows, shape[0], "row"), (columns, shape[1], "column")):
        if places.size and int(places.max()) >= size:
            raise InvalidInputError(
                f"X has the {name} {places.max()}, but the matrix has {size}. Give the estimator the whole "
                "shape, such as shape=(n_users, n_items)."
            )
