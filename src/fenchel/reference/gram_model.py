r"""Minimising a quadratic model that is held as its matrix, in plain NumPy.

.. math:: Q(x) = \langle c, d \rangle + \tfrac12 d' M d + \sum_k g_k(x_k), \qquad G = c + M d

with d the move of x. The kernel does the same, to rounding.
"""

import numpy as np

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.reference.prox_newton import falls_at, minimiser
from fenchel.typing import BoolArray, FloatArray

__all__ = ["minimise_gram"]


def minimise_gram(
    matrix: FloatArray,
    form: CoordinateForm,
    block: int,
    passes: int,
    iterations: int,
    tolerance: float,
    x: FloatArray,
    G: FloatArray,
) -> float:
    """Passes of coordinate descent, with a Newton step on the free places after every ``block``; in place.

    Ends with the first pass that finds no violation above ``tolerance``; returns the largest of the last.
    """
    violation = np.inf
    for count in range(1, passes + 1):
        violation = _descend(matrix, form, x, G)
        if violation <= tolerance:
            break
        if count % block == 0:
            _move_on_face(matrix, form, iterations, tolerance, x, G)
    return violation


def _descend(matrix: FloatArray, form: CoordinateForm, x: FloatArray, G: FloatArray) -> float:
    """One pass; returns the largest violation, each taken just before its step."""
    largest = 0.0
    for k in range(x.size):
        fall = max(falls_at(form, k, G[k], x[k]))
        if fall > 0.0:
            largest = max(largest, fall)
            delta = minimiser(form, k, G[k], matrix[k, k], x[k]) - x[k]
            x[k] += delta
            G += delta * matrix[k]
    return largest


def _move_on_face(
    matrix: FloatArray, form: CoordinateForm, iterations: int, tolerance: float, x: FloatArray, G: FloatArray
) -> None:
    """The longest of some projected Newton steps on the free places that lowers Q."""
    free = (x > form.lower) & (x < form.upper) & ((x != 0.0) | (form.l1 == 0.0))
    slope = np.where(free, G + form.l1 * np.sign(x) + form.l2 * x, 0.0)
    largest = float(np.abs(slope).max(initial=0.0))
    if largest <= 0.5 * tolerance:
        return
    limit = max(0.5 * tolerance, 0.01 * largest)
    step = _newton_step(matrix + np.diag(form.l2), free, iterations, limit, slope)
    lengths = [0.3**trial for trial in range(4)]
    for length in (*lengths, min(_first_end(form, x, step), 0.3**4)):
        new = np.where(step != 0.0, np.clip(x + length * step, form.lower, form.upper), x)
        new[(step != 0.0) & (form.l1 > 0.0) & (new * np.sign(x) <= 1e-12 * np.abs(x))] = 0.0
        delta = new - x
        image = matrix @ delta
        change = delta @ (G + 0.5 * image + 0.5 * form.l2 * (x + new)) + form.l1 @ (np.abs(new) - np.abs(x))
        if change < 0.0:
            x[:] = new
            G += image
            return


def _newton_step(
    hessian: FloatArray, free: BoolArray, iterations: int, limit: float, slope: FloatArray
) -> FloatArray:
    """Conjugate gradients on the free places, preconditioned by the diagonal."""
    diagonal = np.diag(hessian)
    step, ahead, old = np.zeros_like(slope), np.zeros_like(slope), np.inf
    for _ in range(iterations):
        scaled = slope / np.where(diagonal > 0.0, diagonal, 1.0)
        inner = float(scaled @ slope)
        if np.abs(slope).max(initial=0.0) <= limit:
            break
        ahead, old = inner / old * ahead - scaled, inner
        product = hessian @ ahead
        bend = float(ahead @ product)
        if not bend > 0.0:
            break
        step += inner / bend * ahead
        slope = np.where(free, slope + inner / bend * product, 0.0)
    return step


def _first_end(form: CoordinateForm, x: FloatArray, step: FloatArray) -> float:
    """The length at which the first place meets its kink or a bound."""
    end = np.where(step > 0.0, form.upper, form.lower)
    end = np.where((form.l1 > 0.0) & (x * step < 0.0) & (np.sign(x) * np.sign(end) < 0.0), 0.0, end)
    moving = step != 0.0
    return float(np.min((end[moving] - x[moving]) / step[moving], initial=np.inf))
