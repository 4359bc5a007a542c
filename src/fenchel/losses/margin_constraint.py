"""The constraint of the hard margin: every row is on its side, at a score of at least 1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fenchel.losses.constraint import ScalarConstraint
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class MarginConstraint(ScalarConstraint):
    r"""The indicator of :math:`b z \ge 1`, for labels ``b`` of -1 and +1.

    .. math::

        \phi^*(u) = b u \text{ on } b u \le 0, \qquad
        \operatorname{prox}_{c \phi^*}(v) = -b \max(0, c - b v).

    With half a squared norm as the regularizer the problem is that of the largest margin: the margin is 1
    over the norm of the solution. Every method takes a fixed number of operations a row. With slack
    (:class:`~fenchel.losses.SquaredDistance`) it is the squared hinge.

    References
    ----------
    B. E. Boser, I. M. Guyon and V. N. Vapnik. A training algorithm for optimal margin classifiers. COLT,
    1992.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import MarginConstraint
    >>> MarginConstraint().value(np.array([2.0, 2.0, 0.5]), np.array([1.0, -1.0, 1.0]))
    array([ 0., inf, inf])
    """

    name: ClassVar[str] = "margin_constraint"
    task: ClassVar[str] = "classification"
    sparse_dual: ClassVar[bool] = True

    def bounds(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.where(b > 0, 1.0, -np.inf), np.where(b > 0, np.inf, -1.0)
