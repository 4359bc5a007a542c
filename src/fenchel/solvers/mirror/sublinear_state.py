"""What SublinearMulticlass keeps, as arrays and scalars, and the tables of the kernels made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fenchel._kernels.class_tables import ClassTable
from fenchel._kernels.entries import AliasTables
from fenchel._kernels.mirror_dense import DenseTables
from fenchel._kernels.mirror_sparse import SparseTables
from fenchel.problem.problem import Problem
from fenchel.solvers.base import State
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SublinearState", "arrays_of", "average_w", "dual_average", "scale_averages"]

_PARTS = ("key", "next", "head", "count", "size")


@dataclass
class SublinearState(State):
    """The tables of both sides, the sizes that are drawn by, and the average's beginning and weight.

    ``weight`` counts the steps of the average in units of the present step size ``gamma``; ``begun`` is the
    time when it began. The arrays of hash tables are empty where there are none, and grow.
    """

    growing: ClassVar[Mapping[str, int]] = {
        f"{side}_{part}": 0 for side in ("primal", "dual") for part in ("values", "key", "next")
    }

    time: int
    begun: int
    weight: float
    gamma: float
    radius: float
    choice: AliasTables
    row_size: FloatArray
    column_size: FloatArray
    scalars: FloatArray
    sums: FloatArray
    dual_rows: FloatArray
    primal_values: FloatArray
    primal_key: IndexArray
    primal_next: IndexArray
    primal_head: IndexArray
    primal_count: IndexArray
    primal_size: IndexArray
    dual_values: FloatArray
    dual_key: IndexArray
    dual_next: IndexArray
    dual_head: IndexArray
    dual_count: IndexArray
    dual_size: IndexArray

    @property
    def nbytes(self) -> int:
        """The memory of all arrays."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def dense_tables(self) -> DenseTables:
        """The tables of dense data."""
        return DenseTables(self.primal_values, self.dual_values, self.dual_rows, self.scalars)

    def sparse_tables(self, n_classes: int) -> SparseTables:
        """The tables of sparse data; :meth:`keep` takes them back where they have grown."""
        primal, dual = (
            ClassTable(
                n_classes,
                getattr(self, f"{side}_values"),
                *(getattr(self, f"{side}_{part}") for part in _PARTS),
            )
            for side in ("primal", "dual")
        )
        return SparseTables(primal, self.sums, dual, self.dual_rows, self.scalars)

    def keep(self, tables: SparseTables) -> None:
        """Take the arrays of tables that may have grown."""
        for side, table in (("primal", tables.primal), ("dual", tables.dual)):
            for part in ("values", *_PARTS):
                setattr(self, f"{side}_{part}", getattr(table, part))


def arrays_of(tables: DenseTables | SparseTables) -> dict[str, Any]:
    """The arrays of new tables by the names of the state."""
    if isinstance(tables, DenseTables):
        none = np.empty(0, dtype=np.int64)
        parts = {f"{side}_{part}": none for side in ("primal", "dual") for part in _PARTS}
        values = {"primal_values": tables.primal, "dual_values": tables.dual, "dual_rows": tables.own}
        return parts | values | {"sums": np.empty(0), "scalars": tables.alpha}
    arrays: dict[str, Any] = {"sums": tables.sums, "dual_rows": tables.dual_rows, "scalars": tables.scalars}
    for side, table in (("primal", tables.primal), ("dual", tables.dual)):
        arrays |= {f"{side}_{part}": getattr(table, part) for part in ("values", *_PARTS)}
    return arrays


def scale_averages(state: SublinearState, dense: bool, factor: float) -> None:
    """Multiply the weight of all points so far; 0 begins new averages."""
    state.weight *= factor
    if dense:
        state.primal_values[1] *= factor
        state.dual_values[1:] *= factor
        return
    state.primal_values[:, 2] *= factor
    state.dual_values[:, 2:] *= factor
    state.dual_rows[:, 5] *= factor


def average_w(problem: Problem, state: SublinearState, dense: bool) -> FloatArray:
    """The average of w, (d, k); zero before the first step."""
    if state.weight == 0.0:
        return np.zeros(problem.primal_shape)
    if dense:
        return np.ascontiguousarray(state.primal_values[1].T) / state.weight
    d, k = problem.primal_shape
    w = state.sparse_tables(k).primal.dense(d, 2)
    w /= state.weight
    return w


def dual_average(problem: Problem, state: SublinearState, dense: bool) -> FloatArray:
    """The average of u = V - b under the hinge, (n, k).

    The own class of a row makes its sum zero, whatever rounding did to the others.
    """
    n, k = problem.b.shape
    own = problem.b > 0
    if state.weight == 0.0:
        u = np.full((n, k), 1.0 / k)
    elif dense:
        u = state.dual_values[1] / state.weight
    else:
        u = state.sparse_tables(k).dual.dense(n, 2, state.dual_rows[:, 5])
        u /= state.weight
    u[own] = 0.0
    u[own] = -u.sum(axis=1)
    return u
