"""The errors and warnings of the library.

Every message has the form: what failed, which value, why, what to do.
"""

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning

__all__ = [
    "ConvergenceWarning",
    "FenchelError",
    "InvalidInputError",
    "InvalidTypeError",
    "UnsupportedProblemError",
]


class FenchelError(Exception):
    """Base class of the errors that this library raises."""


class InvalidInputError(FenchelError, ValueError):
    """An argument has a value that no fit can use."""


class InvalidTypeError(InvalidInputError, TypeError):
    """An argument holds objects that are not numbers."""


class UnsupportedProblemError(FenchelError, ValueError):
    """No solver, or not the one asked for, serves this loss with this regularizer."""


class ConvergenceWarning(_SklearnConvergenceWarning):  # type: ignore[misc]
    """The fit stopped before it reached the gap that was asked for."""
