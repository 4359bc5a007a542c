"""A data matrix with a column of ones at its end."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from fenchel._kernels.views import Lines
from fenchel.design.base import Design
from fenchel.typing import FloatArray, IndexArray

__all__ = ["InterceptDesign"]


class InterceptDesign(Design):
    """``[A, 1]``: the design ``base`` with a virtual last column of ones, which is not stored.

    Parameters
    ----------
    base : Design, shape (n, d)

    Notes
    -----
    The shape is (n, d + 1) and the intercept is the last coordinate. Its n ones count as entries in
    ``n_entries`` and ``column_counts``. The views are those of ``base`` with ``ones=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.design import InterceptDesign, as_design
    >>> design = InterceptDesign(as_design(np.array([[1.0], [2.0]])))
    >>> design.matvec(np.array([10.0, 0.5]))
    array([10.5, 20.5])
    """

    def __init__(self, base: Design) -> None:
        self.base = base

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.base.shape
        return n, d + 1

    @property
    def n_entries(self) -> int:
        return self.base.n_entries + self.base.shape[0]

    def matvec(self, w: FloatArray) -> FloatArray:
        product = self.base.matvec(w[:-1])
        product += w[-1]
        return product

    def rmatvec(self, u: FloatArray) -> FloatArray:
        return np.concatenate([self.base.rmatvec(u), u.sum(axis=0, keepdims=True)])

    def matvecs(self, vectors: FloatArray) -> FloatArray:
        product = self.base.matvecs(np.ascontiguousarray(vectors[:, :-1]))
        product += vectors[:, -1:]
        return product

    def rmatvecs(self, vectors: FloatArray) -> FloatArray:
        return np.hstack([self.base.rmatvecs(vectors), vectors.sum(axis=1, keepdims=True)])

    @cached_property
    def rows(self) -> Lines:
        lines = self.base.rows
        return replace(lines, length=lines.length + 1, ones=True)

    @cached_property
    def columns(self) -> Lines:
        lines = self.base.columns
        return replace(lines, n_lines=lines.n_lines + 1, ones=True)

    @property
    def copied_bytes(self) -> int:
        return self.base.copied_bytes

    def column_sums(self, sample_weight: FloatArray) -> FloatArray:
        return np.append(self.base.column_sums(sample_weight), sample_weight.sum())

    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        return np.append(self.base.column_square_sums(sample_weight), sample_weight.sum())

    def row_square_sums(self, coordinate_weight: FloatArray) -> FloatArray:
        sums = self.base.row_square_sums(coordinate_weight[:-1])
        sums += coordinate_weight[-1]
        return sums

    @property
    def column_counts(self) -> IndexArray:
        return np.append(self.base.column_counts, self.base.shape[0])

    @property
    def row_counts(self) -> IndexArray:
        return self.base.row_counts + 1

    def select_columns(self, coordinates: IndexArray) -> FloatArray:
        n, d = self.base.shape
        chosen = np.ones((n, len(coordinates)))
        stored = coordinates != d
        chosen[:, stored] = self.base.select_columns(coordinates[stored])
        return chosen

    def restrict(self, coordinates: IndexArray) -> Design:
        stored = coordinates[coordinates < self.base.shape[1]]
        features = self.base.restrict(stored)
        return features if len(stored) == len(coordinates) else InterceptDesign(features)

    def submatrix(self, samples: IndexArray, coordinates: IndexArray) -> Design:
        stored = coordinates[coordinates < self.base.shape[1]]
        features = self.base.submatrix(samples, stored)
        return features if len(stored) == len(coordinates) else InterceptDesign(features)

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        sums = self.base.column_sums(sample_weight)[:, None]
        corner = np.full((1, 1), sample_weight.sum())
        product: FloatArray = np.block([[self.base.gram(sample_weight), sums], [sums.T, corner]])
        return product

    def row_gram(self, samples: IndexArray, coordinate_weight: FloatArray) -> FloatArray:
        return self.base.row_gram(samples, coordinate_weight[:-1]) + float(coordinate_weight[-1])
