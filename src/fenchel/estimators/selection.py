"""Which strength cross-validation takes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["SELECTIONS", "Choice", "choose", "standard_errors"]

SELECTIONS = ("min", "one_se")


class Choice(NamedTuple):
    """The rows of the chosen share and strength."""

    share: int
    strength: int


def choose(scores: FloatArray, selection: object) -> Choice:
    r"""Choose by the scores of all folds, the larger the better.

    Parameters
    ----------
    scores : ndarray of shape (n_shares, n_strengths, n_folds)
        The strengths from the largest down.
    selection : {"min", "one_se"}
        "min" takes the best mean (the smallest error), the largest strength where several are equal. "one_se"
        takes the largest strength of the same share whose mean is within one standard error of the best.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984, section 3.4.3.
    """
    if selection not in SELECTIONS:
        raise InvalidInputError(f"selection={selection!r} is unknown. Use one of {list(SELECTIONS)}.")
    means = scores.mean(axis=2)
    share, strength = (int(k) for k in np.unravel_index(np.argmax(means), means.shape))
    if selection == "one_se":
        least = means[share, strength] - standard_errors(scores)[share, strength]
        strength = int(np.argmax(means[share] >= least))
    return Choice(share, strength)


def standard_errors(scores: FloatArray) -> FloatArray:
    """The standard errors of the means over the folds; zero for a single fold."""
    n_folds = scores.shape[-1]
    if n_folds == 1:
        return np.zeros(scores.shape[:-1])
    errors: FloatArray = scores.std(axis=-1, ddof=1) / np.sqrt(n_folds)
    return errors
