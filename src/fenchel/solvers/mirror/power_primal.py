"""The power function for the norm 1x2: the rows of w are the groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fenchel.solvers.mirror.primal_geometry import Ball, PrimalGeometry
from fenchel.typing import FloatArray

__all__ = ["PowerGroups"]

_MOST_STEPS = 100
_ROUNDING = 4 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class PowerGroups(PrimalGeometry):
    r"""A power of the row norms for :math:`\|w\|_{1 \times 2} = \sum_j \|w_j\|_2`; positions are the points.

    .. math:: \omega(w) = \frac{R^2}{p \, \mu} \sum_j \Bigl(\frac{\|w_j\|_2}{R}\Bigr)^p, \qquad
              p = 1 + \frac{1}{\log d}, \quad \mu = \frac{1}{e \log d}

    (p = 2 and mu = 1/d for one or two features) is 1-strongly convex in that norm on the ball of radius R
    [1]_. The centre is 0, and the divergence from it at most :math:`R^2 / (p \mu)`.

    References
    ----------
    .. [1] Y. Nesterov and A. Nemirovski, "On first-order algorithms for l1/nuclear norm minimization", Acta
       Numerica 22, 2013, section 2.
    """

    def size(self, n_features: int, n_outputs: int) -> float:
        power, modulus = _constants(n_features)
        return max(1.0, 1.0 / (power * modulus))

    def start(self, shape: tuple[int, ...], radius: float, w: FloatArray | None) -> FloatArray:
        if w is None:
            return np.zeros(shape)
        return w * (radius / max(radius, float(np.linalg.norm(w, axis=1).sum())))

    def point(self, x: FloatArray) -> FloatArray:
        return x

    def step(self, x: FloatArray, v: FloatArray, step: float, ball: Ball) -> FloatArray:
        r"""Every row in the direction of :math:`\theta_j = \nabla\omega(x)_j - \eta v_j`.

        Its length is :math:`R \, (\mu (\|\theta_j\| - \eta\lambda - \kappa)_+ / R)^{1 / (p - 1)}`, with the
        least :math:`\kappa \ge 0` at which they add up to no more than R.
        """
        power, modulus = _constants(len(x))
        theta = _gradient(x, ball.radius) - step * v
        norms = np.linalg.norm(theta, axis=1)
        heights = (modulus / ball.radius) * np.maximum(norms - step * ball.l1, 0.0)
        lengths = ball.radius * _shares(heights, 1.0 / (power - 1.0))
        factors = np.divide(lengths, norms, out=np.zeros_like(norms), where=norms > 0.0)
        result: FloatArray = factors[:, None] * theta
        return result

    def divergence(self, x: FloatArray, y: FloatArray, radius: float) -> float:
        slope = float(np.sum(_gradient(y, radius) * (x - y)))
        return max(_value(x, radius) - _value(y, radius) - slope, 0.0)


def _constants(n_features: int) -> tuple[float, float]:
    """The power p and the modulus mu."""
    if n_features <= 2:
        return 2.0, 1.0 / n_features
    logarithm = float(np.log(n_features))
    return 1.0 + 1.0 / logarithm, 1.0 / (float(np.e) * logarithm)


def _value(x: FloatArray, radius: float) -> float:
    power, modulus = _constants(len(x))
    return radius**2 / (power * modulus) * float(np.sum((np.linalg.norm(x, axis=1) / radius) ** power))


def _gradient(x: FloatArray, radius: float) -> FloatArray:
    power, modulus = _constants(len(x))
    norms = np.linalg.norm(x, axis=1)
    sizes = (radius / modulus) * (norms / radius) ** (power - 1.0)
    factors = np.divide(sizes, norms, out=np.zeros_like(norms), where=norms > 0.0)
    result: FloatArray = factors[:, None] * x
    return result


def _shares(heights: FloatArray, exponent: float) -> FloatArray:
    r"""``max(h - kappa, 0)^q`` with the least kappa >= 0 at which they add up to no more than 1.

    The q-norm of :math:`(h - \kappa)_+` falls with kappa and is convex: Newton's method on it from a kappa
    with a norm of 1 or more climbs to the root without passing it.
    """
    kappa = max(float(heights.max(initial=0.0)) - 1.0, 0.0)
    for _ in range(_MOST_STEPS):
        left = np.maximum(heights - kappa, 0.0)
        largest = float(left.max(initial=0.0))
        if largest == 0.0:
            break
        norm = largest * float(np.sum((left / largest) ** exponent)) ** (1.0 / exponent)
        slope = float(np.sum((left / norm) ** (exponent - 1.0) * (left > 0.0)))
        move = (norm - 1.0) / slope
        if move <= _ROUNDING * (1.0 + kappa):
            break
        kappa += move
    shares = np.maximum(heights - kappa, 0.0) ** exponent
    result: FloatArray = shares / max(1.0, float(shares.sum()))
    return result
