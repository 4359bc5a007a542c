"""The constraint of interpolation: every score equals its target."""

from dataclasses import dataclass
from typing import ClassVar

from fenchel.losses.constraint import ScalarConstraint
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class EqualityConstraint(ScalarConstraint):
    r"""The indicator of :math:`z = b`, for real targets ``b``: the model interpolates.

    .. math::

        \phi^*(u) = b u, \qquad \operatorname{prox}_{c \phi^*}(v) = v - c b.

    With half a squared norm as the regularizer the problem is minimum-norm interpolation. Every method
    takes a fixed number of operations a row. For several outputs see
    :class:`~fenchel.losses.BallConstraint`, for slack :class:`~fenchel.losses.SquaredDistance`.

    References
    ----------
    S. Boyd and L. Vandenberghe. Convex Optimization. Cambridge University Press, 2004, section 6.1.2.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import EqualityConstraint
    >>> EqualityConstraint().value(np.array([1.0, 4.0]), np.array([1.0, 2.0]))
    array([ 0., inf])
    """

    name: ClassVar[str] = "equality_constraint"
    task: ClassVar[str] = "regression"

    def bounds(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        return b, b
