"""The simplex: coefficients that are not negative and have a given sum."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.numerics.projections import project_simplex_of_size
from fenchel.numerics.vertices import Vertices
from fenchel.regularizers.arguments import as_radius
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["Simplex"]

ROUNDING = 1e-12
"""A sum that differs from the size by this fraction is rounding, and counts as equal."""


@dataclass(frozen=True)
class Simplex(Regularizer):
    r"""The indicator of the simplex; the sum runs over all entries, those of all outputs together.

    .. math:: g(w) = \mathbb 1\Bigl[\,w \ge 0,\; \sum_j w_j = r\,\Bigr], \qquad g^*(v) = r \max_j v_j

    With r = 1 the coefficients are the weights of a mean. The prox is the projection, by sorting;
    :meth:`lmo` is the vertex :math:`r e_k` at the first smallest :math:`v_k`; the strong convexity is 0.

    Parameters
    ----------
    radius : float, finite and > 0, default 1.0
        The sum :math:`r`.

    Raises
    ------
    InvalidInputError
        If the radius is out of range.

    Notes
    -----
    Cost O(d k log(d k)) for the prox, O(d k) for the others. Not separable, so that coordinate methods do
    not serve it. Zero is not in the set.

    References
    ----------
    .. [1] J. Duchi, S. Shalev-Shwartz, Y. Singer and T. Chandra, "Efficient projections onto the l1-ball
       for learning in high dimensions", Proceedings of the 25th International Conference on Machine
       Learning, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> simplex = Simplex()
    >>> simplex.value(np.array([0.25, 0.75])), simplex.value(np.array([0.5, 0.25]))
    (0.0, inf)
    >>> simplex.conjugate(np.array([3.0, -4.0]))
    3.0
    >>> simplex.prox(np.array([0.5, 1.0, -3.0]), 1.0), simplex.lmo(np.array([3.0, -4.0]))
    (array([0.25, 0.75, 0.  ]), array([0., 1.]))
    """

    name: ClassVar[str] = "simplex"
    is_set: ClassVar[bool] = True
    radius: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", as_radius(self, self.radius))

    @property
    def vertices(self) -> Vertices:
        """The radius along every axis."""
        return Vertices(self.radius, 0.0, signed=False)

    def value(self, w: FloatArray) -> float:
        with np.errstate(over="ignore"):
            wrong = abs(float(w.sum()) - self.radius) > self.radius * ROUNDING
        return np.inf if wrong or np.any(w < 0.0) else 0.0

    def conjugate(self, v: FloatArray) -> float:
        return self.radius * float(v.max())

    def prox(self, w: FloatArray, step: float) -> FloatArray:
        """The projection onto the simplex."""
        return project_simplex_of_size(w, self.radius)

    def lmo(self, v: FloatArray) -> FloatArray:
        """The vertex at the first smallest entry."""
        w = np.zeros_like(v)
        w.flat[np.argmin(v)] = self.radius
        return w

    def strong_convexity(self, n_features: int) -> float:
        return 0.0
