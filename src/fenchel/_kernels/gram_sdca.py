"""Dual ascent by the matrix of the rows: checks, then the kernel."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fenchel._kernels import _core
from fenchel._kernels.checks import UINT32, check_array, check_matrix, check_positive_number, check_vector
from fenchel._kernels.losses import KernelLoss
from fenchel.typing import FloatArray

__all__ = ["gram_sdca"]


def gram_sdca(
    matrix: FloatArray,
    loss: KernelLoss,
    b: FloatArray,
    sample_weight: FloatArray,
    step: FloatArray,
    l2: float,
    repeats: int,
    most: int,
    precision: float,
    share: float,
    draws: npt.NDArray[np.uint32],
    z: FloatArray,
    u: FloatArray,
) -> tuple[int, bool]:
    r"""Run rounds of SDCA under ``l2 / 2 |w|^2`` on scores, until the relative gap is small.

    A round is a pass over all rows, and up to ``repeats`` more over those that the pass before has moved. The
    twin, :func:`fenchel.reference.gram_sdca.gram_sdca`, states the steps.

    Parameters
    ----------
    matrix : (n, n) ``A A'``.
    loss : any compiled loss.
    b, sample_weight : (n,) targets, and weights of mean 1.
    step : (n,) ``n l2 / (s_i |a_i|^2)``; 0 for a row to skip.
    repeats : of passes in a round.
    most : entries of the matrix, after which no pass begins.
    precision, share : no round begins with a relative gap of at most both: this, and this share of the first.
    draws : random uint32, n for a round; they give the orders, and are used up at the latest.
    z, u : (n,) with ``z = -A A'(s u) / (n l2)``; updated in place.

    Returns
    -------
    entries_read : of the matrix, n a step.
    closed : whether the gap of ``u`` and its best response is as small as that, or rounding.

    Raises
    ------
    InvalidInputError
        If an array has the wrong dtype, layout or size, or l2 is not positive.
    """
    n = b.size
    check_matrix("matrix", matrix, (n, n))
    for name, array in (("b", b), ("sample_weight", sample_weight), ("step", step)):
        check_vector(name, array, n)
    for name, array in (("z", z), ("u", u)):
        check_vector(name, array, n, writeable=True)
    check_array("draws", draws, UINT32, 1)
    check_positive_number("l2", l2)
    return _core.gram_sdca(
        matrix.ravel(), loss.compiled, b, sample_weight, step, l2, repeats, most, precision, share, draws,
        z, u, np.empty(n, dtype=np.int64), np.empty(n),
    )  # fmt: skip
