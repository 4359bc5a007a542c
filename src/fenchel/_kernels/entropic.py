"""What the kernels of sampled entropic steps take: the game, and the numbers of a step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels.checks import check_order, check_vector
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["EntropicStep", "SampledGame"]


@dataclass(frozen=True)
class EntropicStep:
    r"""The numbers of a step of size :math:`\gamma` in the ball of radius R.

    Attributes
    ----------
    primal : :math:`2 \gamma R L / n` with :math:`L = \max(1, \log 2dk)`.
    decline : :math:`2 \gamma \lambda R L`.
    radius : R.
    dual : :math:`c = 2 \gamma \max(1, \log k)`.
    draws : how many independent draws are averaged.
    window : by how much a scale may change before the averages are flushed.
    """

    primal: float
    decline: float
    radius: float
    dual: float
    draws: int = 1
    window: float = 1024.0


@dataclass(frozen=True, eq=False)
class SampledGame:
    r"""The data of a multiclass problem, and the sizes that probabilities are made of.

    Attributes
    ----------
    rows, columns : the two views of A, both dense or both sparse, of one dtype.
    hinge : the multiclass hinge loss, or softmax.
    n_classes : k.
    label : (n,) int64, the class of every row.
    row_size, row_weight : (n,) :math:`\tau_j = \max_f |a_{jf}|` and :math:`s_j \tau_j`.
    column_size : (d,) :math:`\sigma_i = (\sum_r s_r a_{ri}^2)^{1/2}`.
    """

    rows: Lines
    columns: Lines
    hinge: bool
    n_classes: int
    label: IndexArray
    row_size: FloatArray
    row_weight: FloatArray
    column_size: FloatArray

    def __post_init__(self) -> None:
        """Check what the kernels trust."""
        rows, columns = self.rows, self.columns
        if type(rows) is not type(columns) or rows.data.dtype != columns.data.dtype:
            raise InvalidInputError("rows and columns are not two views of one matrix, stored alike.")
        if (rows.n_lines, rows.length) != (columns.length, columns.n_lines) or rows.ones or columns.ones:
            raise InvalidInputError("rows and columns are not two views of one matrix without intercept.")
        check_order(self.label, self.n_classes, name="label")
        if self.label.size != self.n_samples:
            raise InvalidInputError(f"label has {self.label.size} values for {self.n_samples} rows.")
        check_vector("row_size", self.row_size, self.n_samples)
        check_vector("row_weight", self.row_weight, self.n_samples)
        check_vector("column_size", self.column_size, self.n_features)

    @property
    def n_samples(self) -> int:
        return self.rows.n_lines

    @property
    def n_features(self) -> int:
        return self.rows.length

    @property
    def weight_sum(self) -> float:
        """``sum_j s_j tau_j``."""
        return float(np.sum(self.row_weight))
