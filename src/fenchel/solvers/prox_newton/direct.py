r"""Newton steps of a model on a small face by factorisations, where conjugate gradients are slow.

.. math:: (X_F' X_F + \mathrm{diag}(l_2) - p_F p_F' / S + \epsilon\, \mathrm{diag})\, \text{step}
          = -\text{slope}

The small ridge :math:`\epsilon\, \mathrm{diag}`, a share of the diagonal, keeps directions without curvature
(more places than rows, equal columns) from dividing by rounding; along them the step is long, and the first
place that meets zero ends it.
"""

from __future__ import annotations

import numpy as np

from fenchel.solvers.prox_newton.model import Model
from fenchel.solvers.prox_newton.places import face_of, first_end, projected
from fenchel.typing import FloatArray, IndexArray

__all__ = ["follow_face"]

_RIDGE = 1e-10


@np.errstate(over="ignore", invalid="ignore")  # a step of infinite length lowers nothing, and is not taken
def follow_face(model: Model, tolerance: float) -> bool:
    """Newton steps, each up to the first place that meets zero or a bound, until one is taken whole.

    The places that end leave the face, so that there are at most as many steps as places. Returns whether
    the model fell; on a large face it does not move. Cost of a step: n m^2 + m^3 for m places.
    """
    fell = False
    for _ in range(model.x.size):
        face = face_of(model)
        if not model.is_small(face):
            break
        old, derivative = model.x[face], model.derivative(face)
        slope = model.slope(face, derivative)
        if float(np.abs(slope).max(initial=0.0)) <= 0.5 * tolerance:
            break
        step = _newton(model, face, slope)
        length = min(first_end(model, face, old, step), 1.0)
        new = projected(model, face, old, length * step)
        delta = new - old
        dv = model.image(face, delta)
        if not model.change(face, derivative, delta, dv) < 0.0:
            break
        model.move(face, new, delta, dv)
        fell = True
        if length == 1.0:
            break
    return fell


def _newton(model: Model, face: IndexArray, slope: FloatArray) -> FloatArray:
    """The step in float64, from a matrix of unit diagonal."""
    X = model.dense(face)
    cross = X.T @ model.root
    hessian = X.T @ X - np.outer(cross, cross) / model.intercept.curvature
    hessian[np.diag_indices_from(hessian)] += model.form.l2[face]
    diagonal = np.diag(hessian)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    hessian *= np.outer(scale, scale)
    hessian[np.diag_indices_from(hessian)] += _RIDGE
    step: FloatArray = -scale * np.linalg.solve(hessian, scale * slope)
    return step
