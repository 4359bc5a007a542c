"""No penalty and no constraint."""

from dataclasses import dataclass
from typing import ClassVar

from fenchel.numerics.coordinate import CoordinateForm
from fenchel.regularizers.separable import SeparableRegularizer

__all__ = ["NoPenalty"]


@dataclass(frozen=True, eq=False)
class NoPenalty(SeparableRegularizer):
    r"""The zero function: empirical risk minimisation alone.

    .. math:: g(w) = 0, \qquad g^*(v) = \mathbb 1[v = 0]

    The prox is the identity, the strong convexity is 0, and :meth:`lmo` exists at ``v = 0`` only.

    Notes
    -----
    Every dual point must satisfy :math:`A^\top u = 0`. The problem may have no minimiser, as with
    logistic loss on separable data.

    References
    ----------
    .. [1] S. Shalev-Shwartz and S. Ben-David, *Understanding Machine Learning*, Cambridge University
       Press, 2014, chapter 2.

    Examples
    --------
    >>> import numpy as np
    >>> penalty = NoPenalty()
    >>> penalty.value(np.array([1.0, -2.0]))
    0.0
    >>> penalty.conjugate(np.zeros(2)), penalty.conjugate(np.array([0.0, 1e-9]))
    (0.0, inf)
    """

    name: ClassVar[str] = "none"

    def coordinate_form(self, n_features: int) -> CoordinateForm:
        return CoordinateForm.broadcast(n_features)
