"""Random binning features: a sparse linear stand-in for the Laplacian kernel."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from fenchel.errors import InvalidInputError
from fenchel.estimators.randomness import RandomState, as_generator
from fenchel.typing import FloatArray

__all__ = ["RandomBinning"]

_LARGEST_BIN = 2.0**53
"""From here on a float64 does not tell a bin from its neighbour."""


class RandomBinning(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Random binning features of the Laplacian kernel.

    .. math:: k(x, y) = \exp(-\|x - y\|_1 / \sigma) \approx \langle \varphi(x), \varphi(y) \rangle

    A grid has a random width and a random shift for each input coordinate, so it cuts the space into
    boxes; each box that a sample of the fit lies in is one feature. Two points share a box of a
    random grid with probability k(x, y), and the P grids average that.

    Parameters
    ----------
    n_grids : int, default 100
        The number P of grids. The error of the kernel falls as ``1 / sqrt(n_grids)``.
    scale : float, default 1.0
        The length :math:`\sigma` over which the kernel falls by a factor e.
    random_state : int, Generator, RandomState or None, default None
        The same int gives the same grids.

    Attributes
    ----------
    widths_ : ndarray of shape (n_grids, n_features)
        Drawn from the Gamma distribution with shape 2 and scale :math:`\sigma`.
    shifts_ : ndarray of shape (n_grids, n_features)
        Uniform between zero and the width.
    multipliers_ : ndarray of uint64, shape (n_features,)
        The hash of a box is the sum of its bin numbers times these, modulo 2^64.
    keys_ : ndarray of uint64
        The hashes of the boxes of the fit, in ascending order within each grid; one a feature.
    offsets_ : ndarray of shape (n_grids + 1,)
        The features ``offsets_[p]`` to ``offsets_[p + 1]`` are the boxes of grid p.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    Notes
    -----
    The samples of the fit get exactly ``n_grids`` entries, each ``1 / sqrt(n_grids)``. A box that no
    sample of the fit lies in has no feature: another sample has fewer entries there, and its products
    with the samples of the fit are what they would be with it.

    Time O(n P (d + log n)); memory O(n P) for the result and at most as much for the hashes. Two boxes
    of a grid share a hash with a probability near 2^-60 a pair. Sparse input is refused: a zero lies
    in a bin as every other number does, so nothing would be saved.

    References
    ----------
    A. Rahimi and B. Recht, Random features for large-scale kernel machines, NIPS 2007, Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import RandomBinning
    >>> X = np.array([[0.0, 0.0], [0.5, 0.0], [3.0, -2.0]])
    >>> features = RandomBinning(n_grids=4000, scale=1.0, random_state=0).fit_transform(X)
    >>> print((features @ features.T).toarray().round(1))
    [[1.  0.6 0. ]
     [0.6 1.  0. ]
     [0.  0.  1. ]]
    """

    def __init__(self, n_grids: int = 100, scale: float = 1.0, random_state: RandomState = None) -> None:
        self.n_grids = n_grids
        self.scale = scale
        self.random_state = random_state

    def fit(self, X: npt.ArrayLike, y: Any = None) -> RandomBinning:
        """Draw the grids, and number the boxes that the samples lie in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When a parameter has a value that no grid can use, when X is sparse, or when it is more than
            2^53 bins wide.
        """
        points = self._draw(X)
        self._number([np.unique(self._hashes(points, grid)) for grid in range(len(self.widths_))])
        return self

    def fit_transform(self, X: npt.ArrayLike, y: Any = None, **params: Any) -> sp.csr_matrix:
        """Fit, and return the features of the same samples: ``fit(X).transform(X)``, each box hashed once.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense.
        y : ignored

        Returns
        -------
        csr_matrix of shape (n_samples, n_features_out)
        """
        points = self._draw(X)
        columns, boxes = np.empty((len(points), len(self.widths_)), dtype=np.int32), []
        for grid in range(len(self.widths_)):
            keys, columns[:, grid] = np.unique(self._hashes(points, grid), return_inverse=True)
            boxes.append(keys)
        self._number(boxes)
        columns += self.offsets_[:-1].astype(np.int32)
        return self._features(columns, points.dtype)

    def transform(self, X: npt.ArrayLike) -> sp.csr_matrix:
        """Return the features of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Dense.

        Returns
        -------
        csr_matrix of shape (n_samples, n_features_out)
            With 32 bit indices below 2^31 entries; float32 for float32 input, float64 otherwise.
        """
        check_is_fitted(self)
        points = self._points(X, reset=False)
        columns = np.empty((len(points), len(self.widths_)), dtype=np.int32)
        for grid in range(len(self.widths_)):
            columns[:, grid] = self._columns(points, grid)
        return self._features(columns, points.dtype)

    def _features(self, columns: npt.NDArray[np.int32], dtype: np.dtype) -> sp.csr_matrix:
        """The rows with an entry at each of their columns; -1 stands for no entry."""
        n_samples, n_grids = columns.shape
        seen = columns >= 0
        counts = np.concatenate([[0], np.cumsum(seen.sum(axis=1))])
        index_type = np.int32 if counts[-1] <= np.iinfo(np.int32).max else np.int64
        data = np.full(counts[-1], 1.0 / np.sqrt(n_grids), dtype=dtype)
        return sp.csr_matrix(
            (data, columns[seen], counts.astype(index_type)), shape=(n_samples, self._n_features_out)
        )

    def _draw(self, X: npt.ArrayLike) -> FloatArray:
        """Check all, draw the grids, and return the samples."""
        self._check_parameters()
        points = self._points(X, reset=True)
        rng = as_generator(self.random_state)
        shape = (int(self.n_grids), points.shape[1])
        self.widths_ = rng.gamma(2.0, float(self.scale), shape)
        self.shifts_ = self.widths_ * rng.random(shape)
        # Odd, so that a bin number is never lost in the low bits of the product.
        self.multipliers_ = rng.integers(0, 2**64, shape[1], dtype=np.uint64) | np.uint64(1)
        return points

    def _number(self, boxes: list[npt.NDArray[np.uint64]]) -> None:
        """Number the boxes of every grid in turn."""
        self.keys_ = np.concatenate(boxes)
        self.offsets_ = np.concatenate([[0], np.cumsum([len(keys) for keys in boxes])])
        if len(self.keys_) > np.iinfo(np.int32).max:
            raise InvalidInputError(
                f"X lies in {len(self.keys_)} boxes, but a matrix may have at most 2^31 - 1 columns. Use a "
                "smaller n_grids, or a larger scale."
            )

    def _points(self, X: npt.ArrayLike, *, reset: bool) -> FloatArray:
        if sp.issparse(X):
            raise InvalidInputError(
                "X is a sparse matrix, but RandomBinning needs dense data: a zero lies in a bin as every "
                "other number does. Pass X.toarray()."
            )
        points: FloatArray = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32])
        return points

    def _hashes(self, points: FloatArray, grid: int) -> npt.NDArray[np.uint64]:
        """Hash the box of every sample in one grid to 64 bits."""
        bins = np.floor((points - self.shifts_[grid]) / self.widths_[grid])
        if not np.all(np.abs(bins) < _LARGEST_BIN):
            raise InvalidInputError(
                f"X has values that lie more than 2^53 bins from zero at scale={self.scale!r}. Scale the "
                "columns, or use a larger scale."
            )
        hashes: npt.NDArray[np.uint64] = bins.astype(np.int64).view(np.uint64) @ self.multipliers_
        return hashes

    def _columns(self, points: FloatArray, grid: int) -> npt.NDArray[np.int32]:
        """Return the feature of every sample in one grid; -1 for a box that the fit has not seen."""
        first, last = self.offsets_[grid], self.offsets_[grid + 1]
        keys, hashes = self.keys_[first:last], self._hashes(points, grid)
        places = np.minimum(np.searchsorted(keys, hashes), last - first - 1)
        found: npt.NDArray[np.int32] = np.where(keys[places] == hashes, first + places, -1).astype(np.int32)
        return found

    def _check_parameters(self) -> None:
        grids: object = self.n_grids
        if not isinstance(grids, Integral) or int(grids) < 1:
            raise InvalidInputError(f"n_grids={grids!r} is not a positive integer. Pass one such as 100.")
        scale: object = self.scale
        if not isinstance(scale, Real) or not 0 < float(scale) < np.inf:
            raise InvalidInputError(f"scale={scale!r} is not a positive number. Pass a length such as 1.0.")

    @property
    def _n_features_out(self) -> int:
        return len(self.keys_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
