"""Newton systems whose matrix is positive semidefinite, and may be singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dposv
from scipy.sparse.linalg import LinearOperator, cg

from fenchel.numerics.coordinate import along
from fenchel.typing import FloatArray

__all__ = ["conjugate_gradients", "solve_semidefinite"]

_JITTER = 1e-10
_LEAST_DIAGONAL = 1e-10
_TOLERANCE = 0.03


def _floored(diagonal: FloatArray) -> FloatArray:
    """Keep a diagonal away from zero, next to its largest entry."""
    largest = float(diagonal.max(initial=0.0))
    return np.maximum(diagonal, _LEAST_DIAGONAL * largest) if largest > 0 else np.ones_like(diagonal)


def solve_semidefinite(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """Solve ``matrix x = right`` by Cholesky factors after scaling the diagonal to 1; O(m^3).

    ``right`` is one right side, or has one in every column. A jitter of 1e-10 keeps the solution of a
    singular system finite but long where the right side leaves the range: the line search that follows
    ends such a step at the first kink or bound.
    """
    if right.size == 0:
        return np.zeros_like(right)
    inverse = 1.0 / np.sqrt(_floored(np.diag(matrix)))
    scaled = matrix * inverse[:, None]
    scaled *= inverse
    scaled.flat[:: len(scaled) + 1] += _JITTER
    pull = right * along(inverse, right)
    # The bare LAPACK call: what scipy.linalg checks before it takes longer than a system of 60 places. It
    # reads one triangle of the transpose, which is the same matrix in the order of columns.
    _, solution, failed = dposv(scaled.T, pull, lower=True)
    if failed:
        solution = np.linalg.lstsq(scaled, pull, rcond=None)[0]
    return np.asarray(solution.reshape(right.shape) * along(inverse, right), dtype=np.float64)


def conjugate_gradients(
    apply: Callable[[FloatArray], FloatArray], diagonal: FloatArray, right: FloatArray, iterations: int
) -> tuple[FloatArray, int, bool]:
    """Solve to a residual of 3 % with the diagonal as preconditioner.

    Returns the solution, the products made, and whether the limit ended it before the tolerance.
    """
    count = 0
    floored = _floored(diagonal)

    def counted(x: FloatArray) -> FloatArray:
        nonlocal count
        count += 1
        return apply(x)

    shape = (right.size, right.size)
    solution, left = cg(
        LinearOperator(shape, matvec=counted, dtype=np.float64),
        right,
        rtol=_TOLERANCE,
        maxiter=iterations,
        M=LinearOperator(shape, matvec=lambda x: x / floored, dtype=np.float64),
    )
    return solution, count, left > 0
