"""Stochastic mirror descent on sparse data: checks, then the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array, check_matrix, check_order, check_vector
from fenchel._kernels.class_tables import ClassTable
from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.views import SparseLines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SPARSE_UNIFORMS", "SparseTables", "mirror_sparse_flush", "mirror_sparse_steps"]

SPARSE_UNIFORMS = 11
"""Uniform numbers of a draw: for the row's class, the feature, and its class; and two lots of four for the
rejections of untouched classes."""


@dataclass(eq=False)
class SparseTables:
    r"""The point and its running sums, all changed in place; hash tables are replaced where they grow.

    Attributes
    ----------
    primal : for features, the weights W of :math:`U = \alpha (W, 1/W)`, stamps, and flushed sums of
        :math:`w = U_{:d} - U_{d:}`; untouched 1, 0, 0.
    sums : (d, 2) sums over the classes of W, and of 1/W.
    dual : for rows. The hinge: weights, stamps and flushed sums of V off the class of the row. Softmax:
        logits.
    dual_rows : (n, 7) for the hinge: the weight at the class of the row as of the time, the sum of the
        others, the sum of scales since the flush, the time, an untouched class's weight and flushed sum, and
        the largest sum of the others since it was taken afresh; (0, 7) for softmax. Weights below
        2^-500 stand as minus 2^1000 times themselves.
    scalars : :math:`\alpha`, its sum since the flush, its value at the flush, the sum of all ``sums``, the
        steps so far, and the factor of the logits.
    """

    primal: ClassTable
    sums: FloatArray
    dual: ClassTable
    dual_rows: FloatArray
    scalars: FloatArray

    @classmethod
    def initial(cls, game: SampledGame, radius: float, hashed: bool) -> SparseTables:
        """The uniform point: U = R / (2 d k), V = 1 / k."""
        n, d, k = game.n_samples, game.n_features, game.n_classes
        of_row = (1.0, 0.0, 0.0) if game.hinge else (0.0,)
        if hashed:
            primal, dual = ClassTable.hashed(d, k, 3), ClassTable.hashed(n, k, len(of_row))
        else:
            primal, dual = ClassTable.full(d, k, (1.0, 0.0, 0.0)), ClassTable.full(n, k, of_row)
        alpha = radius / (2 * d * k)
        return cls(
            primal=primal,
            sums=np.full((d, 2), float(k)),
            dual=dual,
            dual_rows=np.tile([1.0, k - 1.0, 0.0, 0.0, 1.0, 0.0, k - 1.0], (n if game.hinge else 0, 1)),
            scalars=np.array([alpha, 0.0, alpha, 2.0 * d * k, 0.0, 1.0]),
        )

    @property
    def nbytes(self) -> int:
        """The memory of all arrays."""
        return self.primal.nbytes + self.dual.nbytes + self.sums.nbytes + self.dual_rows.nbytes

    def check(self, game: SampledGame) -> None:
        """Refuse arrays of another game."""
        n, d = game.n_samples, game.n_features
        self.primal.check("primal", d, 3)
        self.dual.check("dual", n, 3 if game.hinge else 1)
        if self.primal.is_hashed != self.dual.is_hashed:
            raise InvalidInputError("One of the tables is hashed and the other one full.")
        check_matrix("sums", self.sums, (d, 2), writeable=True)
        check_matrix("dual_rows", self.dual_rows, (n if game.hinge else 0, 7), writeable=True)
        check_vector("scalars", self.scalars, 6, writeable=True)


def mirror_sparse_steps(
    game: SampledGame, step: EntropicStep, tables: SparseTables, order: IndexArray, uniforms: FloatArray
) -> IndexArray:
    """Take steps of stochastic mirror descent, in place.

    The twin, :func:`fenchel.reference.sampled_mirror.mirror_sparse_steps`, states the update.

    Parameters
    ----------
    game : SampledGame, sparse.
    step : EntropicStep, the same for all, and for all since the last flush.
    tables : SparseTables.
    order : the row of every draw, from probabilities in proportion to ``row_weight``.
    uniforms : (draws in all, 11) uniform numbers in [0, 1); ``step.draws`` of the draws make a step.

    Returns
    -------
    drawn : (draws in all, 4) the row, its class, the feature (+ d for the negative half) and its class.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or the data are not sparse.
    """
    if not isinstance(game.rows, SparseLines):
        raise InvalidInputError("These steps need sparse data; mirror_dense_steps serves dense data.")
    check_array("uniforms", uniforms, (np.dtype(np.float64),), 2)
    if uniforms.shape[1] != SPARSE_UNIFORMS or len(uniforms) % step.draws:
        raise InvalidInputError(f"uniforms has shape {uniforms.shape} for steps of {step.draws} draws.")
    check_order(order, game.n_samples)
    if order.size != len(uniforms):
        raise InvalidInputError(f"order has {order.size} rows for {len(uniforms)} draws.")
    tables.check(game)
    drawn = np.empty((order.size, 4), dtype=np.int64)
    scratch = np.empty(game.n_features + 1), np.empty(game.n_classes), np.empty(2 * step.draws)
    done = 0
    while done < order.size:
        taken = _core.mirror_sparse_steps(
            game.rows.compiled, game.columns.compiled, game.hinge, game.label, game.row_size,
            game.column_size, game.weight_sum, step.primal, step.decline, step.radius, step.dual, step.window,
            step.draws, tables.primal.compiled, tables.sums.reshape(-1), tables.dual.compiled,
            tables.dual_rows.reshape(-1), tables.scalars, order[done:], uniforms[done:].reshape(-1),
            drawn[done:].reshape(-1), *scratch,
        )  # fmt: skip
        done += taken * step.draws
        if done < order.size:
            _grow(tables)
    return drawn


def _grow(tables: SparseTables) -> None:
    """Double the table that is fuller. The kernel asks again where that was not what it lacked."""
    primal, dual = tables.primal, tables.dual
    if primal.size[0] * dual.key.size >= dual.size[0] * primal.key.size:
        tables.primal = primal.grown()
    else:
        tables.dual = dual.grown()


def mirror_sparse_flush(game: SampledGame, step: EntropicStep, tables: SparseTables) -> None:
    """Settle the running sums: afterwards the third values hold the sums over all steps.

    ``step`` is that of the steps since the last flush. Cost O(classes held).
    """
    tables.check(game)
    _core.mirror_sparse_flush(
        game.hinge, game.label, step.dual, step.window, tables.primal.compiled, tables.sums.reshape(-1),
        tables.dual.compiled, tables.dual_rows.reshape(-1), tables.scalars,
    )  # fmt: skip
