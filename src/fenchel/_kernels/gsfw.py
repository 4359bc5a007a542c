"""The passes of generalised stochastic Frank-Wolfe: checks, then the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import check_order, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["SubstituteArrays", "gsfw_ray_pass", "gsfw_vertex_pass"]


@dataclass(frozen=True, eq=False)
class SubstituteArrays:
    """What the iterations of a pass work on; the last seven are updated in place.

    Attributes
    ----------
    batches : (T, size) int64, the rows of every iteration, none twice in a batch.
    b, sample_weight : (n,) targets, and weights of mean 1.
    step, weight : (T,) the steps eta_t, and the weights gamma_t in the averages.
    clock : the weight of all iterations before.
    mean_conjugate : ``(1/n) sum_i s_i phi_i*(u_i)`` at the start.
    prediction, u : (n,) the prediction of every row and its derivative.
    v : (D,) ``A'(s u) / n``.
    numerator : (D,) the weighted sum of the best responses.
    u_total, u_since : (n,) the weighted sum of the values of u, and the weight that it holds.
    dual : (T,) becomes the dual value at the beginning of every iteration.
    """

    batches: IndexArray
    b: FloatArray
    sample_weight: FloatArray
    step: FloatArray
    weight: FloatArray
    clock: float
    mean_conjugate: float
    prediction: FloatArray
    u: FloatArray
    v: FloatArray
    numerator: FloatArray
    u_total: FloatArray
    u_since: FloatArray
    dual: FloatArray

    def checked(self, rows: Lines, loss: KernelLoss) -> tuple[Any, ...]:
        """The arguments of the kernels. Raises InvalidInputError for what a kernel must not read."""
        n, d = rows.n_lines, rows.length
        if self.batches.ndim != 2:
            raise InvalidInputError(f"batches has {self.batches.ndim} dimensions; the kernels need 2.")
        order, count = self.batches.reshape(-1), self.batches.shape[0]
        check_order(order, n, name="batches")
        inputs = (("b", self.b, n), ("sample_weight", self.sample_weight, n))
        for name, array, size in (*inputs, ("step", self.step, count), ("weight", self.weight, count)):
            check_vector(name, array, size)
        for name, size in (
            ("prediction", n), ("u", n), ("v", d), ("numerator", d), ("u_total", n), ("u_since", n),
            ("dual", count),
        ):  # fmt: skip
            check_vector(name, getattr(self, name), size, writeable=True)
        return (
            rows.compiled, order, self.batches.shape[1], loss.compiled, self.b, self.sample_weight, self.step,
            self.weight, self.clock, self.mean_conjugate, self.prediction, self.u, self.v, self.u_total,
            self.u_since, self.dual,
        )  # fmt: skip


def gsfw_vertex_pass(
    rows: Lines, loss: KernelLoss, arrays: SubstituteArrays, radius: float, penalty: float, signed: bool
) -> int:
    """Run the iterations for a set whose vertices have one coordinate, ``radius``, with a penalty inside.

    The twin, :func:`fenchel.reference.gsfw.gsfw_pass`, states the update. Returns the entries read: those of
    the rows of the batches. Raises InvalidInputError if an array has the wrong dtype, layout or size, or a
    row is out of range.
    """
    arguments = (*arrays.checked(rows, loss), radius, penalty, signed, arrays.numerator)
    return _core.gsfw_vertex_pass(*arguments)


def gsfw_ray_pass(rows: Lines, loss: KernelLoss, arrays: SubstituteArrays, radius: float, l2: float) -> int:
    """Run the iterations for a ball of ``radius``, possibly infinite, with a ridge of strength ``l2`` inside.

    The twin, :func:`fenchel.reference.gsfw.gsfw_pass`, states the update. Returns the entries read: those of
    the rows of the batches. Raises InvalidInputError if an array has the wrong dtype, layout or size, or a
    row is out of range.
    """
    checked = arrays.checked(rows, loss)
    scratch = np.empty(rows.length), np.empty(arrays.batches.shape[1])
    arguments = (*checked, radius, l2, arrays.numerator, *scratch)
    return _core.gsfw_ray_pass(*arguments)
