"""Fit an estimator for the command line, with or without a checkpoint."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenchel.driver.stopping import Status
    from fenchel.estimators.base import LinearModel
    from fenchel.estimators.saved_model import SavedModel

__all__ = ["Outcome", "train"]


@dataclass(frozen=True, eq=False)
class Outcome:
    """A model with the story of its fit."""

    model: SavedModel
    status: Status
    message: str
    solver: str
    passes: float
    seconds: float


def train(
    estimator: LinearModel,
    X: Any,
    y: Any,
    *,
    feature_names: tuple[str, ...] | None,
    reading: dict[str, Any],
    checkpoint: Path | None = None,
    resume: Path | None = None,
) -> Outcome:
    """Fit, whatever ends the fit; ``checkpoint`` and ``resume`` are those of the driver."""
    from fenchel.estimators.conversion import from_estimator
    from fenchel.estimators.resumable import fit_resumable

    begun = time.perf_counter()
    fit_resumable(estimator, X, y, checkpoint=checkpoint, resume=resume)
    seconds = time.perf_counter() - begun
    return Outcome(
        model=from_estimator(estimator, X, y, feature_names=feature_names, reading=reading),
        status=estimator.status_,
        message=estimator.message_,
        solver=estimator.solver_,
        passes=max(record.passes for record in estimator.trace_),
        seconds=seconds,
    )
