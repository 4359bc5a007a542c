"""Accelerated projected gradient on the l1 ball in NumPy and SciPy, as one would write it by hand."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from benchmarks.instance import LOSSES, FloatArray, Instance, Matrix
from benchmarks.peers.base import UNLIMITED, Peer

__all__ = ["Fista"]

_ROUNDING = 1e-15


class Fista(Peer):
    """FISTA with a search for the step and restarts, until the Frank-Wolfe gap of a point ahead is small.

    A step is one product with the matrix and one with its transpose: the scores of a point ahead are a
    combination of two that are known. The losses are ours. The step grows by a tenth before every search.
    """

    name = "fista"
    module = "scipy"
    served: ClassVar[dict[str, tuple[str, ...]]] = {"logistic": ("l1 ball",), "squared": ("l1 ball",)}

    def _coefficients(self, A: Matrix, instance: Instance, tolerance: float) -> FloatArray:
        b, n, radius, loss = instance.b, instance.n_samples, instance.radius, LOSSES[instance.loss]
        x = old_x = np.zeros(A.shape[1])
        z = old_z = np.zeros(n)
        momentum, lipschitz = 1.0, 1e-3
        for _ in range(UNLIMITED):
            after = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = (momentum - 1.0) / after
            y, z_y = x + ahead * (x - old_x), z + ahead * (z - old_z)
            gradient = (A.T @ loss.gradient(z_y, b)) / n
            if gradient @ y + radius * np.abs(gradient).max() <= tolerance:
                break
            value, lipschitz = float(loss.value(z_y, b).mean()), lipschitz / 1.1
            old_x, old_z = x, z
            while True:
                x = _projected(y - gradient / lipschitz, radius)
                z, move = A @ x, x - y
                bound = value + gradient @ move + 0.5 * lipschitz * (move @ move)
                if loss.value(z, b).mean() <= bound + _ROUNDING:
                    break
                lipschitz *= 2.0
            momentum = 1.0 if (y - x) @ (x - old_x) > 0.0 else after
        return x


def _projected(w: FloatArray, radius: float) -> FloatArray:
    """The nearest point of the ball, by sorting."""
    sizes = np.abs(w)
    if sizes.sum() <= radius:
        return w
    falling = np.sort(sizes)[::-1]
    excess = (np.cumsum(falling) - radius) / np.arange(1, len(w) + 1)
    threshold = excess[np.count_nonzero(falling > excess) - 1]
    return np.sign(w) * np.maximum(sizes - threshold, 0.0)
