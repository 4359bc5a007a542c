"""What the primal methods for interpolation keep: an image, and the moves of every row that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fenchel.problem.problem import Problem
from fenchel.regularizers.base import LinearlyMinimizable
from fenchel.solvers.base import Requirement, Start, State
from fenchel.solvers.epochs import epoch_length
from fenchel.solvers.interpolation.setting import (
    constraint_arrays,
    curvatures,
    dual_variables,
    moving_rows,
)
from fenchel.typing import FloatArray, IndexArray

__all__ = ["HARD", "ImageState", "first_state", "passes_of", "response"]


HARD = Requirement(
    holds=lambda problem: problem.loss.indicator,
    reason=lambda problem: "its steps aim at the sets themselves, and there is slack",
    way_out="Use the constraint without SquaredDistance, or solver='dual_ascent'.",
)


@dataclass
class ImageState(State):
    """The image t, the moves a with ``t = A'a``, and the step of every row, 0 for those that do not move."""

    epoch: int
    a: FloatArray
    t: FloatArray
    step: FloatArray


def first_state(problem: Problem, start: Start, rng: np.random.Generator) -> ImageState:
    """The state at the dual point of ``start``, or at zero, with the steps ``1 / L_i``."""
    a, curvature = dual_variables(problem, start), curvatures(problem)
    step = np.zeros(problem.n_samples)
    rows = moving_rows(problem, constraint_arrays(problem), curvature)
    step[rows] = 1.0 / curvature[rows]
    image = np.ascontiguousarray(problem.design.rmatvec(a))
    return ImageState(rng=rng, entries_read=0, epoch=0, a=a, t=image, step=step)


def passes_of(state: ImageState, rows: IndexArray) -> Iterator[IndexArray]:
    """The rows of the passes of an epoch, drawn with replacement; one pass at first, up to ten later."""
    for _ in range(epoch_length(state.epoch) if rows.size else 0):
        yield rows[state.rng.integers(rows.size, size=rows.size)]


def response(problem: Problem, t: FloatArray) -> FloatArray:
    """The best response ``grad g*(t)``."""
    assert isinstance(problem.regularizer, LinearlyMinimizable)
    return problem.regularizer.lmo(-t)
