"""The run at one strength of a path: from a near solution, without the work that a warm start spares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fenchel.driver.loop import Ending, iterate
from fenchel.driver.path_part import Part
from fenchel.driver.recall import Recall
from fenchel.driver.result import Result
from fenchel.driver.run import Run
from fenchel.driver.stopping import Progress, Status, StoppingRule
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver, Start
from fenchel.solvers.coordinate.orthant_newton import OrthantNewton
from fenchel.typing import FloatArray

__all__ = ["PathSolver", "Solution"]

_NEWTON_STEPS = 6


@dataclass(frozen=True, eq=False)
class Solution:
    """The point that a strength ended with, its certificate and status, and the entries of A read."""

    w: FloatArray
    certificate: Certificate
    status: Status
    entries_read: int

    @classmethod
    def of(cls, result: Result, before: int = 0) -> Solution:
        """What a run gave, after so many entries were read."""
        return cls(result.w, result.certificate, result.status, before + result.entries_read)

    @property
    def u(self) -> FloatArray:
        """The dual point of the certificate."""
        return self.certificate.dual_point


@dataclass(frozen=True)
class PathSolver:
    """What solves at every strength.

    ``follows`` says whether Newton steps may come before the solver: not where the user named it. ``rule``
    gives the stopping rule for the time that is left.
    """

    solver: Solver[Any]
    reason: str
    follows: bool
    rule: Callable[[], StoppingRule]
    rng: np.random.Generator

    def whole(self, problem: Problem, start: Start, before: int = 0) -> Solution:
        """As :func:`fenchel.solve`, without the certificates that it knows already."""
        recall = Recall()
        if problem.loss.smooth and start.w is not None:
            # The gradient at the primal point is as good as the last dual point.
            start = recall.start(problem, start.w)
        run = Run(problem, self.solver, self.reason, self.rule(), None, start, self.rng)
        (ended,) = iterate([run], 1, recall, Ending())
        assert ended.result is not None
        return Solution.of(ended.result, before)

    def on_part(self, part: Part, problem: Problem, start: Start) -> Solution:
        """Solve ``problem``, the part at some strength: where it is small by Newton steps on orthants.

        Mostly they are all it takes; from where they end the solver goes on.
        """
        if not (self.follows and part.follows and start.w is not None):
            return self.whole(problem, start)
        newton, rule = OrthantNewton(problem, part.columns, start.w), self.rule()
        for _ in range(_NEWTON_STEPS):
            # With violations of this share of the l1 strength the relative gap is about as small.
            status = rule(_progress(newton, Certificate(1.0, 1.0 - newton.violation)))
            if status is Status.SOLVED:
                certificate = newton.certificate()
                if rule(_progress(newton, certificate)) is Status.SOLVED:
                    return Solution(newton.w, certificate, Status.SOLVED, newton.entries_read)
            elif status is not None:
                break
            if not newton.step():
                break
        return self.whole(problem, Start(newton.w, start.u), newton.entries_read)


def _progress(newton: OrthantNewton, certificate: Certificate) -> Progress:
    """What a stopping rule sees of a point without a run."""
    problem, entries = newton.problem, newton.entries_read
    passes, nonzeros = entries / max(problem.design.n_entries, 1), problem.count_nonzeros(newton.w)
    return Progress(passes, entries, 0.0, certificate, nonzeros, problem.rounding)
