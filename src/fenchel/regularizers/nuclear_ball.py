"""The nuclear-norm ball: a budget for the singular values of a matrix of coefficients."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from fenchel.numerics.largest_singular import FAILURE, is_proven, leading_pair, singular_bound
from fenchel.numerics.low_rank import LowRank
from fenchel.numerics.projections import project_l1_ball
from fenchel.regularizers.arguments import as_radius
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["NuclearBall"]

ROUNDING = 1e-12
"""A norm that exceeds the radius by this fraction is rounding, and counts as inside."""


@dataclass(frozen=True)
class NuclearBall(Regularizer):
    r"""The indicator of the nuclear-norm ball: coefficients of low rank.

    .. math:: g(W) = \mathbb 1\Bigl[\,\sum_i \sigma_i(W) \le r\,\Bigr], \qquad g^*(V) = r\, \sigma_1(V)

    W has one column an output; with a single one its only singular value is the Euclidean norm. The prox
    projects the singular values onto the l1 ball; :meth:`lmo` is :math:`-r\, x y^\top` with the first pair of
    singular vectors of V; the strong convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0
        The radius :math:`r`.

    Raises
    ------
    InvalidInputError
        If the radius is out of range.

    Notes
    -----
    Cost of a singular value decomposition, O(d k min(d, k)), a call. Not separable, so that coordinate
    methods do not serve it. A point is inside when its norm is at most ``radius * (1 + 1e-12)``.

    W may also be a :class:`fenchel.numerics.low_rank.LowRank` and V a scipy sparse matrix, as
    :class:`fenchel.design.CompletionDesign` has them. No dense matrix is formed then: the conjugate is an
    upper bound on the first singular value, proven where the shorter side of V is at most 2048 and probable
    (failure 1e-10, error 2e-4) otherwise, as :meth:`conjugate_failure` says.

    References
    ----------
    .. [1] M. Jaggi and M. Sulovsky, "A simple algorithm for nuclear norm regularized problems", Proceedings
       of the 27th International Conference on Machine Learning, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> ball = NuclearBall(radius=3.0)
    >>> ball.value(np.diag([1.0, 2.0])), ball.value(np.diag([2.0, 2.0]))
    (0.0, inf)
    >>> ball.conjugate(np.diag([1.0, -2.0]))
    6.0
    >>> ball.prox(np.diag([4.0, 1.0]), 1.0).round(12) + 0.0
    array([[3., 0.],
           [0., 0.]])
    """

    name: ClassVar[str] = "nuclear_ball"
    is_set: ClassVar[bool] = True
    takes_factors: ClassVar[bool] = True
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))

    def value(self, w: Any) -> float:
        return 0.0 if float(_singular_values(w).sum()) <= self.radius * (1.0 + ROUNDING) else np.inf

    def conjugate(self, v: Any) -> float:
        if sp.issparse(v):
            return self.radius * singular_bound(v)
        return self.radius * float(_singular_values(v).max(initial=0.0))

    def conjugate_failure(self, v: Any) -> float:
        """0, or 1e-10 for a sparse matrix that is too large for a proof."""
        return FAILURE if sp.issparse(v) and not is_proven(v) else 0.0

    def conjugate_scale(self, v: Any) -> float:
        """1: the conjugate is finite everywhere."""
        return 1.0

    def prox(self, w: Any, step: float) -> Any:
        """The projection onto the ball."""
        if self.value(w) == 0.0:
            return w.copy()
        if isinstance(w, LowRank):
            w = w.compressed()
            return LowRank(w.left, project_l1_ball(w.sizes, self.radius), w.right)
        left, sizes, right = _decomposed(w)
        product: FloatArray = (left * project_l1_ball(sizes, self.radius)) @ right
        return product.reshape(w.shape)

    def lmo(self, v: Any) -> Any:
        """The matrix of rank one against the first pair of singular vectors; zero when ``v`` is zero."""
        if sp.issparse(v):
            row, size, column = leading_pair(v)
            return LowRank(row[:, None], np.full(1, -self.radius * (size > 0)), column[:, None])
        left, sizes, right = _decomposed(v)
        if sizes[0] == 0.0:
            return np.zeros_like(v)
        vertex: FloatArray = -self.radius * np.outer(left[:, 0], right[0])
        return vertex.reshape(v.shape)

    def strong_convexity(self, n_features: int) -> float:
        return 0.0


def _singular_values(w: Any) -> FloatArray:
    if isinstance(w, LowRank):
        return w.singular_values()
    matrix, scale = _scaled(w)
    values: FloatArray = scale * scipy.linalg.svd(matrix, compute_uv=False)
    return values


def _decomposed(w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    matrix, scale = _scaled(w)
    left, sizes, right = scipy.linalg.svd(matrix, full_matrices=False)
    return left, scale * sizes, right


def _scaled(w: FloatArray) -> tuple[FloatArray, float]:
    """A matrix with entries of size at most 1, for which no norm overflows, and what it was divided by."""
    matrix = w.reshape(w.shape[0], -1)
    scale = float(np.abs(matrix).max(initial=0.0)) or 1.0
    return matrix / scale, scale
