"""Batches of rows, drawn without replacement, and the products with them."""

from __future__ import annotations

from numbers import Real

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.problem.problem import Problem
from fenchel.solvers.frank_wolfe.oracle import OracleState
from fenchel.typing import FloatArray, IndexArray

__all__ = ["batch_gradient", "batch_size", "check_fraction", "draw_batches", "growing_size"]


def check_fraction(value: object) -> None:
    """Refuse what is not a share of the rows."""
    if not isinstance(value, Real) or not 0.0 < float(value) <= 1.0:
        raise InvalidInputError(
            f"batch={value!r} is not a share of the rows in (0, 1]. Give one such as 0.01; 1.0 is all."
        )


def batch_size(n_samples: int, fraction: float) -> int:
    """The rows of a batch: a share of all, at least one."""
    return min(n_samples, max(1, round(fraction * n_samples)))


def growing_size(n_samples: int, k: int, power: int) -> int:
    """The rows of the batch of iteration k = 1, 2, ...: a power of k, at most half of all."""
    return int(max(1, min(k**power, n_samples // 2)))


def draw_batches(rng: np.random.Generator, n_samples: int, size: int, count: int) -> IndexArray:
    """``count`` batches, shape (count, size); the rows of a batch differ. All rows when size is n."""
    if size == n_samples:
        return np.tile(np.arange(n_samples), (count, 1))
    if size == 1:
        return rng.integers(n_samples, size=(count, 1))
    return np.stack([rng.choice(n_samples, size, replace=False, shuffle=False) for _ in range(count)])


def batch_gradient(
    problem: Problem, state: OracleState, batch: IndexArray, points: list[FloatArray]
) -> list[FloatArray]:
    r"""At each point, :math:`\frac1{|B|} \sum_{i \in B} s_i \phi_i'(\langle a_i, w\rangle) a_i`.

    Counts one gradient call for every row and point. Cost: the entries of the rows, copied once.
    """
    rows = problem.design.submatrix(batch, np.arange(problem.n_coordinates))
    b, weight = problem.b[batch], problem.sample_weight[batch] / batch.size
    weight = weight if b.ndim == 1 else weight[:, None]
    state.entries_read += 2 * rows.n_entries * len(points)
    state.gradient_calls += batch.size * len(points)
    return [rows.rmatvec(weight * problem.loss.gradient(rows.matvec(w), b)) for w in points]
