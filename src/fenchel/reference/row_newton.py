r"""A Newton step of all coordinates by conjugate gradients, in plain NumPy.

With an intercept, the last coordinate, the system is the Schur complement :math:`H - p p' / S` on the
others, for the curvature S of the intercept and its cross terms p.
"""

import numpy as np

from fenchel.typing import FloatArray

__all__ = ["row_newton_step"]

_LEAST_SHARE = 1e-6


def row_newton_step(
    A: FloatArray,
    h: FloatArray,
    l2: FloatArray,
    intercept: bool,
    iterations: int,
    tolerance: float,
    slope: FloatArray,
) -> tuple[FloatArray, int]:
    """The step on the rows of ``A``, the ones of an intercept its last column; returns the iterations too.

    ``slope`` becomes the residual.
    """
    whole = A.T @ (h[:, None] * A)
    total = float(whole[-1, -1]) if intercept else 0.0
    others = slice(-1 if total > 0 else None)
    cross = whole[others, -1] if total > 0 else np.zeros(slope.size)
    own, total = (slope[-1] / total, total) if total > 0 else (0.0, np.inf)
    hessian = whole[others, others] - np.outer(cross, cross) / total
    squares = np.diag(whole)[others]
    diagonal = np.maximum(np.diag(hessian), _LEAST_SHARE * squares) + l2[others]
    diagonal = np.where(diagonal > 0, diagonal, 1.0)
    hessian = hessian + np.diag(l2[others])
    residual = slope[others] - own * cross
    step, ahead, old, count = np.zeros_like(residual), np.zeros_like(residual), np.inf, 0
    while count < iterations and np.linalg.norm(residual) > tolerance:
        inner = float(residual @ (residual / diagonal))
        ahead = inner / old * ahead - residual / diagonal
        product = hessian @ ahead
        bend = float(ahead @ product)
        if not bend > 0:
            break
        step += inner / bend * ahead
        residual += inner / bend * product
        old, count = inner, count + 1
    slope[others] = residual
    if total < np.inf:
        slope[-1] = 0.0
        step = np.append(step, -float(cross @ step) / total - own)
    return step, count
