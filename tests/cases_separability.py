"""Two classes whose separability is known by construction, over shapes, scales, storage and repetitions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

# Rows, columns, scale of the data, spread of the column scales (decades), repeated rows, storage, intercept.
SETTINGS = (
    (6, 1, 1.0, 0, 0, "dense", True),
    (8, 2, 1.0, 0, 2, "dense", True),
    (9, 3, 1e-4, 0, 0, "dense", False),
    (20, 3, 1e4, 0, 5, "dense", True),
    (30, 5, 1.0, 3, 0, "dense", True),
    (30, 5, 1.0, 0, 10, "sparse", True),
    (60, 12, 1e3, 2, 0, "sparse", False),
    (80, 10, 1.0, 0, 20, "dense", True),
    (40, 30, 1.0, 0, 5, "dense", True),
    (25, 60, 1.0, 1, 3, "dense", True),
    (200, 15, 1e-6, 0, 0, "dense", True),
    (150, 40, 1.0, 2, 10, "sparse", True),
    (400, 8, 1.0, 0, 0, "dense", False),
    (15, 4, 1.0, 6, 0, "dense", True),
    (50, 200, 1.0, 0, 5, "sparse", True),
)
SEEDS = range(4)


@dataclass(frozen=True, eq=False)
class Classes:
    """A data set, and whether an intercept is meant."""

    X: np.ndarray | sp.csr_array
    y: np.ndarray
    fit_intercept: bool


def _features(rng: np.random.Generator, n: int, d: int, storage: str) -> np.ndarray:
    X = rng.normal(size=(n, d))
    if storage == "sparse":
        X[rng.random(size=(n, d)) < 0.6] = 0.0
    return X


def _finished(rng: np.random.Generator, X: np.ndarray, y: np.ndarray, setting: tuple, repeat: int) -> Classes:
    _, d, scale, decades, _, storage, intercept = setting
    # Powers of 2, for rows that cancel must do so in floating point.
    X = np.ldexp(X, np.rint(np.log2(scale) + np.log2(10.0) * decades * rng.uniform(-1.0, 1.0, d)).astype(int))
    again = rng.integers(len(X), size=repeat)
    X, y = np.vstack([X, X[again]]), np.concatenate([y, y[again]])
    order = rng.permutation(len(X))
    X, y = X[order], y[order]
    return Classes(sp.csr_array(X) if storage == "sparse" else X, y, intercept)


def separable_sets() -> Iterator[tuple[str, Classes]]:
    """60 sets with a plane between the classes: rows near it are moved away by a share of their distance."""
    for number, setting in enumerate(SETTINGS):
        for seed in SEEDS:
            rng = np.random.default_rng([1, number, seed])
            n, d, _, _, repeat, storage, intercept = setting
            X, w = _features(rng, n, d, storage), rng.normal(size=d)
            w /= np.linalg.norm(w)
            scores = X @ w
            middle = float(np.median(scores)) if intercept else 0.0
            side = np.where(scores >= middle, 1.0, -1.0)
            # Both classes must be there.
            side[:2] = 1.0, -1.0
            margin = (1.0, 0.1, 0.01, 1e-3)[seed]
            X = X + ((side * np.maximum(np.abs(scores - middle), margin)) + middle - scores)[:, None] * w
            yield f"{number}-{seed}", _finished(rng, X, side, setting, repeat)


def inseparable_sets() -> Iterator[tuple[str, Classes]]:
    """60 sets with rows of both classes that cancel: equal rows, hulls that meet, or labels without sense."""
    for number, setting in enumerate(SETTINGS):
        for seed in SEEDS:
            rng = np.random.default_rng([2, number, seed])
            n, d, _, _, repeat, storage, _ = setting
            X = _features(rng, n, d, storage)
            y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
            kind = ("equal", "cross", "hull", "noise")[seed]
            if kind == "noise" and n < 3 * d:
                kind = "cross"
            if kind == "equal":
                X[1] = X[0]
            elif kind == "cross":
                _cross(rng, X, y)
            elif kind == "hull":
                _hull(rng, X, y)
            yield f"{kind}-{number}-{seed}", _finished(rng, X, y, setting, repeat)


def _cross(rng: np.random.Generator, X: np.ndarray, y: np.ndarray) -> None:
    """Four rows of small integers with a + b = c + d, of labels +, +, -, -: exact in floating point."""
    first, second, third = rng.integers(-8, 9, size=(3, X.shape[1])).astype(float)
    X[:4] = first, third, second, first + second - third
    y[:4] = 1.0, -1.0, 1.0, -1.0


def _hull(rng: np.random.Generator, X: np.ndarray, y: np.ndarray) -> None:
    """One row of the second class at the midpoint of two of the first: integers, halved."""
    first, second = 2.0 * rng.integers(-8, 9, size=(2, X.shape[1]))
    X[:3] = first, 0.5 * (first + second), second
    y[:3] = 1.0, -1.0, 1.0
