"""The constraint of a half-line: no score is below its target."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.losses.constraint import ScalarConstraint
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class LowerBoundConstraint(ScalarConstraint):
    r"""The indicator of :math:`z \ge b`, for real targets ``b``.

    .. math::

        \phi^*(u) = b u \text{ on } u \le 0, \qquad
        \operatorname{prox}_{c \phi^*}(v) = \min(0, v - c b).

    An upper bound is the lower bound of the row and the target with the other sign. Every method takes a
    fixed number of operations a row.

    References
    ----------
    S. Boyd and L. Vandenberghe. Convex Optimization. Cambridge University Press, 2004, section 8.6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import LowerBoundConstraint
    >>> LowerBoundConstraint().value(np.array([1.0, 4.0, 4.0]), np.array([1.0, 2.0, 5.0]))
    array([ 0.,  0., inf])
    """

    name: ClassVar[str] = "lower_bound_constraint"
    task: ClassVar[str] = "regression"
    sparse_dual: ClassVar[bool] = True

    def bounds(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        return b, np.full(b.shape, np.inf)
