"""Fits that save the state of their run, and go on from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from fenchel.estimators.base import LinearModel

__all__ = ["fit_resumable"]

Model = TypeVar("Model", bound=LinearModel)


def fit_resumable(
    estimator: Model, X: Any, y: Any, *, checkpoint: Path | None = None, resume: Path | None = None
) -> Model:
    """Fit as ``estimator.fit(X, y)`` does, with the checkpoints of :func:`fenchel.solve`.

    Parameters
    ----------
    estimator : LinearModel
        Whose fit is one problem; else there is an InvalidInputError.
    X, y
        As in ``fit``.
    checkpoint : path, optional
        Save the whole state there every minute, and at the end.
    resume : path, optional
        Go on from a checkpoint of the same problem and solver, bit for bit.

    Returns
    -------
    LinearModel
        ``estimator``.
    """
    options = replace(estimator._options(), checkpoint=checkpoint, resume=resume)
    estimator._fit(options, X, y, None)
    return estimator
