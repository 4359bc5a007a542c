"""The softmax loss of multinomial logistic regression."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import Loss
from fenchel.losses.domains import SimplexDomain, dual_point
from fenchel.numerics.entropy import entropic_simplex_step
from fenchel.numerics.simplex import entropic_projection
from fenchel.numerics.special import finite, xlogx
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class Softmax(Loss):
    r"""The softmax loss (cross-entropy), for one-hot targets ``b`` of shape (n, k).

    With :math:`p = \mathrm{softmax}(z)` and :math:`v = u + b`,

    .. math::

        \phi(z) = \log \sum_l e^{z_l} - \langle z, b \rangle, \qquad
        \nabla \phi(z) = p - b, \qquad
        \phi^*(u) = \sum_l v_l \log v_l \text{ on } v \in \Delta,

    .. math::

        \operatorname{prox}_{c \phi^*}(u) = q - b, \qquad
        q_l + c \log q_l = u_l + b_l - \kappa, \quad \textstyle\sum_l q_l = 1.

    Smoothness 1/2, Lipschitz constant :math:`\sqrt 2` (Euclidean norms). ``curvature`` is the diagonal
    :math:`p_l (1 - p_l)` of the Hessian :math:`\mathrm{diag}(p) - p p^\top`. Every method takes O(k)
    operations a row; the prox is a Newton method in the multiplier
    (``fenchel.numerics.simplex.entropic_projection``). With two classes it is the logistic loss of
    :math:`z_2 - z_1`.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang. Accelerated proximal stochastic dual coordinate ascent for
    regularized loss minimization. Mathematical Programming 155, 2016, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import Softmax
    >>> z, b = np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])
    >>> Softmax().value(z, b)
    array([0.69314718, 2.12692801])
    >>> Softmax().gradient(z, b)
    array([[-0.5       ,  0.5       ],
           [-0.88079708,  0.88079708]])
    """

    name: ClassVar[str] = "softmax"
    task: ClassVar[str] = "multiclass"
    vector_output: ClassVar[bool] = True
    coupled: ClassVar[bool] = True
    separating_value: ClassVar[float] = math.log(2.0)
    compiled: ClassVar[bool] = False

    @property
    def smoothness(self) -> float:
        return 0.5

    @property
    def lipschitz(self) -> float:
        return float(np.sqrt(2.0))

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        margins, top, leading = _margins(z, b)
        rest = np.sum(np.where(leading, 0.0, np.exp(margins - top)), axis=1)
        # The leading class is left out of the sum, so that a loss near 0 keeps its digits.
        result: FloatArray = top[:, 0] + np.log1p(rest)
        return result

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        margins, top, _ = _margins(z, b)
        powers = np.exp(margins - top)
        return dual_point(powers / powers.sum(axis=1, keepdims=True), b)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        margins, top, leading = _margins(z, b)
        powers = np.exp(margins - top)
        total = powers.sum(axis=1, keepdims=True)
        # 1 - p of the leading class from the other terms: the subtraction would cancel.
        rest = np.where(leading, 0.0, powers).sum(axis=1, keepdims=True)
        result: FloatArray = powers * np.where(leading, rest, total - powers) / total**2
        return result

    def hessian_map(self, z: FloatArray, b: FloatArray) -> Callable[[FloatArray], FloatArray]:
        p = self.gradient(z, b) + b
        return lambda direction: p * (direction - np.sum(p * direction, axis=1, keepdims=True))

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        inside = domain.project(finite(u))
        v = np.maximum(inside + b, 0.0)
        terms, own = xlogx(v), b > 0
        # At the class v is near 1: log1p(u) keeps the digits that log(v) would lose.
        terms[own] = v[own] * np.log1p(np.where(v[own] > 0, inside[own], 0.0))
        values: FloatArray = terms.sum(axis=1)
        return values if inside is u else np.where(domain.contains(u), values, np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        return dual_point(entropic_projection(v + b, step), b)

    def prox_conjugate_entropic(
        self, log_p: FloatArray, z: FloatArray, b: FloatArray, step: float
    ) -> FloatArray:
        """Rows in proportion to ``p^(1 - s) exp(s z)``, with ``s = step / (1 + step)``."""
        return entropic_simplex_step(log_p, -z, step)

    def dual_domain(self, b: FloatArray) -> SimplexDomain:
        return SimplexDomain(b)


def _margins(z: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """``z`` less the score of the class, the largest of a row, and where that is first attained."""
    if z.size == 0:
        return z, np.zeros((len(z), 1)), np.zeros(z.shape, dtype=np.bool_)
    margins = z - np.take_along_axis(z, b.argmax(axis=1)[:, None], axis=1)
    first = margins.argmax(axis=1)[:, None]
    leading = np.arange(z.shape[1]) == first
    return margins, np.take_along_axis(margins, first, axis=1), leading
