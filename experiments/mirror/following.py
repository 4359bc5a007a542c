"""Run a solver by hand: CPU seconds of its steps alone, and the values of the points that it has reached.

The driver keeps the best points; the figure of the paper shows the present ones, and dual values that no
other bound has raised.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fenchel import Problem, Start
from fenchel.solvers.base import Solver

__all__ = ["Followed", "Timed", "each_horizon", "follow", "run_steps", "steps_of"]


@dataclass
class Followed:
    """One method: iterations, CPU seconds, P and D at some of its points; D is None without a dual point."""

    method: str
    iterations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    primal: list[float] = field(default_factory=list)
    dual: list[float | None] = field(default_factory=list)

    def add(self, problem: Problem, solver: Solver[Any], state: Any, seconds: float) -> None:
        """Record where the state is."""
        w, u = solver.extract(problem, state)
        self.iterations.append(steps_of(state))
        self.seconds.append(round(seconds, 4))
        self.primal.append(float(problem.primal_value(w)))
        self.dual.append(None if u is None else float(problem.dual_value(u)))

    def as_dict(self) -> dict[str, object]:
        """Return the types of JSON."""
        return asdict(self)


def steps_of(state: Any) -> int:
    """The steps so far, by the name that the solver has for them."""
    return int(state.time if hasattr(state, "time") else state.steps)


def follow(
    method: str,
    problem: Problem,
    solver: Solver[Any],
    seconds: float,
    seed: int,
    growth: float = 1.5,
    most: float = np.inf,
) -> Followed:
    """Record a solver at iterations that grow by a factor, until the seconds or the iterations are used."""
    followed, spent = Followed(method), time.process_time
    began = spent()
    state = solver.init(problem, Start(), np.random.default_rng(seed))
    taken, due = spent() - began, 1.0
    while taken < seconds and steps_of(state) < most:
        began = spent()
        solver.run_epoch(problem, state)
        taken += spent() - began
        if steps_of(state) >= due:
            followed.add(problem, solver, state, taken)
            due = growth * steps_of(state)
    if not followed.iterations or followed.iterations[-1] < steps_of(state):
        followed.add(problem, solver, state, taken)
    return followed


def each_horizon(
    method: str, problem: Problem, solver_for: Callable[[int], Solver[Any]], horizons: list[int], seed: int
) -> Followed:
    """Run anew for every horizon T, with the constant step that belongs to it, as the paper does."""
    followed = Followed(method)
    for steps in horizons:
        timed = run_steps(problem, solver_for(steps), steps, seed)
        followed.add(problem, solver_for(steps), timed.state, timed.set_up + timed.steps)
    return followed


class Timed(NamedTuple):
    """A state, and the CPU seconds of its set-up and of its steps."""

    state: Any
    set_up: float
    steps: float


def run_steps(problem: Problem, solver: Solver[Any], steps: int, seed: int) -> Timed:
    """Run a number of steps, or the whole epochs that hold them."""
    began = time.process_time()
    state = solver.init(problem, Start(), np.random.default_rng(seed))
    ready = time.process_time()
    while steps_of(state) < steps:
        solver.run_epoch(problem, state)
    return Timed(state, ready - began, time.process_time() - ready)
