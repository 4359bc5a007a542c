"""Stochastic mirror descent on dense data, O(n + d + k) a step: checks, then the kernel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array, check_order, check_vector
from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["DENSE_UNIFORMS", "DenseTables", "mirror_dense_flush", "mirror_dense_steps"]

DENSE_UNIFORMS = 4
"""Uniform numbers of a draw: for the row, its class, the feature, and its class."""


@dataclass(frozen=True, eq=False)
class DenseTables:
    r"""The point and its running sums, all changed in place.

    Attributes
    ----------
    primal : (2, k, d) the weights W of :math:`U = \alpha (W, 1/W)`, and settled sums of
        :math:`w = U_{:d} - U_{d:}`.
    sums : (2, d) sums over the classes of W, and of 1/W.
    dual : (2, k, n) for the hinge, weights of V off the class of the row, and their sums over time less the
        weight times the sum of scales; (1, k, n) for softmax, logits.
    dual_rows : (3, n) for the hinge, the weight at the class of the row, the scale :math:`\beta`, and the sum
        of scales since the flush; (0, n) for softmax.
    scalars : (4 + k,) :math:`\alpha`, its sum since the flush, its value at the flush, the factor of the
        logits, and for every class the sum of :math:`\alpha` up to which its sums are settled.
    """

    primal: FloatArray
    sums: FloatArray
    dual: FloatArray
    dual_rows: FloatArray
    scalars: FloatArray

    @classmethod
    def initial(cls, game: SampledGame, radius: float) -> DenseTables:
        """The uniform point: U = R / (2 d k), V = 1 / k."""
        n, d, k = game.n_samples, game.n_features, game.n_classes
        primal, alpha = np.zeros((2, k, d)), radius / (2 * d * k)
        primal[0] = 1.0
        dual, dual_rows = np.zeros((2 if game.hinge else 1, k, n)), np.zeros((3 if game.hinge else 0, n))
        if game.hinge:
            dual[0], dual_rows[0], dual_rows[1] = 1.0 / k, 1.0 / k, 1.0
        scalars = np.append([alpha, 0.0, alpha, 1.0], np.zeros(k))
        return cls(primal, np.full((2, d), float(k)), dual, dual_rows, scalars)

    def check(self, game: SampledGame) -> None:
        """Refuse arrays of another game."""
        n, d, k = game.n_samples, game.n_features, game.n_classes
        width = 2 if game.hinge else 1
        for name, array, shape in (
            ("primal", self.primal, (2, k, d)), ("sums", self.sums, (2, d)),
            ("dual", self.dual, (width, k, n)),
            ("dual_rows", self.dual_rows, (3 if game.hinge else 0, n)), ("scalars", self.scalars, (4 + k,)),
        ):  # fmt: skip
            if array.shape != shape:
                raise InvalidInputError(f"{name} has shape {array.shape}; the kernels need {shape}.")
            check_vector(name, array.reshape(-1), int(np.prod(shape)), writeable=True)

    @property
    def flat(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """The arrays as the kernels take them."""
        return (
            self.primal.reshape(-1),
            self.sums.reshape(-1),
            self.dual.reshape(-1),
            self.dual_rows.reshape(-1),
            self.scalars,
        )


def mirror_dense_steps(
    game: SampledGame,
    step: EntropicStep,
    tables: DenseTables,
    order: IndexArray | None,
    uniforms: FloatArray,
) -> IndexArray:
    """Take steps of stochastic mirror descent, in place.

    The twin, :func:`fenchel.reference.sampled_mirror.mirror_dense_steps`, states the update.

    Parameters
    ----------
    game : SampledGame, dense.
    step : EntropicStep, the same for all.
    tables : DenseTables.
    order : the row of every draw, from probabilities in proportion to ``row_weight``; None lets the kernel
        draw from the optimal ones, which needs the hinge.
    uniforms : (draws in all, 4) uniform numbers in [0, 1); ``step.draws`` of the draws make a step.

    Returns
    -------
    drawn : (draws in all, 4) the row, its class, the feature (+ d for the negative half) and its class.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, the data are not dense, or softmax is to draw from
        the optimal probabilities.
    """
    if not isinstance(game.rows, DenseLines):
        raise InvalidInputError("These steps need dense data; mirror_sparse_steps serves sparse data.")
    if order is None and not game.hinge:
        raise InvalidInputError("The optimal row probabilities of softmax cost O(n k) a step; pass order.")
    check_array("uniforms", uniforms, (np.dtype(np.float64),), 2)
    if uniforms.shape[1] != DENSE_UNIFORMS or len(uniforms) % step.draws:
        raise InvalidInputError(f"uniforms has shape {uniforms.shape} for steps of {step.draws} draws.")
    if order is not None:
        check_order(order, game.n_samples)
        if order.size != len(uniforms):
            raise InvalidInputError(f"order has {order.size} rows for {len(uniforms)} draws.")
    tables.check(game)
    drawn = np.empty(uniforms.shape, dtype=np.int64)
    if len(uniforms) == 0:
        return drawn
    feature_block, row_block, class_group = map(_root, (game.n_features, game.n_samples, game.n_classes))
    of_primal, of_dual = _group_sums(game)
    _core.mirror_dense_steps(
        game.rows.compiled, game.columns.compiled, game.hinge, game.label, *_members(game), game.row_size,
        game.row_weight, game.column_size, game.weight_sum, step.primal, step.shrink, step.radius, step.dual,
        step.window, step.draws, *tables.flat, np.empty(0, dtype=np.int64) if order is None else order,
        uniforms.reshape(-1), drawn.reshape(-1), np.empty(game.n_classes), class_group, of_primal, of_dual,
        feature_block, np.empty(-(-game.n_features // feature_block)),
        row_block, np.empty(-(-game.n_samples // row_block)),
        np.empty(max(game.n_samples, game.n_features)), np.empty(2 * step.draws),
    )  # fmt: skip
    return drawn


def mirror_dense_flush(game: SampledGame, tables: DenseTables) -> None:
    """Settle the running sums: afterwards the second tables hold the sums over all steps. O((n + d) k)."""
    tables.check(game)
    of_primal, of_dual = _group_sums(game)
    _core.mirror_dense_flush(
        game.n_features, game.n_classes, game.hinge, game.label, *_members(game), *tables.flat,
        _root(game.n_classes), of_primal, of_dual,
    )  # fmt: skip


def _root(count: int) -> int:
    """The size of blocks of which there are as many."""
    return max(1, math.isqrt(count))


def _members(game: SampledGame) -> tuple[IndexArray, IndexArray]:
    """The rows by class, and where each class begins."""
    start = np.zeros(game.n_classes + 1, dtype=np.int64)
    np.cumsum(np.bincount(game.label, minlength=game.n_classes), out=start[1:])
    return np.argsort(game.label, kind="stable").astype(np.int64, copy=False), start


def _group_sums(game: SampledGame) -> tuple[FloatArray, FloatArray]:
    """Room for sums over groups of classes; on the dual side for one value more a row."""
    count = -(-game.n_classes // _root(game.n_classes))
    return np.empty(2 * count * game.n_features), np.empty((count + 1) * game.n_samples)
