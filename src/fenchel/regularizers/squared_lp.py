"""Half the square of an lp norm, p between 1 and 2: from sparse to round."""

from dataclasses import dataclass
from typing import ClassVar

from fenchel.numerics.power import lp_norm, power_map
from fenchel.regularizers.arguments import as_exponent, as_factor
from fenchel.regularizers.base import Regularizer
from fenchel.typing import FloatArray

__all__ = ["SquaredLp"]


@dataclass(frozen=True)
class SquaredLp(Regularizer):
    r"""Half the square of the lp norm, :math:`1 < p \le 2`.

    .. math:: g(w) = \frac\lambda2 \|w\|_p^2, \qquad g^*(v) = \frac1{2\lambda} \|v\|_q^2, \qquad
              \frac1p + \frac1q = 1

    For p = 2 this is the ridge; near 1 its minimisers are nearly sparse, and with d features
    :math:`p = 1 + 1/\log d` stands for the l1 norm. The norm runs over the coefficients of all outputs.
    :meth:`lmo` is the mirror map :math:`-\nabla g^*(v)`; the strong convexity is :math:`\lambda(p-1)`, in the
    lp norm and so in the Euclidean one.

    Parameters
    ----------
    p : float, 1 < p <= 2
        The exponent.
    strength : float, finite and > 0, default 1.0
        The factor :math:`\lambda`.

    Raises
    ------
    InvalidInputError
        If an argument is out of range.

    Notes
    -----
    Cost O(d k) powers a call; entries are divided by the largest first, so that p near 1 (q in the thousands)
    neither overflows nor loses the norm. Not separable, and without a cheap prox.

    References
    ----------
    .. [1] C. Gentile, "The robustness of the p-norm algorithms", Machine Learning 53(3), 2003.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = SquaredLp(p=1.5)
    >>> round(penalty.value(np.array([1.0, 1.0])), 6), round(penalty.conjugate(np.array([1.0, 1.0])), 6)
    (1.259921, 0.793701)
    >>> SquaredLp(p=2.0, strength=2.0).lmo(np.array([4.0, -2.0]))
    array([-2.,  1.])
    """

    name: ClassVar[str] = "squared_lp"
    p: float
    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", as_exponent(self, self.p))
        object.__setattr__(self, "strength", as_factor(self, "strength", self.strength))

    @property
    def q(self) -> float:
        """The dual exponent, ``p / (p - 1)``."""
        return self.p / (self.p - 1.0)

    def value(self, w: FloatArray) -> float:
        return 0.5 * self.strength * lp_norm(w, self.p) ** 2

    def conjugate(self, v: FloatArray) -> float:
        return 0.5 / self.strength * lp_norm(v, self.q) ** 2

    def lmo(self, v: FloatArray) -> FloatArray:
        """The mirror map of -v; zero at zero."""
        return power_map(-v, self.q) / self.strength + 0.0

    def strong_convexity(self, n_features: int) -> float:
        return self.strength * (self.p - 1.0)
