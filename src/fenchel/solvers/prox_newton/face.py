"""A Newton step of the model on the places that are free to move, their signs kept."""

from __future__ import annotations

import numpy as np

from fenchel.solvers.prox_newton.model import Model
from fenchel.solvers.prox_newton.places import face_of, first_end, projected

__all__ = ["move_on_face"]

_ITERATIONS = 15
_TOLERANCE = 0.05
_SHORTER, _TRIALS = 0.3, 4


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
    old, derivative = model.x[face], model.derivative(face)
    slope = model.slope(face, derivative)
    largest = float(np.abs(slope).max())
    if largest <= 0.5 * tolerance:
        return False
    limit = max(0.5 * tolerance, _TOLERANCE * largest)
    l2 = model.form.l2[face]
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
    lengths.append(min(first_end(model, face, old, step), lengths[-1]))
    for length in lengths:
        new = projected(model, face, old, length * step)
        delta = new - old
        if np.array_equal(new, old + length * step):
            dv = image * model.columns.dtype.type(length)
        else:
            dv = model.image(face, delta)
        if model.change(face, derivative, delta, dv) < 0.0:
            model.move(face, new, delta, dv)
            return True
    return False
