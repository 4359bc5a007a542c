"""What the solvers and the certificate ask of a data matrix."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from fenchel._kernels.block_products import sums_of_lines
from fenchel._kernels.products import across_named, along_named
from fenchel._kernels.views import Lines
from fenchel.typing import FloatArray, IndexArray


class Design(ABC):
    """A data matrix ``A`` of shape (n, d) that is never modified.

    Products accumulate in float64 whatever the stored type. ``rows`` and ``columns`` are views for
    the kernels; the one that the storage does not offer is built on first use and kept (one copy of
    the stored entries). A product may skip the entries whose factor is 0, and then they are not read.
    """

    visits_coordinates: ClassVar[bool] = True
    """Whether there are rows and columns to visit, not products alone."""
    factored: ClassVar[bool] = False
    """Whether a primal point is a matrix in factors, and ``rmatvec`` a sparse one."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(n_samples, n_coordinates)."""

    @property
    @abstractmethod
    def n_entries(self) -> int:
        """The entries that one pass reads: the stored ones, or n d when dense."""

    def coefficient_shape(self, outputs: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of ``w`` for scores of shape ``(n, *outputs)``."""
        return (self.shape[1], *outputs)

    def zeros(self, outputs: tuple[int, ...] = ()) -> Any:
        """The zero among the primal points."""
        return np.zeros(self.coefficient_shape(outputs))

    @property
    def is_full(self) -> bool:
        """Whether every entry is stored: dense data, and sparse data that leaves no zero out."""
        n, d = self.shape
        return self.n_entries == n * d

    @abstractmethod
    def matvec(self, w: FloatArray) -> FloatArray:
        """``A w``; ``w`` of shape (d,) or (d, k)."""

    @abstractmethod
    def rmatvec(self, u: FloatArray) -> FloatArray:
        """``A' u``; ``u`` of shape (n,) or (n, k)."""

    def matvecs(self, vectors: FloatArray) -> FloatArray:
        """``A w`` for every row w of ``vectors``, (k, d) to (k, n).

        Where A is sparse it is read once for all, and zeros of the vectors are skipped. A row of the
        product does not depend on the other rows, to the last bit.
        """
        return np.stack([self.matvec(w) for w in vectors])

    def rmatvecs(self, vectors: FloatArray) -> FloatArray:
        """``A' u`` for every row u of ``vectors``, (k, n) to (k, d); see :meth:`matvecs`."""
        return np.stack([self.rmatvec(u) for u in vectors])

    def sparse_matvecs(self, vectors: FloatArray) -> FloatArray:
        """:meth:`matvecs` for vectors of mostly zeros: reads the columns where one is not, by ``columns``."""
        supports = [np.flatnonzero(w) for w in vectors]
        parts = (self.restrict(support) for support in supports)
        return np.stack([part.matvec(w[s]) for part, w, s in zip(parts, vectors, supports, strict=True)])

    def sparse_rmatvecs(self, vectors: FloatArray) -> FloatArray:
        """:meth:`rmatvecs` for vectors of mostly zeros: reads the rows where one is not, by ``rows``."""
        return sums_of_lines(self.rows, vectors)

    def matvec_on(self, coordinates: IndexArray, x: FloatArray) -> FloatArray:
        """``A w`` for the w that is ``x`` on the named coordinates, 0 elsewhere; reads their ``columns``."""
        return across_named(self.columns, coordinates, x)

    def rmatvec_on(self, coordinates: IndexArray, u: FloatArray) -> FloatArray:
        """The named entries of ``A' u``; reads their ``columns``."""
        return along_named(self.columns, coordinates, u)

    @property
    @abstractmethod
    def rows(self) -> Lines:
        """The rows, for kernels that visit samples."""

    @property
    @abstractmethod
    def columns(self) -> Lines:
        """The columns, for kernels that visit coordinates."""

    @property
    def copied_bytes(self) -> int:
        """Bytes of the copies of the data that views have made so far; 0 where no view was a copy."""
        return 0

    def build_views(self) -> None:
        """Make both views, so that every product with a sparse vector reads its support alone."""
        _ = self.rows, self.columns

    @abstractmethod
    def column_sums(self, sample_weight: FloatArray) -> FloatArray:
        """``sum_i s_i a_ij``, shape (d,)."""

    @abstractmethod
    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        """``sum_i s_i a_ij^2``, shape (d,)."""

    @abstractmethod
    def row_square_sums(self, coordinate_weight: FloatArray) -> FloatArray:
        """``sum_j c_j a_ij^2``, shape (n,)."""

    @property
    def row_squares(self) -> FloatArray:
        """The squared length of every row, shape (n,); not to be changed, for a design may keep it."""
        return self.row_square_sums(np.ones(self.shape[1]))

    @property
    @abstractmethod
    def column_counts(self) -> IndexArray:
        """The stored entries of each column."""

    @property
    @abstractmethod
    def row_counts(self) -> IndexArray:
        """The stored entries of each row."""

    @cached_property
    def squared_row_counts(self) -> float:
        """The sum of their squares: what the products of all pairs of entries of a row cost."""
        counts = self.row_counts.astype(np.float64)
        return float(counts @ counts)

    @abstractmethod
    def select_columns(self, coordinates: IndexArray) -> FloatArray:
        """The named columns as a dense (n, m) float64 array; m is small (the free coordinates)."""

    @abstractmethod
    def restrict(self, coordinates: IndexArray) -> "Design":
        """The named columns, ascending, as their own design; copies the entries, dense ones in float64."""

    @abstractmethod
    def submatrix(self, samples: IndexArray, coordinates: IndexArray) -> "Design":
        """The named rows of the named columns as their own design; copies the entries, dense ones in float64.

        Cost: the copied entries when dense; when sparse the stored entries of the named rows or of the
        named columns, whichever are fewer.
        """

    @abstractmethod
    def gram(self, sample_weight: FloatArray) -> FloatArray:
        """``A' diag(s) A`` as a dense (d, d) array, for designs of few columns."""

    @abstractmethod
    def row_gram(self, samples: IndexArray, coordinate_weight: FloatArray) -> FloatArray:
        """``A_I diag(c) A_I'`` for the named rows, as a dense array; they are few, and no c is negative."""

    @cached_property
    def row_products(self) -> FloatArray:
        """``A A'``, for designs of few rows; kept for the problems that share the design."""
        n, d = self.shape
        return self.row_gram(np.arange(n), np.ones(d))

    @property
    def rounded_row_products(self) -> FloatArray:
        """The same for steps, which may take products in single precision where these are quicker."""
        return self.row_products
