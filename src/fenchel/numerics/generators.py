"""The generators of small fits, which spend more on seeds and on calls than on the draws.

What a seed is stretched to is remembered, and words are taken from the generator as it makes them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISpawnableSeedSequence, SeedSequence

__all__ = ["generator_of", "random_words"]

_WORDS = 4
"""Of 64 bits: what PCG64 asks of a seed."""
_OF_64_BITS = (np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64)
"""The bit generators whose raw values are 64 random bits each."""


def generator_of(rng: np.random.Generator | int | None) -> np.random.Generator:
    """The generator itself, or that of ``np.random.default_rng``: the same draws, and spawned ones too."""
    if isinstance(rng, np.random.Generator):
        return rng
    if type(rng) is not int:
        return np.random.default_rng(rng)
    seed: Any = _Seed(rng)
    return np.random.Generator(np.random.PCG64(seed))


def random_words(rng: np.random.Generator, count: int) -> npt.NDArray[np.uint32]:
    """Independent uint32, uniform on their whole range."""
    source = rng.bit_generator
    if not isinstance(source, _OF_64_BITS):
        return rng.integers(2**32, size=count, dtype=np.uint32)
    return source.random_raw(-(-count // 2)).view(np.uint32)[:count]


class _Seed(ISpawnableSeedSequence):
    """A ``SeedSequence`` that is made when more is asked of it than the words for one generator."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._sequence: SeedSequence | None = None

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        if n_words == _WORDS and dtype == np.uint64:
            return _words(self._seed)
        return self._whole().generate_state(n_words, dtype)

    def spawn(self, n_children: int) -> list[Any]:
        return self._whole().spawn(n_children)

    def _whole(self) -> SeedSequence:
        """One for all calls: it counts its children."""
        self._sequence = self._sequence or SeedSequence(self._seed)
        return self._sequence


@lru_cache(maxsize=64)
def _words(seed: int) -> npt.NDArray[Any]:
    words = SeedSequence(seed).generate_state(_WORDS, np.uint64)
    words.setflags(write=False)
    return words
