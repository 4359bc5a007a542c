"""The data of the paper's section 4: two linear classifications without errors.

Rows are normal with the variances ``i^-1.5`` (l2) or ``1 / i`` (sparse), the labels are the signs of
``x.theta + 0.005`` for a normal theta, of which 50 entries are not zero in the sparse case, and rows within
0.1 of the boundary are left out. The text of the paper leaves out all with ``x.theta + b <= 0.1``, that is
all negative ones. There is no intercept in what is fitted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel import Problem
from fenchel.losses import MarginConstraint
from fenchel.regularizers import SquaredLp

__all__ = ["KINDS", "Classified", "draw", "sparse_exponent"]

OFFSET, MARGIN, SUPPORT = 0.005, 0.1, 50
KINDS = ("l2", "sparse")


@dataclass(frozen=True, eq=False)
class Classified:
    """Rows to fit, rows to judge by, their labels, and the exponent p of the norm that belongs to them."""

    A: np.ndarray
    b: np.ndarray
    test_A: np.ndarray
    test_b: np.ndarray
    p: float

    @property
    def problem(self) -> Problem:
        """The smallest lp norm that has every row at a margin of 1."""
        return Problem(self.A, self.b, MarginConstraint(), SquaredLp(self.p))

    def mistakes(self, w: np.ndarray) -> tuple[int, int]:
        """The rows to fit and those to judge by that are on the wrong side, or on none."""
        return _wrong(self.A @ w, self.b), _wrong(self.test_A @ w, self.test_b)


def _wrong(z: np.ndarray, b: np.ndarray) -> int:
    return int(np.count_nonzero(b * z <= 0.0))


def sparse_exponent(d: int) -> float:
    """The p = 1 + 1/log d that stands for the l1 norm."""
    return 1.0 + 1.0 / float(np.log(d))


def draw(kind: str, rng: np.random.Generator, n: int = 1000, d: int = 2000) -> Classified:
    """Draw n rows to fit and n to judge by."""
    deviation = np.arange(1.0, d + 1.0) ** (-0.75 if kind == "l2" else -0.5)
    theta = rng.standard_normal(d)
    if kind == "sparse":
        theta[rng.permutation(d)[min(SUPPORT, d // 4) :]] = 0.0
    kept, scores = np.empty((0, d)), np.empty(0)
    while len(kept) < 2 * n:
        rows = rng.standard_normal((2 * n, d)) * deviation
        z = rows @ theta + OFFSET
        clear = np.abs(z) > MARGIN
        kept, scores = np.vstack([kept, rows[clear]]), np.append(scores, z[clear])
    A, b = kept[: 2 * n], np.sign(scores[: 2 * n])
    p = 2.0 if kind == "l2" else sparse_exponent(d)
    return Classified(A[:n], b[:n], A[n:], b[n:], p)
