"""Fit an estimator for the command line, with or without a checkpoint."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenchel.driver.result import Result
    from fenchel.driver.solve import Callback
    from fenchel.driver.stopping import Progress, Status
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

    begun = time.perf_counter()
    if checkpoint is not None or resume is not None:
        return _train_resumable(estimator, X, y, feature_names, reading, checkpoint, resume)
    estimator.fit(X, y)
    seconds = time.perf_counter() - begun
    return Outcome(
        model=from_estimator(estimator, X, y, feature_names=feature_names, reading=reading),
        status=estimator.status_,
        message=estimator.message_,
        solver=estimator.solver_,
        passes=max(record.passes for record in estimator.trace_),
        seconds=seconds,
    )


def _train_resumable(
    estimator: LinearModel,
    X: Any,
    y: Any,
    feature_names: tuple[str, ...] | None,
    reading: dict[str, Any],
    checkpoint: Path | None,
    resume: Path | None,
) -> Outcome:
    """State the problem by a fit of no passes, and give it to the driver, which can save its state."""
    import numpy as np

    from fenchel.design.validation import as_design
    from fenchel.driver.solve import solve
    from fenchel.driver.stopping import MaxPasses, RelativeGap, TimeLimit
    from fenchel.errors import InvalidInputError
    from fenchel.estimators.conversion import from_estimator
    from fenchel.estimators.recertify import saved_problem

    limits, callback = estimator.get_params(), estimator.callback
    estimator.set_params(max_passes=0, verbose=0, callback=None).fit(X, y)
    blank = from_estimator(estimator, X, y, feature_names=feature_names, reading=reading)
    if blank.n_problems > 1:
        raise InvalidInputError(
            f"--checkpoint and --resume serve one problem, but there are {blank.n_problems} classes, one "
            "problem each. Leave them out, or fit two classes."
        )
    stopping = RelativeGap(limits["tol"]) | MaxPasses(limits["max_passes"])
    if limits["time_limit"] is not None:
        stopping = stopping | TimeLimit(limits["time_limit"])
    problem = saved_problem(blank, as_design(X), np.asarray(y), 0)
    with _shown(limits["tol"], limits["verbose"], callback) as shown:
        result = solve(
            problem,
            limits["solver"],
            stopping=stopping,
            callback=shown,
            rng=limits["random_state"],
            checkpoint=checkpoint,
            resume=resume,
        )
    model = _with_result(blank, result)
    return Outcome(model, result.status, result.message, result.solver, result.passes, result.seconds)


def _with_result(blank: SavedModel, result: Result) -> SavedModel:
    """Put the points and the certificate of a run into the model that states its problem."""
    import numpy as np

    from fenchel.estimators.saved_model import Claim

    d = blank.data.n_features
    return replace(
        blank,
        coefficients=result.w[None, :d],
        intercepts=result.w[d:] if blank.fit_intercept else np.zeros(1),
        dual_points=result.u[None, :],
        claims=(Claim.of(result.certificate),),
        status=result.status.name,
    )


@contextmanager
def _shown(tol: float, wanted: int, given: Callback | None) -> Iterator[Callback | None]:
    """The driver's callback: the given one, after a progress bar where one is wanted."""
    from fenchel.estimators.progress import ProgressBar

    if not wanted:
        yield given
        return
    with ProgressBar(tol, "fit") as bar:

        def both(progress: Progress) -> bool:
            bar.callback(progress)
            return given is not None and bool(given(progress))

        yield both
