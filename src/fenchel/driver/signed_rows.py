"""Two classes as rows with signs: margins and bounds on them, with their rounding errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel._kernels.views import SparseLines
from fenchel.design.base import Design
from fenchel.design.validation import as_design
from fenchel.errors import InvalidInputError
from fenchel.numerics.power import lp_norm
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SignedRows"]

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class SignedRows:
    """A matrix, a sign for each row, and whether a free intercept goes with it.

    Attributes
    ----------
    features : ndarray or csr_array of shape (n_samples, n_features), float64
    sign : ndarray of shape (n_samples,)
    fit_intercept : bool
    column_scale : ndarray of shape (n_features,)
        What the columns were multiplied by.
    """

    features: Any
    sign: FloatArray
    fit_intercept: bool
    column_scale: FloatArray

    @classmethod
    def of(cls, X: object, y: npt.ArrayLike, fit_intercept: bool) -> SignedRows:
        """Check the input. Raises InvalidInputError."""
        features = _matrix(X)
        labels = np.asarray(y)
        if labels.shape != features.shape[:1]:
            raise InvalidInputError(
                f"y has shape {labels.shape}, but X has {features.shape[0]} rows. Pass a label for each row."
            )
        classes = np.unique(labels)
        if classes.size != 2:
            raise InvalidInputError(
                f"y has {classes.size} classes, but separability is a question about two. Pass two classes, "
                "or one class against the rest."
            )
        sign = np.where(labels == classes[1], 1.0, -1.0)
        return cls(features, sign, fit_intercept, np.ones(features.shape[1]))

    @property
    def n_samples(self) -> int:
        return int(self.features.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def n_entries(self) -> int:
        return int(self.features.nnz) if sp.issparse(self.features) else int(self.features.size)

    @property
    def mean_square(self) -> float:
        """The mean square of the norms of the rows, at least the smallest normal number."""
        return max(float(np.mean(self.row_norms() ** 2)), float(np.finfo(float).tiny))

    def row_norms(self) -> FloatArray:
        squares = self.features.power(2) if sp.issparse(self.features) else self.features**2
        norms: FloatArray = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
        return norms

    def alike(self) -> SignedRows:
        """The same, scaled where the largest entries of the columns differ by more than a factor of 1000."""
        largest = self._largest()
        positive = largest[largest > 0.0]
        return self.scaled() if positive.size and positive.max() > 1e3 * positive.min() else self

    def _largest(self) -> FloatArray:
        """The largest absolute value of each column."""
        largest = abs(self.features).max(axis=0)
        return np.asarray(largest.toarray() if sp.issparse(largest) else largest, dtype=np.float64).ravel()

    def scaled(self) -> SignedRows:
        """The same with columns of alike sizes: divided by powers of 2 near their largest entries."""
        largest = self._largest()
        scale = np.ldexp(1.0, -np.frexp(np.where(largest > 0.0, largest, 1.0))[1])
        features = (
            self.features.multiply(scale).tocsr() if sp.issparse(self.features) else self.features * scale
        )
        return replace(self, features=features, column_scale=scale)

    def unscaled(self, coefficients: FloatArray) -> FloatArray:
        """The coefficients of the columns before they were scaled."""
        return coefficients * self.column_scale

    def with_constant(self) -> Any:
        """The features, and with an intercept a constant column of the size of the rows."""
        if not self.fit_intercept:
            return self.features
        column = np.full((self.n_samples, 1), float(np.sqrt(self.mean_square)))
        if sp.issparse(self.features):
            return sp.hstack([self.features, sp.csr_array(column)], format="csr")
        return np.column_stack([self.features, column])

    def dense(self, used: IndexArray) -> FloatArray:
        """Some rows times their signs, with the column of the intercept, as a dense matrix."""
        block = self.features[used]
        block = block.toarray() if sp.issparse(block) else block
        if self.fit_intercept:
            block = np.column_stack([block, np.ones(len(used))])
        result: FloatArray = self.sign[used][:, None] * block
        return result

    def equal_pair(self) -> tuple[int, int] | None:
        """Two equal rows of different classes, if there are any. Cost O(entries)."""
        known: dict[bytes, int] = {}
        for i in range(self.n_samples):
            row = self._key(i)
            other = known.setdefault(row, i)
            if self.sign[other] != self.sign[i]:
                return other, i
        return None

    def _key(self, i: int) -> bytes:
        if not sp.issparse(self.features):
            return bytes((self.features[i] + 0.0).tobytes())
        span = slice(self.features.indptr[i], self.features.indptr[i + 1])
        values, columns = self.features.data[span], self.features.indices[span]
        order = np.argsort(columns[values != 0.0])
        key = columns[values != 0.0][order].astype(np.int64).tobytes()
        return bytes(key + values[values != 0.0][order].tobytes())

    def margin(self, coefficients: FloatArray, intercept: float, p: float) -> tuple[FloatArray, float, float]:
        """The direction with norm 1, its best intercept, and its margin less the rounding of the scores.

        The margin is minus infinity for the direction zero.
        """
        norm = lp_norm(coefficients, p)
        if not (np.isfinite(norm) and norm > 0.0):
            return np.zeros(self.n_features), 0.0, -np.inf
        direction = coefficients / norm
        norm = lp_norm(direction, p)
        scores = self.features @ direction
        if self.fit_intercept:
            positive, negative = scores[self.sign > 0], scores[self.sign < 0]
            intercept = -0.5 * float(positive.min() + negative.max())
        # The rounding of a sum of products, and of the sum with the intercept.
        error = (
            (self.n_features + 4)
            * _EPS
            * (self.row_norms() * float(np.linalg.norm(direction)) + abs(intercept))
        )
        margins = self.sign * (scores + intercept) - error
        return direction, intercept, float(margins.min()) / norm * (1.0 - 8 * _EPS)

    def margin_bound(self, weights: FloatArray, p: float) -> tuple[FloatArray, float]:
        r"""Weights of sum 1, and a bound on the margin of every direction that they prove.

        For weights that sum to 1,
        :math:`\min_i m_i \le \sum_i u_i m_i = w^\top \sum_i u_i y_i x_i + c \sum_i u_i y_i`; with an
        intercept each class gets half of the weight, so that c drops out. Rounding is added.
        """
        weights = np.maximum(weights, 0.0)
        parts = (self.sign > 0, self.sign < 0) if self.fit_intercept else (np.ones(self.n_samples, bool),)
        shares = [float(weights[part].sum()) for part in parts]
        if min(shares) <= 0.0 or not np.all(np.isfinite(weights)):
            return np.zeros(self.n_samples), np.inf
        weights = weights.copy()
        for part, share in zip(parts, shares, strict=True):
            weights[part] /= share * len(parts)
        q = p / (p - 1.0)
        total = self.features.T @ (self.sign * weights)
        sizes = abs(self.features).T @ weights
        # Weights that are normalised in floating point sum to 1 within n eps, class by class.
        error = 2 * (self.n_samples + 4) * _EPS * lp_norm(sizes, q)
        return weights, (lp_norm(total, q) + error) * (1.0 + (self.n_samples + self.n_features + 8) * _EPS)

    def linear_program(self) -> tuple[FloatArray, float, FloatArray]:
        r"""Maximise t with :math:`y_i(x_i^\top w + c) \ge t \|x_i\|` and :math:`|w_j| \le 1`, by HiGHS.

        Returns w, c, and the multipliers of the rows.
        """
        from scipy.optimize import linprog

        norms = np.maximum(self.row_norms(), float(np.finfo(float).tiny))
        by_row = sp.diags_array(self.sign / norms) @ sp.csr_array(self.features)
        ones = (self.sign / norms)[:, None] * float(self.fit_intercept)
        level = -np.ones((self.n_samples, 1))
        system = sp.hstack([by_row, sp.csr_array(ones), sp.csr_array(level)], format="csr")
        n_unknowns = self.n_features + 2
        bounds = [(-1.0, 1.0)] * (n_unknowns - 2) + [(None, None), (None, None)]
        objective = np.zeros(n_unknowns)
        objective[-1] = -1.0
        found = linprog(objective, A_ub=-system, b_ub=np.zeros(self.n_samples), bounds=bounds, method="highs")
        if found.x is None:
            return np.zeros(self.n_features), 0.0, np.zeros(self.n_samples)
        weights = np.maximum(-np.asarray(found.ineqlin.marginals), 0.0) / norms
        return self.unscaled(found.x[: self.n_features]), float(found.x[-2]), weights


def _matrix(X: object) -> Any:
    """The matrix in float64, dense or by rows."""
    design = as_design(X)
    if isinstance(X, Design):
        lines = design.rows
        if isinstance(lines, SparseLines):
            X = sp.csr_array((lines.data, lines.indices, lines.indptr), shape=design.shape)
        else:
            X = lines.data
    features: Any = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
    return features.astype(np.float64)
