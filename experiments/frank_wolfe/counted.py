"""A run that records the calls of both oracles, CPU seconds, P and the certified gap after every epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from experiments.clocked import Clocked
from fenchel import Problem, RelativeGap, solve
from fenchel.driver.stopping import Progress
from fenchel.solvers.base import Solver, Start

__all__ = ["Counted", "Track", "track"]


@dataclass(frozen=True)
class Counted(Clocked):
    """Another solver, its CPU seconds, and its calls of both oracles."""

    calls: list[tuple[int, int]] = field(default_factory=list)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> Any:
        state = super().init(problem, start, rng)
        self.calls.append((int(state.gradient_calls), int(state.lmo_calls)))
        return state

    def run_epoch(self, problem: Problem, state: Any) -> None:
        super().run_epoch(problem, state)
        self.calls.append((int(state.gradient_calls), int(state.lmo_calls)))


@dataclass(frozen=True)
class Track:
    """One method on one set, a point an epoch; P and the gap are the best so far.

    ``reached`` says whether the last point is at the goal.
    """

    data: str
    n: int
    method: str
    reached: bool
    gradient_calls: list[int]
    lmo_calls: list[int]
    seconds: list[float]
    suboptimality: list[float]
    gap: list[float]

    def as_dict(self) -> dict[str, Any]:
        """Return the types of JSON."""
        return asdict(self)


def track(
    data: str,
    problem: Problem,
    method: str,
    solver: Solver[Any],
    *,
    optimum: float,
    goal: Callable[[Progress], bool],
    seconds: float,
    seed: int,
) -> Track:
    """Run until the goal, or until the CPU seconds are used up; those of certificates do not count."""
    counted = Counted(solver)

    def ends(progress: Progress) -> bool:
        return goal(progress) or counted.marks[-1] >= seconds

    trace = solve(problem, counted, stopping=RelativeGap(1e-15), callback=ends, rng=seed).trace
    calls = counted.calls[: len(trace)]
    return Track(
        data=data,
        n=problem.n_samples,
        method=method,
        reached=goal(trace[-1]),
        gradient_calls=[gradient for gradient, _ in calls],
        lmo_calls=[lmo for _, lmo in calls],
        seconds=[round(spent, 4) for spent in counted.marks[: len(trace)]],
        suboptimality=[float(record.certificate.primal - optimum) for record in trace],
        gap=[float(record.certificate.gap) for record in trace],
    )
