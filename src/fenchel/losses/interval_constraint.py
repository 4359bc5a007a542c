"""The constraint of interpolation up to a tolerance."""

from dataclasses import dataclass
from typing import ClassVar

from fenchel.losses.checks import check_parameter
from fenchel.losses.constraint import ScalarConstraint
from fenchel.typing import FloatArray


@dataclass(frozen=True)
class IntervalConstraint(ScalarConstraint):
    r"""The indicator of :math:`|z - b| \le \varepsilon`, for real targets ``b``.

    .. math::

        \phi^*(u) = b u + \varepsilon |u|, \qquad
        \operatorname{prox}_{c \phi^*}(v) = S(v - c b,\, c \varepsilon),

    with the soft threshold S. Every method takes a fixed number of operations a row.

    Parameters
    ----------
    epsilon : float, default 0.1
        The largest residual >= 0 that is allowed, in units of the targets.

    Raises
    ------
    InvalidInputError
        When ``epsilon`` is not a finite number at least 0.

    References
    ----------
    V. Vapnik. The Nature of Statistical Learning Theory. Springer, 1995, chapter 6.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.losses import IntervalConstraint
    >>> IntervalConstraint(epsilon=0.5).value(np.array([0.25, -2.0]), np.zeros(2))
    array([ 0., inf])
    """

    name: ClassVar[str] = "interval_constraint"
    task: ClassVar[str] = "regression"
    sparse_dual: ClassVar[bool] = True
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        hint = "Epsilon 0 asks for the targets themselves, as EqualityConstraint does."
        check_parameter(self, "epsilon", above=0.0, closed=True, hint=hint)
        # An interval that is a point has no inside, where u would be zero.
        object.__setattr__(self, "sparse_dual", self.epsilon > 0.0)

    def bounds(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        return b - self.epsilon, b + self.epsilon
