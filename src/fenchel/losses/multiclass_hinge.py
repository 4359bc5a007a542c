"""The multiclass hinge loss of Crammer and Singer."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from fenchel.losses.base import Loss
from fenchel.losses.domains import SimplexDomain, dual_point
from fenchel.numerics.entropy import affine_simplex_step
from fenchel.numerics.simplex import project_simplex
from fenchel.numerics.special import finite
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class MulticlassHinge(Loss):
    r"""The multiclass hinge loss, for one-hot targets ``b`` of shape (n, k).

    With :math:`v = u + b`,

    .. math::

        \phi(z) = \max_l (z_l + 1 - b_l) - \langle z, b \rangle, \qquad
        \phi^*(u) = \langle u, b \rangle \text{ on } v \in \Delta, \qquad
        \operatorname{prox}_{c \phi^*}(u) = \Pi_\Delta(u + b - c b) - b.

    Not smooth (the subgradient at a tie with the class of the row is 0), Lipschitz constant
    :math:`\sqrt 2` (Euclidean norm). The prox sorts, O(k log k) a row; the other methods take O(k).

    References
    ----------
    K. Crammer and Y. Singer. On the algorithmic implementation of multiclass kernel-based vector
    machines. Journal of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import MulticlassHinge
    >>> z, b = np.array([[2.0, 1.5, 0.0], [0.0, 3.0, 0.0]]), np.array([[1.0, 0, 0], [0, 1.0, 0]])
    >>> MulticlassHinge().value(z, b)
    array([0.5, 0. ])
    """

    name: ClassVar[str] = "multiclass_hinge"
    task: ClassVar[str] = "multiclass"
    vector_output: ClassVar[bool] = True
    coupled: ClassVar[bool] = True
    compiled: ClassVar[bool] = False
    sparse_dual: ClassVar[bool] = True

    @property
    def smoothness(self) -> float:
        return float(np.inf)

    @property
    def lipschitz(self) -> float:
        return float(np.sqrt(2.0))

    def value(self, z: FloatArray, b: FloatArray) -> FloatArray:
        result: FloatArray = _shortfalls(z, b).max(axis=1, initial=0.0)
        return result

    def gradient(self, z: FloatArray, b: FloatArray) -> FloatArray:
        shortfalls = _shortfalls(z, b)
        worst = shortfalls == shortfalls.max(axis=1, keepdims=True, initial=0.0)
        # The first of the worst classes; the class of the row itself wherever it is among them.
        first = worst & (np.cumsum(worst, axis=1) == 1)
        met = np.any(worst & (b > 0), axis=1, keepdims=True)
        return np.where(met, 0.0, first - b)

    def curvature(self, z: FloatArray, b: FloatArray) -> FloatArray:
        return np.zeros_like(z)

    def conjugate(self, u: FloatArray, b: FloatArray) -> FloatArray:
        domain = self.dual_domain(b)
        inside = domain.project(finite(u))
        values: FloatArray = np.einsum("ik,ik->i", inside, b)
        return values if inside is u else np.where(domain.contains(u), values, np.inf)

    def prox_conjugate(self, v: FloatArray, b: FloatArray, step: npt.ArrayLike) -> FloatArray:
        c: FloatArray = np.asarray(step, dtype=np.float64)
        c = c[:, None] if c.ndim == 1 else c
        return dual_point(project_simplex(v + b - c * b), b)

    def prox_conjugate_entropic(
        self, log_p: FloatArray, z: FloatArray, b: FloatArray, step: float
    ) -> FloatArray:
        """Rows in proportion to ``p exp(step (z - b))``."""
        return affine_simplex_step(log_p, step * (b - z))

    def dual_domain(self, b: FloatArray) -> SimplexDomain:
        return SimplexDomain(b)


def _shortfalls(z: FloatArray, b: FloatArray) -> FloatArray:
    """``z_l + 1 - b_l`` less the score of the class; 0 at the class itself."""
    if z.size == 0:
        return z
    return z - np.take_along_axis(z, b.argmax(axis=1)[:, None], axis=1) + 1.0 - b
