"""The seconds of each of our solvers on one problem."""

from __future__ import annotations

from benchmarks.choice.measured import SOLVERS, Measured
from benchmarks.instance import Instance, mean_squared_row
from benchmarks.limited import cpu_limit
from benchmarks.measure import Timing, timed
from fenchel import Problem, RelativeGap, Result, solve
from fenchel.solvers.registry import SOLVERS as KNOWN
from fenchel.solvers.registry import choose_solver

__all__ = ["measure"]

PATIENCE, LEAST, CLOSE = 3.0, 0.1, 2.0
"""A solver is ended at three times the best seconds; repeated are those within twice the best."""


def measure(name: str, instance: Instance, gap: float, repeats: int, limit: float) -> Measured | None:
    """Time the solvers that serve the problem, the choice of "auto" first; None where all are ended."""
    problem = instance.fenchel_problem()
    served = [solver for solver in SOLVERS if KNOWN[solver].unmet(problem) is None]
    first = choose_solver(problem)[0].name
    timings = {solver: Timing(solver) for solver in sorted(served, key=lambda solver: solver != first)}
    ended: set[str] = set()
    for turn in range(repeats):
        for solver, timing in timings.items():
            best = _best(timings, ended)
            if solver in ended or (turn and timing.median > CLOSE * best):
                continue
            _time(timing, instance, gap, min(limit, max(LEAST, PATIENCE * best)))
            if timing.relative_gap > gap:
                ended.add(solver)
    if len(ended) == len(timings):
        return None
    return Measured(
        *(name, gap, instance.loss, *instance.A.shape, problem.design.n_entries),
        *(mean_squared_row(instance.A), instance.l1, instance.l2, _largest(problem, instance)),
        seconds={solver: timing.median for solver, timing in timings.items()},
        ended=frozenset(ended),
    )


def _best(timings: dict[str, Timing], ended: set[str]) -> float:
    return min((timing.median for solver, timing in timings.items() if solver not in ended))


def _largest(problem: Problem, instance: Instance) -> float:
    return problem.zero_solution_strength() * instance.l1 if instance.l1 else 0.0


def _time(timing: Timing, instance: Instance, gap: float, limit: float) -> None:
    """One fit from the data as the peers of a comparison have it, ended after some CPU seconds."""

    def fit() -> Result:
        problem = instance.fenchel_problem()
        return solve(problem, timing.name, stopping=RelativeGap(gap), callback=cpu_limit(limit))

    timed(timing, fit, lambda result: result.certificate.relative_gap)
