"""When to stop: rules that look at the progress of a run and combine with ``|`` and ``&``."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from numbers import Real

from fenchel.errors import InvalidInputError
from fenchel.problem.certificate import Certificate

__all__ = [
    "All",
    "Any",
    "Infeasible",
    "MaxPasses",
    "Progress",
    "RelativeGap",
    "Status",
    "StoppingRule",
    "TimeLimit",
]


class Status(Enum):
    """Why a run ended; the value is the message."""

    SOLVED = "solved to the relative gap that was asked for"
    INFEASIBLE = "infeasible: every solution is proven to have a larger value than the limit"
    NO_MINIMISER = "has no minimiser: the model separates the classes; larger coefficients fit ever better"
    MAX_PASSES = "stopped early: the limit on passes was reached"
    TIME_LIMIT = "stopped early: the time limit was reached"
    INTERRUPTED = "stopped early: interrupted by the user"
    CALLBACK = "stopped early: the callback asked for it"

    @property
    def solved(self) -> bool:
        """Whether the gap that was asked for is proven."""
        return self is Status.SOLVED


@dataclass(frozen=True)
class Progress:
    """A run as the stopping rules and callbacks see it, after an epoch.

    Attributes
    ----------
    passes : float
        Entries of A that the solver has read, over the entries of one pass.
    entries_read : int
    seconds : float
        Wall time since the start of the run, certificates included.
    certificate : Certificate
        Of the best primal point and the best dual point so far.
    nonzeros : int
        Non-zero entries of the best primal point, the intercept not counted.
    rounding : float
        A gap this small is rounding: see ``Problem.rounding``.
    """

    passes: float
    entries_read: int
    seconds: float
    certificate: Certificate
    nonzeros: int
    rounding: float = 0.0


class StoppingRule(ABC):
    """A rule that returns a status when a run should end, else None.

    It keeps nothing: a run asks it too what it would say of a gap that is only hoped for, and an epoch for
    which it would go on even then may go without a certificate.
    """

    @abstractmethod
    def __call__(self, progress: Progress) -> Status | None:
        """Look at the progress."""

    def __or__(self, other: StoppingRule) -> StoppingRule:
        return Any(self, other)

    def __and__(self, other: StoppingRule) -> StoppingRule:
        return All(self, other)


@dataclass(frozen=True)
class RelativeGap(StoppingRule):
    """Stop when ``gap <= tolerance * max(|primal|, |dual|)``, or when the gap is rounding alone.

    Where the loss is a constraint, the relative violation must be within the tolerance too.
    """

    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        _check_positive(
            "tolerance", self.tolerance, "a relative gap such as 1e-6; 0 runs to the last digit", 0.0
        )

    def __call__(self, progress: Progress) -> Status | None:
        certificate = progress.certificate
        reached = certificate.relative_gap <= self.tolerance or certificate.gap <= progress.rounding
        return Status.SOLVED if reached and certificate.relative_violation <= self.tolerance else None


@dataclass(frozen=True)
class Infeasible(StoppingRule):
    """Stop when the lower bound on the optimum is above ``limit``: no solution has so small a value.

    For constraints that may contradict each other, whose dual values then grow without end. The dual point
    of the certificate is the proof: ``problem.dual_value`` of it is above the limit. It proves nothing about
    solutions with larger values.
    """

    limit: float

    def __post_init__(self) -> None:
        _check_positive("limit", self.limit, "the largest value of P that would be of use", 0.0)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.INFEASIBLE if progress.certificate.dual > self.limit else None


@dataclass(frozen=True)
class MaxPasses(StoppingRule):
    """Stop after this many passes over the data."""

    passes: float = 10_000.0

    def __post_init__(self) -> None:
        _check_positive("passes", self.passes, "a number of passes such as 10000", 0.0)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.MAX_PASSES if progress.passes >= self.passes else None


@dataclass(frozen=True)
class TimeLimit(StoppingRule):
    """Stop after this many seconds of wall time; looked at between epochs."""

    seconds: float

    def __post_init__(self) -> None:
        _check_positive("seconds", self.seconds, "a time in seconds such as 10", 0.0)

    def __call__(self, progress: Progress) -> Status | None:
        return Status.TIME_LIMIT if progress.seconds >= self.seconds else None


@dataclass(frozen=True)
class Any(StoppingRule):
    """Stop when either rule says so; the first one that does gives the status."""

    first: StoppingRule
    second: StoppingRule

    def __call__(self, progress: Progress) -> Status | None:
        return self.first(progress) or self.second(progress)


@dataclass(frozen=True)
class All(StoppingRule):
    """Stop when both rules say so; the second one gives the status."""

    first: StoppingRule
    second: StoppingRule

    def __call__(self, progress: Progress) -> Status | None:
        first, second = self.first(progress), self.second(progress)
        return second if first is not None else None


def _check_positive(name: str, value: object, example: str, least: float) -> None:
    if not isinstance(value, Real) or math.isnan(value) or float(value) < least:
        raise InvalidInputError(f"{name}={value!r} is not a number of at least {least:g}. Give {example}.")
