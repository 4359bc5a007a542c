"""The losses by name."""

from collections.abc import Iterable
from dataclasses import fields

from fenchel.errors import InvalidInputError
from fenchel.losses.absolute import Absolute
from fenchel.losses.ball_constraint import BallConstraint
from fenchel.losses.base import Loss
from fenchel.losses.epsilon_insensitive import EpsilonInsensitive
from fenchel.losses.equality_constraint import EqualityConstraint
from fenchel.losses.hinge import Hinge
from fenchel.losses.huber import Huber
from fenchel.losses.interval_constraint import IntervalConstraint
from fenchel.losses.logistic import Logistic
from fenchel.losses.lower_bound_constraint import LowerBoundConstraint
from fenchel.losses.margin_constraint import MarginConstraint
from fenchel.losses.multi_squared import MultiSquared
from fenchel.losses.multiclass_hinge import MulticlassHinge
from fenchel.losses.quantile import Quantile
from fenchel.losses.simplex_constraint import SimplexConstraint
from fenchel.losses.smoothed_hinge import SmoothedHinge
from fenchel.losses.softmax import Softmax
from fenchel.losses.squared import Squared
from fenchel.losses.squared_hinge import SquaredHinge

LOSSES: dict[str, type[Loss]] = {
    "logistic": Logistic,
    "hinge": Hinge,
    "squared_hinge": SquaredHinge,
    "smoothed_hinge": SmoothedHinge,
    "squared": Squared,
    "absolute": Absolute,
    "huber": Huber,
    "quantile": Quantile,
    "epsilon_insensitive": EpsilonInsensitive,
    "multi_squared": MultiSquared,
    "softmax": Softmax,
    "multiclass_hinge": MulticlassHinge,
    "equality_constraint": EqualityConstraint,
    "margin_constraint": MarginConstraint,
    "lower_bound_constraint": LowerBoundConstraint,
    "interval_constraint": IntervalConstraint,
    "ball_constraint": BallConstraint,
    "simplex_constraint": SimplexConstraint,
}
"""Every loss of the library, by its registry name."""


def get_loss(loss: str | Loss, **parameters: float) -> Loss:
    """Return the loss of that name with those parameters, or the instance that was given.

    Parameters
    ----------
    loss : str or Loss
        A key of ``LOSSES``, or a loss that is returned as it is.
    **parameters : float
        The fields of the loss; those left out have their defaults. None with an instance.

    Returns
    -------
    Loss
        A frozen instance.

    Raises
    ------
    InvalidInputError
        When the name or a parameter is unknown, a parameter has a bad value, or an instance comes
        with parameters.

    Examples
    --------
    >>> from fenchel.losses import get_loss
    >>> get_loss("huber", threshold=2.0)
    Huber(threshold=2.0)
    """
    if isinstance(loss, Loss):
        if parameters:
            raise InvalidInputError(
                f"get_loss cannot apply {_listed(parameters)} to {loss!r}: an instance holds its parameters "
                f"already. Pass the name {loss.name!r} with the parameters, or the instance alone."
            )
        return loss
    if not isinstance(loss, str) or loss not in LOSSES:
        raise InvalidInputError(
            f"get_loss cannot use loss={loss!r}: it is neither a Loss instance nor a known name. "
            f"The names are {_listed(LOSSES)}."
        )
    cls = LOSSES[loss]
    known = [field.name for field in fields(cls)]
    unknown = [name for name in parameters if name not in known]
    if unknown:
        takes = f"its parameters are {_listed(known)}" if known else "it has no parameters"
        raise InvalidInputError(
            f"The loss {loss!r} cannot use {_listed(unknown)}: {takes}. Correct the name or leave it out."
        )
    return cls(**parameters)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
