"""A Newton step of the model on the places that are free to move, their signs kept."""

from __future__ import annotations

import numpy as np

from fenchel.solvers.prox_newton.model import Model
from fenchel.typing import FloatArray, IndexArray

__all__ = ["face_of", "move_on_face"]

_ITERATIONS = 15
_TOLERANCE = 0.05
_SHORTER, _TRIALS = 0.3, 4
_MARGIN = 1e-12


def face_of(model: Model) -> IndexArray:
    """The places inside their bounds that are not zero, or that no l1 part holds at zero."""
    form, x = model.form, model.x
    inside = (x > form.lower) & (x < form.upper) & ((x != 0.0) | (form.l1 == 0.0))
    return np.flatnonzero(inside).astype(np.int64, copy=False)


@np.errstate(over="ignore", invalid="ignore")  # a step of infinite length lowers nothing, and is not taken
def move_on_face(model: Model, tolerance: float) -> bool:
    """Conjugate gradients on the face, then the longest of some projected steps that lowers the model.

    A place that the step would carry through zero stops there, and at a bound too. The last step tried ends
    at the first of these: more places than rows leave directions without curvature, along which the model
    falls up to a kink. Returns whether it fell; otherwise nothing moved. Cost: twice the entries of the face
    an iteration, at most 15.
    """
    face = face_of(model)
    if face.size == 0:
        return False
    form, old = model.form, model.x[face]
    derivative = model.derivative(face)
    slope = derivative + form.l1[face] * np.sign(old) + form.l2[face] * old
    largest = float(np.abs(slope).max())
    if largest <= 0.5 * tolerance:
        return False
    limit = max(0.5 * tolerance, _TOLERANCE * largest)
    l2 = form.l2[face]
    diagonal = model.curvature[face] + l2
    step, image, steps = model.columns.face_step(
        face,
        np.where(diagonal > 0, diagonal, 1.0),
        l2,
        model.intercept.curvature,
        _ITERATIONS,
        limit,
        slope,
    )
    model.entries_read += 2 * (steps + 1) * int(model.counts[face].sum())
    lengths = [_SHORTER**trial for trial in range(_TRIALS)]
    lengths.append(min(_first_end(model, face, old, step), lengths[-1]))
    for length in lengths:
        new = _projected(model, face, old, length * step)
        delta = new - old
        if np.array_equal(new, old + length * step):
            dv = image * model.columns.dtype.type(length)
        else:
            dv = model.columns.image()
            model.columns.across(face, delta, dv)
            model.entries_read += int(model.counts[face].sum())
        if model.change(face, derivative, delta, dv) < 0.0:
            model.move(face, new, delta, dv)
            return True
    return False


def _projected(model: Model, face: IndexArray, old: FloatArray, step: FloatArray) -> FloatArray:
    form = model.form
    new = np.clip(old + step, form.lower[face], form.upper[face])
    # The margin brings a place that was to end at zero there whatever the rounding.
    new[(form.l1[face] > 0.0) & (new * np.sign(old) <= _MARGIN * np.abs(old))] = 0.0
    return new


def _first_end(model: Model, face: IndexArray, old: FloatArray, step: FloatArray) -> float:
    """The length at which the first place meets zero, where it has a kink there, or a bound."""
    form = model.form
    end = np.where(step > 0.0, form.upper[face], form.lower[face])
    inward = (form.l1[face] > 0.0) & (old * step < 0.0)
    end = np.where(inward & (old * end < 0.0), 0.0, end)
    moving = (step != 0.0) & np.isfinite(end)
    return float(np.min((end[moving] - old[moving]) / step[moving], initial=np.inf))
