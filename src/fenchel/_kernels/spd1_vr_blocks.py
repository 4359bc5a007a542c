"""The inner steps of SPD1-VR with blocks: checks, then the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel._kernels import _core
from fenchel._kernels.checks import CoordinateArrays, check_array, check_form, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel._kernels.views import DenseLines, Lines
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray, IndexArray

__all__ = ["LARGEST_BLOCK", "BlockDraws", "SaddleSteps", "Snapshot", "spd1_vr_block_steps"]

LARGEST_BLOCK: int = _core.largest_block
"""No block has more rows or columns than this."""


@dataclass(frozen=True, eq=False)
class BlockDraws:
    """The blocks of rows and of columns, and which of them each step takes.

    Block k has the lines ``bounds[k] .. bounds[k + 1] - 1``. ``row`` and ``column`` are the block of a
    step; ``other_row`` and ``other_column`` those whose values its first half reads.
    """

    row_bounds: IndexArray
    column_bounds: IndexArray
    row: IndexArray
    other_row: IndexArray
    column: IndexArray
    other_column: IndexArray

    def check(self, n: int, d: int) -> None:
        """Refuse blocks that do not cover the matrix, and draws that are not there."""
        for name, bounds, size in (
            ("row_bounds", self.row_bounds, n),
            ("column_bounds", self.column_bounds, d),
        ):
            _check_bounds(name, bounds, size)
        draws = {"row": self.row, "other_row": self.other_row}
        for name, order in draws.items():
            _check_draws(name, order, self.row.size, self.row_bounds.size - 1)
        draws = {"column": self.column, "other_column": self.other_column}
        for name, order in draws.items():
            _check_draws(name, order, self.row.size, self.column_bounds.size - 1)


@dataclass(frozen=True, eq=False)
class SaddleSteps:
    r"""Steps ``eta`` (D,) and ``tau`` (n,), and the proximal terms.

    The terms are :math:`\sum_j \tfrac{\alpha_j}2 (w_j - c_j)^2` with ``alpha`` and ``centre_w`` (D,), and
    :math:`\tfrac\beta{2n} \sum_i s_i (u_i - c_i)^2` with ``centre_u`` (n,). With zeros there are none.
    """

    eta: FloatArray
    tau: FloatArray
    alpha: FloatArray
    centre_w: FloatArray
    beta: float
    centre_u: FloatArray

    def check(self, n: int, d: int) -> None:
        """Refuse steps that are not positive, proximal weights below 0, and wrong sizes."""
        for name in ("eta", "alpha", "centre_w"):
            check_vector(name, getattr(self, name), d)
        for name in ("tau", "centre_u"):
            check_vector(name, getattr(self, name), n)
        for name, values in (("eta", self.eta), ("tau", self.tau)):
            if values.size and not values.min() > 0:
                raise InvalidInputError(f"{name} has the value {values.min()}; steps must be positive.")
        if min(float(self.alpha.min(initial=0.0)), self.beta) < 0:
            raise InvalidInputError("alpha and beta must not be negative.")


@dataclass(frozen=True, eq=False)
class Snapshot:
    r"""A pair of points ``w`` (D,), ``u`` (n,), with ``gx`` = A'(s * u) / n and ``gy`` = A w / D."""

    w: FloatArray
    u: FloatArray
    gx: FloatArray
    gy: FloatArray

    def check(self, n: int, d: int) -> None:
        """Refuse wrong sizes."""
        for name, array, size in (("w", self.w, d), ("u", self.u, n), ("gx", self.gx, d), ("gy", self.gy, n)):
            check_vector(f"the snapshot's {name}", array, size)


def spd1_vr_block_steps(
    rows: Lines,
    draws: BlockDraws,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateArrays,
    steps: SaddleSteps,
    snapshot: Snapshot,
    w: FloatArray,
    u: FloatArray,
    threads: int = 1,
) -> int:
    r"""Run the inner steps of SPD1-VR on the drawn blocks; update ``w`` and ``u`` in place.

    The twin, :func:`fenchel.reference.spd1_vr_blocks.spd1_vr_block_steps`, states the update.

    Parameters
    ----------
    rows : n dense lines of length D; an intercept is the last column of the last block.
    draws : the blocks of every step.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    form : the regularizer, D values each.
    steps, snapshot : see there.
    w, u : (D,), (n,), in the bounds and in the domain of the loss.
    threads : with more than 1 each takes its part of the draws, at the same time and on the same points;
        the result then depends on their speeds.

    Returns
    -------
    entries_read : three blocks a step.

    Raises
    ------
    InvalidInputError
        If the rows are sparse, an array has the wrong dtype, layout or size, a block is too large or not
        there, a step is not positive, or there is no thread.
    """
    if not isinstance(rows, DenseLines):
        raise InvalidInputError("blocks of a sparse matrix are mostly zeros; this kernel needs dense rows.")
    if threads < 1:
        raise InvalidInputError(f"threads is {threads}; at least 1 must do the work.")
    n, d = rows.n_lines, rows.length
    draws.check(n, d)
    steps.check(n, d)
    snapshot.check(n, d)
    for name, array in (("b", b), ("sample_weight", sample_weight)):
        check_vector(name, array, n)
    check_form(form, d)
    for name, array, size in (("w", w, d), ("u", u, n)):
        check_vector(name, array, size, writeable=True)
    return _core.spd1_vr_block_steps(
        rows.compiled, draws.row_bounds, draws.column_bounds, draws.row, draws.other_row, draws.column,
        draws.other_column, loss.compiled, b, sample_weight, form.l1, form.l2, form.lower, form.upper,
        steps.eta, steps.tau, steps.alpha, steps.centre_w, steps.beta, steps.centre_u,
        snapshot.w, snapshot.u, snapshot.gx, snapshot.gy, w, u, threads,
    )  # fmt: skip


def _check_bounds(name: str, bounds: IndexArray, size: int) -> None:
    check_array(name, bounds, (np.dtype(np.int64),), 1)
    widths = np.diff(bounds)
    if bounds.size == 0 or bounds[0] != 0 or bounds[-1] != size or np.any(widths < 1):
        raise InvalidInputError(f"{name} does not ascend from 0 to {size}.")
    if widths.size and widths.max() > LARGEST_BLOCK:
        raise InvalidInputError(f"{name} has a block of {widths.max()}; the largest is {LARGEST_BLOCK}.")


def _check_draws(name: str, order: IndexArray, count: int, n_blocks: int) -> None:
    check_array(name, order, (np.dtype(np.int64),), 1, count)
    if count and not 0 <= order.min() <= order.max() < n_blocks:
        raise InvalidInputError(f"{name} spans {order.min()}..{order.max()}, outside 0..{n_blocks - 1}.")
