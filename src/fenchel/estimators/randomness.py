"""The random_state of scikit-learn as a NumPy Generator."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["RandomState", "as_generator"]

RandomState = int | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a Generator: the same one for the same int, the object itself for a Generator.

    A RandomState seeds it with its next draw; None does so with the global RandomState, so that
    ``numpy.random.seed`` works as it does for every estimator of scikit-learn.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, int | np.integer):
        return np.random.default_rng(int(random_state))
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
