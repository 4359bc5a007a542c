"""A design whose coefficients are a matrix: what it offers, and what it refuses."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from fenchel._kernels.views import Lines
from fenchel.design.base import Design
from fenchel.errors import UnsupportedProblemError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["MatrixDesign"]


class MatrixDesign(Design):
    """A linear map from a matrix ``W`` to scores, of shape (n_samples, rows of W) where a shape is asked for.

    It offers products. What visits single coordinates raises UnsupportedProblemError: the solvers for
    such designs say so in ``requires``.
    """

    visits_coordinates: ClassVar[bool] = False

    def coefficient_shape(self, outputs: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of ``W``. Raises UnsupportedProblemError for a loss with vector outputs."""
        if outputs:
            raise self._refused("a loss with vector outputs")
        return self.matrix_shape

    @property
    @abstractmethod
    def matrix_shape(self) -> tuple[int, int]:
        """The shape of ``W``."""

    def _refused(self, what: str) -> UnsupportedProblemError:
        return UnsupportedProblemError(
            f"{type(self).__name__} has a matrix of coefficients, and cannot serve {what}. Use a solver that "
            "needs products alone, such as solver='auto' chooses."
        )

    @property
    def rows(self) -> Lines:
        raise self._refused("a method that visits rows")

    @property
    def columns(self) -> Lines:
        raise self._refused("a method that visits columns")

    @property
    def column_counts(self) -> IndexArray:
        raise self._refused("a method that visits columns")

    @property
    def row_counts(self) -> IndexArray:
        raise self._refused("a method that visits rows")

    def column_sums(self, sample_weight: FloatArray) -> FloatArray:
        raise self._refused("sums of columns")

    def column_square_sums(self, sample_weight: FloatArray) -> FloatArray:
        raise self._refused("sums of columns")

    def row_square_sums(self, coordinate_weight: FloatArray) -> FloatArray:
        raise self._refused("sums of rows")

    def select_columns(self, coordinates: IndexArray) -> FloatArray:
        raise self._refused("coefficients without a penalty")

    def restrict(self, coordinates: IndexArray) -> Any:
        raise self._refused("a part of its coefficients")

    def submatrix(self, samples: IndexArray, coordinates: IndexArray) -> Any:
        raise self._refused("a part of its coefficients")

    def gram(self, sample_weight: FloatArray) -> FloatArray:
        raise self._refused("Gram matrices")

    def row_gram(self, samples: IndexArray, coordinate_weight: FloatArray) -> FloatArray:
        raise self._refused("Gram matrices")
