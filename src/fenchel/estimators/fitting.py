"""How to solve, when to stop, and a summary of what came out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any

from fenchel.driver.result import Result
from fenchel.driver.run import Callback
from fenchel.driver.stopping import Status
from fenchel.errors import ConvergenceWarning, InvalidInputError
from fenchel.problem.certificate import Certificate
from fenchel.solvers.base import Solver

__all__ = ["FitOptions", "keep_outcome", "n_passes", "total_certificate", "warn_unless_solved", "worst"]

_SEVERITY = [
    Status.SOLVED,
    Status.NO_MINIMISER,
    Status.INFEASIBLE,
    Status.MAX_PASSES,
    Status.TIME_LIMIT,
    Status.CALLBACK,
    Status.INTERRUPTED,
]


@dataclass(frozen=True)
class FitOptions:
    """How to solve, when to stop, and where the state of the run is kept, as :func:`fenchel.solve` has it.

    A lower bound on the optimum above ``limit`` ends the run: what is asked for does not exist.
    """

    solver: str | Solver[Any]
    tol: float
    max_passes: float
    time_limit: float | None
    callback: Callback | None
    verbose: int
    checkpoint: Path | None = None
    resume: Path | None = None
    limit: float = math.inf

    @classmethod
    def of(cls, estimator: Any) -> FitOptions:
        """Take them from the parameters of an estimator."""
        return cls(
            estimator.solver,
            estimator.tol,
            estimator.max_passes,
            estimator.time_limit,
            estimator.callback,
            estimator.verbose,
        )

    def __post_init__(self) -> None:
        _check_limit("tol", self.tol, "a relative gap such as 1e-6")
        _check_limit("max_passes", self.max_passes, "a number of passes such as 10000")
        if self.time_limit is not None:
            _check_limit("time_limit", self.time_limit, "seconds, or None for no limit")


def _check_limit(name: str, value: object, example: str) -> None:
    if not isinstance(value, Real) or not float(value) >= 0:
        raise InvalidInputError(f"{name}={value!r} is not a number of at least 0. Pass {example}.")


def worst(results: list[Result]) -> Result:
    """Return the result with the worst status, and among those with the largest gap."""
    return max(results, key=lambda item: (_SEVERITY.index(item.status), item.certificate.relative_gap))


def total_certificate(certificates: list[Certificate]) -> Certificate:
    """Add the certificates of problems that do not interact; a single one keeps its dual point."""
    total = certificates[0]
    for certificate in certificates[1:]:
        total = total + certificate
    return total


def n_passes(results: list[Result]) -> int:
    """The most passes that a problem took, rounded up; at least 1."""
    return max(1, *(math.ceil(result.passes) for result in results))


def keep_outcome(estimator: Any, results: list[Result]) -> None:
    """Set the attributes that tell how a fit went; those of several problems are summed up."""
    least = worst(results)
    estimator.certificate_ = total_certificate([result.certificate for result in results])
    estimator.status_, estimator.message_, estimator.solver_ = least.status, least.message, least.solver
    estimator.n_iter_ = n_passes(results)
    estimator.trace_ = [record for result in results for record in result.trace]


_KNOBS = {
    Status.MAX_PASSES: "Raise max_passes (now {max_passes:g})",
    Status.TIME_LIMIT: "Raise time_limit (now {time_limit:g} s)",
    Status.CALLBACK: "Let the callback return False for longer",
    Status.INTERRUPTED: "Set warm_start=True and fit again to go on",
}


def warn_unless_solved(name: str, results: list[Result], options: FitOptions, stacklevel: int) -> None:
    """Warn once, whatever the number of problems, when a requested gap was not reached."""
    unsolved = [result for result in results if not result.status.solved]
    if not unsolved:
        return
    result = worst(unsolved)
    among = "" if len(results) == 1 else f" in {len(unsolved)} of {len(results)} problems"
    text = f"{name} {result.status.value}{among}. {_advice(result, options)}"
    warnings.warn(text, ConvergenceWarning, stacklevel=stacklevel)


def _advice(result: Result, options: FitOptions) -> str:
    certificate = result.certificate
    if result.status is Status.NO_MINIMISER:
        return (
            "The coefficients are a direction that separates; fenchel.separability finds the one of the "
            "largest margin. Add a penalty (l1 or l2)."
        )
    if result.status is Status.INFEASIBLE:
        return (
            f"The limit is {options.limit:g}, and no solution has a value below {certificate.dual:.6g}, "
            "which the dual point in dual_coef_ proves. The coefficients break the constraints by "
            f"{certificate.violation:.2e}. Raise the limit, or ask for less."
        )
    knob = _KNOBS[result.status].format(max_passes=options.max_passes, time_limit=options.time_limit or 0.0)
    broken = (
        f" The constraints are broken by {certificate.violation:.2e}; if no coefficients meet them all, more "
        "passes will not help."
        if certificate.relative_violation > options.tol
        else ""
    )
    return (
        f"The relative gap is {certificate.relative_gap:.2e} after {result.passes:.1f} passes; "
        f"tol={options.tol:g} was asked for. The model is the best one found, and its certificate "
        f"holds.{broken} {knob}, or accept the gap with a larger tol."
    )
