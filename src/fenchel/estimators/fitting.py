"""Run the problems of one fit, and sum up what came out."""

from __future__ import annotations

import math
import time
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from fenchel.driver.result import Result
from fenchel.driver.solve import Callback, solve
from fenchel.driver.stopping import MaxPasses, Progress, RelativeGap, Status, StoppingRule, TimeLimit
from fenchel.errors import ConvergenceWarning, InvalidInputError
from fenchel.estimators.progress import ProgressBar
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver, Start

__all__ = ["FitOptions", "n_passes", "run", "total_certificate", "warn_unless_solved", "worst"]

_SEVERITY = [Status.SOLVED, Status.MAX_PASSES, Status.TIME_LIMIT, Status.CALLBACK, Status.INTERRUPTED]
_ENDS_ALL = (Status.CALLBACK, Status.INTERRUPTED)


@dataclass(frozen=True)
class FitOptions:
    """How to solve, and when to stop."""

    solver: str | Solver[Any]
    tol: float
    max_passes: float
    time_limit: float | None
    callback: Callback | None
    verbose: int

    def __post_init__(self) -> None:
        _check_limit("tol", self.tol, "a relative gap such as 1e-6")
        _check_limit("max_passes", self.max_passes, "a number of passes such as 10000")
        if self.time_limit is not None:
            _check_limit("time_limit", self.time_limit, "seconds, or None for no limit")


def run(
    problems: list[Problem], starts: list[Start], options: FitOptions, rng: np.random.Generator
) -> list[Result]:
    """Solve the problems one after the other.

    The time limit is for all of them: each gets an equal share of what is left. After Ctrl-C, or when
    the callback ended a run, the remaining ones return their starting points.
    """
    begun = time.perf_counter()
    results: list[Result] = []
    for number, (problem, start) in enumerate(zip(problems, starts, strict=True), start=1):
        if results and results[-1].status in _ENDS_ALL:
            ended = solve(problem, options.solver, stopping=MaxPasses(0), start=start, rng=rng)
            results.append(_with_status(ended, results[-1].status))
            continue
        share = None
        if options.time_limit is not None:
            left = options.time_limit - (time.perf_counter() - begun)
            share = max(left, 0.0) / (len(problems) - number + 1)
        with ExitStack() as stack:
            callback = options.callback
            if options.verbose:
                title = f"{number} of {len(problems)}" if len(problems) > 1 else "fit"
                callback = _both(stack.enter_context(ProgressBar(options.tol, title)).callback, callback)
            results.append(
                solve(
                    problem,
                    options.solver,
                    stopping=_stopping(options, share),
                    callback=callback,
                    start=start,
                    rng=rng,
                )
            )
    return results


def _check_limit(name: str, value: object, example: str) -> None:
    if not isinstance(value, Real) or not float(value) >= 0:
        raise InvalidInputError(f"{name}={value!r} is not a number of at least 0. Pass {example}.")


def _stopping(options: FitOptions, seconds: float | None) -> StoppingRule:
    rule: StoppingRule = RelativeGap(options.tol) | MaxPasses(options.max_passes)
    return rule if seconds is None else rule | TimeLimit(seconds)


def _both(first: Callback, second: Callback | None) -> Callback:
    def call(progress: Progress) -> bool:
        first(progress)
        return second is not None and bool(second(progress))

    return call


def _with_status(result: Result, status: Status) -> Result:
    return replace(result, status=status)


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
    knob = _KNOBS[result.status].format(max_passes=options.max_passes, time_limit=options.time_limit or 0.0)
    among = "" if len(results) == 1 else f" in {len(unsolved)} of {len(results)} problems"
    warnings.warn(
        f"{name} {result.status.value}{among}. The relative gap is {result.certificate.relative_gap:.2e} "
        f"after {result.passes:.1f} passes; tol={options.tol:g} was asked for. The model is the best one "
        f"found, and its certificate holds. {knob}, or accept the gap with a larger tol.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
