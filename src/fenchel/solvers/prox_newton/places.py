"""The places of a model that are free to move, and how far a step may carry them."""

from __future__ import annotations

import numpy as np

from fenchel.solvers.prox_newton.model import Model
from fenchel.typing import FloatArray, IndexArray

__all__ = ["face_of", "first_end", "projected"]

_MARGIN = 1e-12


def face_of(model: Model) -> IndexArray:
    """The places inside their bounds that are not zero, or that no l1 part holds at zero."""
    form, x = model.form, model.x
    inside = (x > form.lower) & (x < form.upper) & ((x != 0.0) | (form.l1 == 0.0))
    return np.flatnonzero(inside).astype(np.int64, copy=False)


def projected(model: Model, face: IndexArray, old: FloatArray, step: FloatArray) -> FloatArray:
    """Where the step ends: within the bounds, and no further than zero where the l1 part has its kink."""
    form = model.form
    new = np.clip(old + step, form.lower[face], form.upper[face])
    # The margin brings a place that was to end at zero there whatever the rounding.
    new[(form.l1[face] > 0.0) & (new * np.sign(old) <= _MARGIN * np.abs(old))] = 0.0
    return new


def first_end(model: Model, face: IndexArray, old: FloatArray, step: FloatArray) -> float:
    """The length at which the first place meets zero, where it has a kink there, or a bound."""
    form = model.form
    end = np.where(step > 0.0, form.upper[face], form.lower[face])
    inward = (form.l1[face] > 0.0) & (old * step < 0.0)
    end = np.where(inward & (old * end < 0.0), 0.0, end)
    moving = (step != 0.0) & np.isfinite(end)
    return float(np.min((end[moving] - old[moving]) / step[moving], initial=np.inf))
