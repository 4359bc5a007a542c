"""Stochastic mirror descent on dense data, O(n + d + k) a step: checks, then the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_array, check_order, check_vector
from fenchel._kernels.entropic import EntropicStep, SampledGame
from fenchel._kernels.views import DenseLines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["DENSE_UNIFORMS", "DenseTables", "mirror_dense_steps"]

DENSE_UNIFORMS = 4
"""Uniform numbers of a draw: for the row, its class, the feature, and its class."""


@dataclass(frozen=True, eq=False)
class DenseTables:
    r"""The point and the sums over all steps, changed in place.

    Attributes
    ----------
    primal : (2, k, d) the weights W of :math:`U = \alpha (W, 1/W)`, and sums of :math:`w = U_{:d} - U_{d:}`.
    dual : (2, n, k) for the hinge, V off the class of the row and sums of it; (1, n, k) for softmax, logits.
    own : (n,) for the hinge, V at the class of the row; (0,) for softmax.
    alpha : (1,)

    Entries of V below 2^-500 stand as minus 2^1000 times themselves.
    """

    primal: FloatArray
    dual: FloatArray
    own: FloatArray
    alpha: FloatArray

    @classmethod
    def initial(cls, game: SampledGame, radius: float) -> DenseTables:
        """The uniform point: U = R / (2 d k), V = 1 / k."""
        n, d, k = game.n_samples, game.n_features, game.n_classes
        primal, dual = np.zeros((2, k, d)), np.zeros((2 if game.hinge else 1, n, k))
        primal[0] = 1.0
        if game.hinge:
            dual[0] = 1.0 / k
            dual[0, np.arange(n), game.label] = 0.0
        own = np.full(n if game.hinge else 0, 1.0 / k)
        return cls(primal, dual, own, np.array([radius / (2 * d * k)]))

    def check(self, game: SampledGame) -> None:
        """Refuse arrays of another game."""
        n, d, k = game.n_samples, game.n_features, game.n_classes
        for name, array, shape in (
            ("primal", self.primal, (2, k, d)),
            ("dual", self.dual, (2 if game.hinge else 1, n, k)),
            ("own", self.own, (n if game.hinge else 0,)),
            ("alpha", self.alpha, (1,)),
        ):
            if array.shape != shape:
                raise InvalidInputError(f"{name} has shape {array.shape}; the kernels need {shape}.")
            check_vector(name, array.reshape(-1), int(np.prod(shape)), writeable=True)


def mirror_dense_steps(
    game: SampledGame,
    step: EntropicStep,
    tables: DenseTables,
    order: IndexArray | None,
    uniforms: FloatArray,
) -> IndexArray:
    """Take steps of stochastic mirror descent, in place.

    The twin, :func:`fenchel.reference.sampled_mirror.mirror_dense_steps`, states the update.
    Beside the steps a call costs O((n + d) k).

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
    _core.mirror_dense_steps(
        game.rows.compiled, game.hinge, game.n_classes, game.label, game.row_size, game.row_weight,
        game.column_size, game.weight_sum, step.primal, step.decline, step.radius, step.dual, step.window,
        step.draws, tables.primal.reshape(-1), tables.dual.reshape(-1), tables.own, tables.alpha,
        np.empty(0, dtype=np.int64) if order is None else order, uniforms.reshape(-1), drawn.reshape(-1),
    )  # fmt: skip
    return drawn
