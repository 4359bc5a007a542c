"""The check that every constructor of a loss makes of its parameters."""

import math
from numbers import Real
from typing import TYPE_CHECKING

from fenchel.errors import InvalidInputError

if TYPE_CHECKING:
    from fenchel.losses.base import Loss


def check_parameter(
    loss: "Loss",
    parameter: str,
    *,
    above: float,
    below: float = math.inf,
    closed: bool = False,
    hint: str,
) -> None:
    """Turn a field of ``loss`` into a float inside the open interval ``(above, below)``.

    Parameters
    ----------
    loss : Loss
        The instance under construction; its field is set in place.
    parameter : str
        The name of the field.
    above, below : float
        The ends of the interval; neither infinity nor NaN is ever accepted.
    closed : bool
        Whether ``above`` itself is accepted.
    hint : str
        The way out, as a sentence.

    Raises
    ------
    InvalidInputError
        When the value is not a real number or is outside the interval.
    """
    value = getattr(loss, parameter)
    number = float(value) if not isinstance(value, bool) and isinstance(value, Real) else math.nan
    above_end = above <= number if closed else above < number
    if not (math.isfinite(number) and above_end and number < below):
        wanted = f"a finite number {'at least' if closed else 'above'} {above:g}"
        if math.isfinite(below):
            wanted += f" and below {below:g}"
        name = type(loss).__name__
        raise InvalidInputError(f"{name} cannot use {parameter}={value!r}: it must be {wanted}. {hint}")
    object.__setattr__(loss, parameter, number)
