r"""The composite stochastic subgradient method for several classes in plain NumPy, on a dense matrix."""

import numpy as np
from scipy.special import logsumexp

from fenchel.losses.base import Loss
from fenchel.numerics.coordinate import soft_threshold
from fenchel.numerics.projections import project_l1_ball
from fenchel.typing import FloatArray, IndexArray

__all__ = ["entropic_subgradient", "euclidean_subgradient"]


def euclidean_subgradient(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    gamma: FloatArray,
    l1: float,
    radius: float,
    w: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    r"""One step for every row in ``order``; returns the last w, and the sum of gamma w before each step.

    .. math:: w \leftarrow \Pi_R\bigl(\mathrm{soft}(w - \gamma\, a_i u_i^\top, \gamma\lambda)\bigr), \qquad
              u_i \in \partial\phi_i(w^\top a_i)
    """
    total = np.zeros_like(w)
    for i, step in zip(order, gamma, strict=True):
        total += step * w
        u = loss.gradient((A[i] @ w)[None], b[i : i + 1])[0]
        w = project_l1_ball(soft_threshold(w - step * np.outer(A[i], u), step * l1), radius)
    return w, total


def entropic_subgradient(
    A: FloatArray,
    order: IndexArray,
    loss: Loss,
    b: FloatArray,
    gamma: FloatArray,
    l1: float,
    radius: float,
    log_parts: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    r"""The same in the entropic geometry, on the logarithms of the two parts of w, shape (2, d, k).

    .. math:: w_\pm \leftarrow W_\pm \min\bigl(e^{-\gamma\lambda/R}, R / \textstyle\sum W\bigr), \qquad
              W_\pm = w_\pm e^{\mp \gamma a_i u_i^\top / R}
    """
    total = np.zeros(log_parts.shape[1:])
    for i, step in zip(order, gamma, strict=True):
        parts = np.exp(log_parts)
        w = parts[0] - parts[1]
        total += step * w
        u = loss.gradient((A[i] @ w)[None], b[i : i + 1])[0]
        slope = step / radius * np.outer(A[i], u)
        log_W = log_parts - np.stack([slope, -slope])
        log_parts = log_W + min(-step * l1 / radius, np.log(radius) - float(logsumexp(log_W)))
    return log_parts, total
