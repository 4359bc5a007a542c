r"""Dual coordinate ascent for interpolation in plain NumPy, on a dense matrix.

.. math:: \min_w \{ g(w) : w^\top x_i \in Y_i \} = \max_a \; -\sum_i \Bigl( \sigma_i(-a_i)
          + \frac{\|a_i\|^2}{2 c_i} \Bigr) - g^*(t), \qquad t = \sum_i x_i a_i^\top, \quad
          w = \nabla g^*(t).

:math:`1/c_i` is 0 without slack. Scalars a_i have arrays of shape (n,), vectors of shape (n, k).
"""

from typing import Any

import numpy as np

from fenchel._kernels.dual_ascent import ConstraintArrays
from fenchel.numerics.power import lp_norm
from fenchel.numerics.simplex import project_simplex
from fenchel.regularizers.relative_entropy import RelativeEntropy
from fenchel.regularizers.squared_lp import SquaredLp
from fenchel.typing import FloatArray, IndexArray

__all__ = [
    "accelerated_dual_ascent_pass",
    "dense_accelerated_dual_ascent",
    "dual_ascent_pass",
    "project",
    "row_norms",
    "second_derivative",
]

Mirror = SquaredLp | RelativeEntropy
LEAST_CURVATURE, SETTLED = 1e-3, 1e-2


def dual_ascent_pass(
    A: FloatArray,
    order: IndexArray,
    sets: ConstraintArrays,
    curvature: FloatArray,
    g: Mirror,
    newton: int,
    a: FloatArray,
    t: FloatArray,
) -> None:
    r"""Coordinate ascent, in place, with :math:`L_i` = ``curvature[i]``.

    .. math:: a_i \leftarrow \frac{\Pi_i(y) - y}{L_i + 1/c_i}, \qquad y = z_i - L_i a_i, \qquad
              t \leftarrow t + x_i (a_i^{new} - a_i)^\top

    For scalars, and a g that is not Euclidean, the Newton step :func:`_newton_step` with at most ``newton``
    trials takes the place of the first. Rows with :math:`L_i + 1/c_i = 0` are skipped.
    """
    curved = a.ndim == 1 and not (isinstance(g, SquaredLp) and g.p == 2.0)
    for i in order:
        if curvature[i] + sets.inverse_slack[i] == 0.0:
            continue
        if curved:
            moved: Any = _newton_step(A[i], sets, i, curvature[i], g, newton, a[i], t)
        else:
            moved = _step(sets, i, a[i], A[i] @ g.lmo(-t), curvature[i])
        t += np.multiply.outer(A[i], moved - a[i])
        a[i] = moved


def accelerated_dual_ascent_pass(
    A: FloatArray,
    order: IndexArray,
    sets: ConstraintArrays,
    curvature: FloatArray,
    share: FloatArray,
    g: Mirror,
    momentum: FloatArray,
    lag: FloatArray,
    lead: FloatArray,
    lag_image: FloatArray,
    lead_image: FloatArray,
) -> None:
    r"""Accelerated coordinate ascent without a move of all rows, in place; ``share`` are the p_i.

    With :math:`y = \theta^2\,\mathrm{lag} + \mathrm{lead}`, :math:`z = w(A'y)^\top x_i` and
    :math:`h = \theta L_i / p_i`,

    .. math:: d = \frac{\Pi_i(r) - r}{h + 1/c_i} - \mathrm{lead}_i, \quad r = z - h\,\mathrm{lead}_i, \qquad
              \mathrm{lead}_i \mathrel{+}= d, \quad
              \mathrm{lag}_i \mathrel{-}= \frac{1 - \theta/p_i}{\theta^2} d,

    and then :math:`\theta \leftarrow (\sqrt{\theta^4 + 4\theta^2} - \theta^2)/2`. ``momentum`` holds theta
    and that of the last step, whose :math:`\theta^2\,\mathrm{lag} + \mathrm{lead}` is the iterate.
    """
    for i in order:
        if curvature[i] + sets.inverse_slack[i] == 0.0:
            continue
        theta = float(momentum[0])
        z = A[i] @ g.lmo(-(theta**2 * lag_image + lead_image))
        move = _step(sets, i, lead[i], z, theta * curvature[i] / share[i]) - lead[i]
        factor = -(1.0 - theta / share[i]) / theta**2
        lead[i] += move
        lag[i] += factor * move
        lead_image += np.multiply.outer(A[i], move)
        lag_image += factor * np.multiply.outer(A[i], move)
        momentum[:] = _next(theta), theta


def dense_accelerated_dual_ascent(
    A: FloatArray,
    order: IndexArray,
    sets: ConstraintArrays,
    curvature: FloatArray,
    share: FloatArray,
    g: Mirror,
    a: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    r"""The same method in its three sequences, from ``a``; returns the last x and z.

    .. math:: y = (1-\theta) x + \theta z, \quad z_i^+ = \frac{\Pi_i(r) - r}{h + 1/c_i}, \quad
              x^+ = y + \frac{\theta}{p_i} (z^+ - z)

    from :math:`\theta = \min_i p_i` over the rows in the order.
    """
    x, z = a.copy(), a.copy()
    theta = float(share[order].min())
    for i in order:
        y = (1.0 - theta) * x + theta * z
        score = A[i] @ g.lmo(-(A.T @ y))
        move = np.zeros_like(z)
        move[i] = _step(sets, i, z[i], score, theta * curvature[i] / share[i]) - z[i]
        z = z + move
        x = y + theta / share[i] * move
        theta = _next(theta)
    return x, z


def _next(theta: float) -> float:
    return float((np.sqrt(theta**4 + 4.0 * theta**2) - theta**2) / 2.0)


def _step(sets: ConstraintArrays, i: int, a: Any, z: Any, h: float) -> Any:
    r"""The maximiser over b of :math:`-\sigma_i(-b) - \|b\|^2/(2c_i) - \langle z, b - a\rangle
    - \frac h2\|b - a\|^2`."""  # noqa: D205, D209 - one formula
    y = z - h * a
    return (project(sets, i, y) - y) / (h + sets.inverse_slack[i])


def project(sets: ConstraintArrays, i: int, y: Any) -> Any:
    """The nearest point of the set of row ``i``."""
    if sets.kind == "interval":
        return np.clip(y, sets.first[i], sets.second[i])
    if sets.kind == "simplex":
        return project_simplex(np.asarray(y)[None])[0]
    offset = y - sets.first[i]
    distance = float(np.linalg.norm(offset))
    return sets.first[i] + offset * min(1.0, sets.second[i] / distance if distance > 0.0 else 1.0)


def _newton_step(
    x: FloatArray, sets: ConstraintArrays, i: int, L: float, g: Mirror, newton: int, a: float, t: FloatArray
) -> float:
    r"""Nearly the maximiser of :math:`f(b) = -\sigma_i(-b) - b^2/(2c_i) - g^*(t + x_i(b - a))`.

    The step with the second derivative held in [L/1000, L], :math:`b \leftarrow T(b)`, at most ``newton``
    trials: T(b) - b has the sign of f'(b), and the step with L, which never passes the maximiser, is the
    least that is taken. A trial beyond the maximiser is taken if its value is at least what the step with L
    is sure to reach; else the next one is the geometric mean of the distances from a.
    """

    def target(b: float) -> float:
        image = t + x * (b - a)
        h = np.clip(second_derivative(g, image, x), LEAST_CURVATURE * L, L)
        return float(_step(sets, i, b, x @ g.lmo(-image), h))

    def value(b: float) -> float:
        return _reach(sets, i, b) - g.conjugate(t + x * (b - a))

    safe = float(_step(sets, i, a, x @ g.lmo(-t), L))
    if safe == a or newton == 0:
        return safe
    direction = float(np.sign(safe - a))
    enough = value(a) + 0.5 * (L + sets.inverse_slack[i]) * (safe - a) ** 2
    near, far = safe, direction * np.inf
    b = safe + direction * max((target(a) - safe) * direction, 0.0)
    for _ in range(newton):
        following = target(b)
        beyond = (following - b) * direction < 0
        if beyond and value(b) >= enough:
            return b
        if beyond:
            far = b
        else:
            near = b
            if abs(following - b) <= SETTLED * abs(b - a):
                return b
        if not beyond and (far - following) * direction > 0:
            b = following
        else:
            b = a + direction * np.sqrt((near - a) * (far - a))
    return near


def _reach(sets: ConstraintArrays, i: int, b: float) -> float:
    """``-sigma_i(-b) - b^2 / (2 c_i)``."""
    ends = sets.first[i] * b if b > 0 else sets.second[i] * b if b < 0 else 0.0
    return float(ends - 0.5 * sets.inverse_slack[i] * b**2)


def second_derivative(g: Mirror, t: FloatArray, x: FloatArray) -> float:
    r"""The second derivative of :math:`g^*` at t along x.

    With :math:`v = t/\|t\|_q`: :math:`\frac1\lambda\bigl((q-1)\sum|v_j|^{q-2}x_j^2 -
    (q-2)(\sum|v_j|^{q-1}\operatorname{sign}(v_j)x_j)^2\bigr)`; at zero that of t = 0 along x. For the entropy
    the variance of x under w, over :math:`\lambda`.
    """
    if isinstance(g, RelativeEntropy):
        w = g.lmo(-t)
        return float(w @ (x - w @ x) ** 2) / g.strength
    q, norm = g.q, lp_norm(t, g.q)
    if norm == 0.0:
        return lp_norm(x, q) ** 2 / g.strength
    v = np.abs(t) / norm
    first = float(np.sum(v ** (q - 1.0) * np.sign(t) * x))
    return ((q - 1.0) * float(np.sum(v ** (q - 2.0) * x**2)) - (q - 2.0) * first**2) / g.strength


def row_norms(A: FloatArray, q: float) -> FloatArray:
    """The lq norm of every row, q >= 1 or infinite."""
    if np.isinf(q):
        largest: FloatArray = np.abs(A).max(axis=1, initial=0.0)
        return largest
    return np.array([lp_norm(row, q) for row in A])
