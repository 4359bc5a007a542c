"""A solver on a clock of its own: certificates and stopping rules do not count."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fenchel import Problem
from fenchel.solvers.base import Requirement, Solver, Start
from fenchel.typing import FloatArray

__all__ = ["Clocked"]


@dataclass(frozen=True)
class Clocked(Solver[Any]):
    """Another solver, and the CPU seconds that it has spent after each record of the trace.

    Certificates cost a baseline more than its epochs do on some data, and its authors needed none; so
    they are left out for all. CPU seconds, because a machine may be shared.
    """

    name: ClassVar[str] = "clocked"
    requires: ClassVar[tuple[Requirement, ...]] = ()

    solver: Solver[Any]
    marks: list[float] = field(default_factory=list)

    def init(self, problem: Problem, start: Start, rng: np.random.Generator) -> Any:
        self.solver.check(problem)
        began = time.process_time()
        state = self.solver.init(problem, start, rng)
        self.marks.append(time.process_time() - began)
        return state

    def run_epoch(self, problem: Problem, state: Any) -> None:
        began = time.process_time()
        self.solver.run_epoch(problem, state)
        self.marks.append(self.marks[-1] + time.process_time() - began)

    def extract(self, problem: Problem, state: Any) -> tuple[FloatArray, FloatArray | None]:
        return self.solver.extract(problem, state)
