r"""The steps of prox-Newton in plain NumPy, on dense matrices.

A model over a working set W holds :math:`X = \mathrm{diag}(\sqrt h) A_W`, the move d from where it was made,
and :math:`v = X d`; its smooth part has the derivative

.. math:: G_k = c_k + \langle x_k, v \rangle - p_k \frac{g + \langle p, d \rangle}{S}

with the intercept's derivative g and curvature S (infinite without one). A kernel and its twin agree to
rounding.
"""

import numpy as np

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import CoordinateForm, soft_threshold
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "coordinate_newton_pass",
    "descend",
    "face_step",
    "falls_at",
    "line_search",
    "minimiser",
    "row_model",
    "scaled_columns",
    "violations",
]


def row_model(
    loss: Loss, z: FloatArray, b: FloatArray, sample_weight: FloatArray, damping: float
) -> tuple[float, FloatArray, FloatArray]:
    """The mean loss, its derivatives, and the roots of the damped curvatures times ``s / n``."""
    h = np.maximum(loss.curvature(z, b), damping * loss.damping_curvature(z, b))
    value = float(np.mean(sample_weight * loss.value(z, b)))
    return value, loss.gradient(z, b), np.sqrt(h * sample_weight / len(z))


def line_search(
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    w: FloatArray,
    dw: FloatArray,
    z: FloatArray,
    dz: FloatArray,
    slope: float,
    value: float,
) -> tuple[float, float, float]:
    r"""Halve a step until the objective falls enough (Armijo); its length, 0 for none, and the fall.

    .. math:: P(w + t d) \le P(w) + 10^{-4}\, t\, \Delta, \qquad
              \Delta = \langle \nabla f(w), d \rangle + g(w + d) - g(w) \le 0

    A step that the rounding of P drowns is taken whole when P does not rise by more than that.
    The last value is ``g(w + dw) - g(w)``.
    """

    def penalty_change(step: float) -> float:
        new = w + step * dw
        l1 = form.l1 @ (np.abs(new) - np.abs(w))
        return float(l1 + 0.5 * form.l2 @ (step * dw * (new + w)))

    penalty = penalty_change(1.0)
    expected = slope + penalty
    objective = value + float(form.l1 @ np.abs(w) + 0.5 * form.l2 @ w**2)
    rounding = 16 * np.finfo(float).eps * abs(objective)
    if not expected < 0.0:
        return 0.0, 0.0, penalty
    for halving in range(30):
        length = 0.5**halving
        new = float(np.mean(sample_weight * loss.value(z + length * dz, b)))
        change = new - value + penalty_change(length)
        drowned = -length * expected <= rounding
        if change <= 1e-4 * length * expected or (drowned and change <= rounding):
            return length, max(-change, 0.0), penalty
    return 0.0, 0.0, penalty


def falls_at(form: CoordinateForm, j: int, G: float, x: float) -> tuple[float, float]:
    """The rates at which ``G x + g_j(x)`` falls when x moves up and down; minus infinity into a bound."""
    slope = G + form.l2[j] * x
    up = -slope - form.l1[j] * (1.0 if x >= 0 else -1.0) if x < form.upper[j] else -np.inf
    down = slope - form.l1[j] * (1.0 if x <= 0 else -1.0) if x > form.lower[j] else -np.inf
    return up, down


def violations(form: CoordinateForm, c: FloatArray, w: FloatArray) -> tuple[FloatArray, float]:
    """The steepest fall of every coordinate, negative where it rises, and the largest, at least 0."""
    falls = np.array([max(falls_at(form, j, c[j], w[j])) for j in range(w.size)])
    return falls, float(falls.max(initial=0.0))


def minimiser(form: CoordinateForm, k: int, G: float, H: float, x: float) -> float:
    """``argmin_t G t + H/2 (t - x)^2 + g_k(t)``; without curvature the point nearest 0, or x."""
    if H > 0 or form.l2[k] > 0:
        shrunk = float(soft_threshold(np.asarray(H * x - G), form.l1[k]))
        return float(np.clip(shrunk / (form.l2[k] + H), form.lower[k], form.upper[k]))
    return float(np.clip(0.0, form.lower[k], form.upper[k])) if abs(G) <= form.l1[k] else x


def scaled_columns(
    A: FloatArray, chosen: IndexArray, root: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """``X``, the squared norms of its columns, and their inner products with ``root``."""
    X = root[:, None] * A[:, chosen]
    return X, (X**2).sum(axis=0), X.T @ root


def descend(
    X: FloatArray,
    cross: FloatArray,
    places: list[int],
    c: FloatArray,
    curvature: FloatArray,
    form: CoordinateForm,
    intercept: tuple[float, float],
    passes: int,
    tolerance: float,
    before: float,
    moment: float,
    x: FloatArray,
    v: FloatArray,
) -> tuple[list[int], float, float]:
    r"""Passes of coordinate descent on the model over a list that shrinks; ``x`` and ``v`` in place.

    .. math:: x_k \leftarrow \arg\min_t\; G_k t + \tfrac{H_k}2 (t - x_k)^2 + g_k(t), \qquad
        v \leftarrow v + \delta x_k

    A place that is held with more force than the largest violation of the pass before leaves the list.
    Returns the list, that violation and the moment ``<p, d>``.
    """
    for _ in range(passes):
        largest, kept = 0.0, []
        for k in places:
            G = c[k] + X[:, k] @ v - cross[k] * (intercept[0] + moment) / intercept[1]
            fall = max(falls_at(form, k, G, x[k]))
            if -fall > before:
                continue
            kept.append(k)
            largest = max(largest, fall)
            if fall > 0:
                delta = minimiser(form, k, G, curvature[k], x[k]) - x[k]
                x[k] += delta
                v += delta * X[:, k]
                moment += delta * cross[k]
        places, before = kept, largest
        if largest <= tolerance:
            break
    return places, before, moment


def face_step(
    X: FloatArray,
    cross: FloatArray,
    face: IndexArray,
    diagonal: FloatArray,
    l2: FloatArray,
    intercept_curvature: float,
    iterations: int,
    tolerance: float,
    slope: FloatArray,
) -> tuple[FloatArray, FloatArray, int]:
    """Preconditioned conjugate gradients for the Newton step on a face; ``slope`` becomes the residual.

    Returns the step, its image ``X_F step``, and the iterations.
    """
    hessian = X[:, face].T @ X[:, face] + np.diag(l2)
    hessian -= np.outer(cross[face], cross[face]) / intercept_curvature
    step, ahead, old = np.zeros(face.size), np.zeros(face.size), 1.0
    count = 0
    while count < iterations and np.abs(slope).max(initial=0.0) > tolerance:
        scaled = -slope / diagonal
        inner = float(-scaled @ slope)
        ahead = scaled + (inner / old if count else 0.0) * ahead
        product = hessian @ ahead
        bend = float(ahead @ product)
        if not bend > 0:
            break
        step += inner / bend * ahead
        slope += inner / bend * product
        old, count = inner, count + 1
    return step, X[:, face] @ step, count


def coordinate_newton_pass(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    sample_weight: FloatArray,
    form: CoordinateForm,
    steps: int,
    tolerance: float,
    w: FloatArray,
    z: FloatArray,
) -> None:
    r"""Minimise P over one coordinate after the other, by Newton steps that stay on the near side; in place.

    .. math:: t \leftarrow \arg\min_x\; G x + \tfrac H2 (x - t)^2 + g_j(x)

    with the derivatives G and H of the mean loss along :math:`A_j`, or the damping curvature where H = 0. A
    point beyond the minimiser is kept only when the slope there is rounding; a step that leaves the interval
    between it and the last point on the near side is replaced by a bisection.
    """
    for j in order:
        a, best, t, side, first = A[:, j], float(w[j]), float(w[j]), True, 0.0
        for step in range(steps + 1):
            at = z + (t - w[j]) * a
            G = float(np.mean(sample_weight * a * loss.gradient(at, b)))
            H = float(np.mean(sample_weight * a * a * loss.curvature(at, b)))
            H = H if H > 0.0 else float(np.mean(sample_weight * a * a * loss.damping_curvature(at, b)))
            up, down = falls_at(form, j, G, t)
            fall = max(up, down)
            if step == 0:
                side, first = up > down, fall
            size = float(np.mean(np.abs(sample_weight * a * loss.gradient(at, b))))
            near = (up > down) == side or fall <= max(1e-10 * first, 8 * np.finfo(float).eps * size)
            if near:
                best, side = t, up > down
            if fall <= tolerance:
                break
            newton = minimiser(form, j, G, H, t) if H > 0 else best
            width = t - best
            inside = 1e-6 * width**2 < (newton - best) * width < width**2
            t = newton if near or inside else 0.5 * (best + t)
        z += (best - w[j]) * a
        w[j] = best
