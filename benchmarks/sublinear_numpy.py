"""The lazy steps of SublinearMulticlass for the hinge on dense data, in vectorised NumPy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from benchmarks.instance import FloatArray

__all__ = ["NumpySteps"]


@dataclass
class NumpySteps:
    """One state; ``take`` makes steps of the theorem's kind with uniform numbers of its own."""

    A: FloatArray
    label: np.ndarray
    k: int
    radius: float
    l1: float
    gamma: float
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def __post_init__(self) -> None:
        """Allocate the tables of the uniform point."""
        n, d = self.A.shape
        self.columns = np.ascontiguousarray(self.A.T)
        self.row_size, self.column_size = np.abs(self.A).max(axis=1), np.linalg.norm(self.A, axis=0)
        self.rows = np.cumsum(self.row_size / self.row_size.sum())
        self.W, self.W_since, self.W_total = (
            np.ones((self.k, d)),
            np.zeros((self.k, d)),
            np.zeros((self.k, d)),
        )
        self.plus, self.minus = np.full(d, float(self.k)), np.full(d, float(self.k))
        self.V, self.V_since, self.V_total = np.full((self.k, n), 1 / self.k), *np.zeros((2, self.k, n))
        self.own, self.scale, self.sum = np.full(n, 1 / self.k), np.ones(n), np.zeros(n)
        self.alpha, self.alpha_sum = self.radius / (2 * d * self.k), 0.0
        self.members = [np.flatnonzero(self.label == c) for c in range(self.k)]

    def take(self, steps: int) -> None:
        for uniforms in self.rng.random((steps, 4)):
            self._step(*uniforms)

    def _step(self, of_row: float, of_class: float, of_feature: float, of_label: float) -> None:
        n, log = len(self.A), max(1.0, math.log(2 * self.W.size))
        c = 2 * self.gamma * max(1.0, math.log(self.k))
        j = int(np.searchsorted(self.rows, of_row))
        own = int(self.label[j])
        h, sign = own, -1.0
        if of_class >= 0.5:
            h, sign = _draw(self.V[:, j], 2 * of_class - 1), 1.0
        size = self.column_size * (self.plus + self.minus)
        i = _draw(size, of_feature)
        positive = of_label * (self.plus[i] + self.minus[i]) < self.plus[i]
        m = _draw(self.W[:, i] if positive else 1 / self.W[:, i], self.rng.random())
        rho = 2 - 2 * self.scale[j] * self.own[j]
        down = sign * rho * self.row_size.sum() / self.row_size[j]
        up = (1.0 if positive else -1.0) * self.alpha * size.sum() / self.column_size[i]
        self._move_primal(h, np.exp(-2 * self.gamma * log * self.radius * down / n * self.A[j]))
        shrink = math.exp(-2 * self.gamma * log * self.radius * self.l1)
        self.alpha_sum += self.alpha
        self.alpha *= min(shrink, self.radius / (self.alpha * (self.plus.sum() + self.minus.sum())))
        self._move_dual(m, np.exp(c * up * self.columns[i]), math.exp(-c))

    def _move_primal(self, h: int, factor: FloatArray) -> None:
        w, now = self.W[h], self.alpha_sum + self.alpha
        inverse = 1 / w
        self.W_total[h] += (w - inverse) * (now - self.W_since[h])
        self.W_since[h] = now
        moved = w * factor
        self.plus += moved - w
        self.minus += 1 / moved - inverse
        self.W[h] = moved

    def _move_dual(self, m: int, factor: FloatArray, drift: float) -> None:
        self.sum += self.scale
        v, members = self.V[m], self.members[m]
        self.V_total[m] += v * (self.sum - self.V_since[m])
        self.V_since[m] = self.sum
        moved, kept = v * factor, self.own * drift
        moved[members] = v[members]
        kept[members] *= factor[members]
        self.scale /= 1 - self.scale * (v - moved + self.own - kept)
        self.V[m], self.own = moved, kept


def _draw(weights: FloatArray, uniform: float) -> int:
    running = np.cumsum(weights)
    return int(np.searchsorted(running, uniform * running[-1], side="right"))
