r"""Newton steps on a working set whose matrix is at hand, in plain NumPy, on dense matrices.

With :math:`M = A_W' \mathrm{diag}(h) A_W - p p' / S` a step minimises

.. math:: \langle c, d \rangle + \tfrac12 d' M d + g(w + d), \qquad c = A_W'(s \circ u)/n - p\, g / S

over the coordinates of W (the parts with p are there with an intercept only, whose derivative is g), and goes
along d as far as P falls. The derivatives at its end correct the matrix,

.. math:: M \leftarrow M - \frac{M s s' M}{s' M s} + \frac{y y'}{s' y},

with the moves s of w and y of c (BFGS): M then maps s to y, and stays positive definite. The kernel does the
same, to rounding.
"""

from typing import NamedTuple

import numpy as np

from fenchel._kernels.gram_newton import GramLimits, GramPoint, GramReport
from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm
from fenchel.numerics.damping import next_damping
from fenchel.reference.gram_model import minimise_gram
from fenchel.reference.prox_newton import coordinate_newton_pass, line_search, row_model, violations
from fenchel.typing import FloatArray, IndexArray

__all__ = ["DenseSet", "corrected", "gram_newton", "share_of_change"]


class DenseSet(NamedTuple):
    """The problem with its dense matrix ``A``, and a working set; see ``fenchel._kernels.gram_newton``."""

    A: FloatArray
    loss: Loss
    b: FloatArray
    sample_weight: FloatArray
    form: CoordinateForm
    intercept: bool
    chosen: IndexArray
    rare: IndexArray
    matrix: FloatArray
    cross: FloatArray
    total: float
    made: FloatArray


def share_of_change(old: FloatArray, root: FloatArray) -> float:
    """How far the curvatures ``root ** 2`` are from those of ``old``, as a share of the sum of these."""
    h = old**2
    total = float(h.sum())
    return float(np.abs(root**2 - h).sum()) / total if total > 0.0 else np.inf


def corrected(matrix: FloatArray, s: FloatArray, y: FloatArray) -> FloatArray:
    """The matrix with ``M s = y``, or as it is where y shows no curvature along s."""
    image, bend = matrix @ s, float(s @ y)
    old = float(s @ image)
    if not (bend > 1e-8 * max(np.sqrt(float(s @ s) * float(y @ y)), old) and old > 0.0):
        return matrix
    result: FloatArray = matrix + np.outer(y / bend, y) - np.outer(image / old, image)
    return result


def gram_newton(held: DenseSet, limits: GramLimits, at: GramPoint) -> GramReport:
    """Steps until the set is solved roughly, none lowers P, or the matrix is too old; all in place.

    It counts no entries.
    """
    m = held.chosen.size
    form = held.form.restrict(held.chosen)
    steps, enough = 0, 0.0
    while True:
        if steps > 0:
            if steps == limits.steps:
                return GramReport(steps, False, False, 0)
            _derive(held, at)
            if share_of_change(held.made, at.root) > limits.oldest:
                return GramReport(steps, True, False, 0)
        w, c = at.w[held.chosen], at.c - at.last / held.total * held.cross
        if at.known:
            held.matrix[:] = corrected(held.matrix.reshape(m, m), w - at.w_before, c - at.c_before).ravel()
        at.w_before[:], at.c_before[:], at.known = w, c, True
        violation = max(violations(form, at.c, w)[1], abs(at.last))
        if violation <= enough:
            return GramReport(steps, False, False, 0)
        enough = max(enough, limits.solved * violation)
        tolerance = max(limits.precision * violation, limits.least)
        fell = _step(held, limits, tolerance, form, at)
        steps += 1
        coordinate_newton_pass(
            held.A, held.rare, held.loss, held.b, held.sample_weight, held.form, limits.rare_steps,
            limits.rare_precision * tolerance, at.w, at.z,
        )  # fmt: skip
        if not fell:
            return GramReport(steps, False, True, 0)


def _derive(held: DenseSet, at: GramPoint) -> None:
    """The rows and the derivatives at the scores."""
    at.value, u, root = row_model(held.loss, at.z, held.b, held.sample_weight, at.damping)
    at.u[:], at.root[:] = u, root
    weighted = held.sample_weight * u / len(at.z)
    at.c[:] = held.A[:, held.chosen].T @ weighted
    at.last = float(weighted.sum()) if held.intercept else 0.0


def _step(held: DenseSet, limits: GramLimits, tolerance: float, form: CoordinateForm, at: GramPoint) -> bool:
    """One step along the direction of the model; whether P fell."""
    m = held.chosen.size
    x, G = at.w_before.copy(), at.c_before.copy()
    minimise_gram(
        held.matrix.reshape(m, m), form, limits.block, limits.passes, limits.iterations, tolerance, x, G
    )
    dw = x - at.w_before
    dz = held.A[:, held.chosen] @ dw
    own = -(at.last + float(held.cross @ dw)) / held.total
    slope = float(at.c @ dw) + at.last * own
    length, fall, penalty = line_search(
        held.loss, held.b, held.sample_weight, form, at.w_before, dw, at.z, dz + own, slope, at.value
    )
    smooth = 0.5 * float((at.c_before + G) @ dw)
    expected = -(smooth - at.last**2 / (2.0 * held.total) + penalty)
    at.damping = next_damping(at.damping, length, fall / expected if expected > 0.0 else 1.0)
    if length > 0.0:
        at.w[held.chosen] = x if length == 1.0 else at.w_before + length * dw
        at.z += length * (dz + own)
        if held.intercept:
            at.w[-1] += length * own
    return length > 0.0
