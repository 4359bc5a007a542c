"""The quality of a solution, computed by fenchel in float64 whoever found it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.instance import FloatArray, Instance
from benchmarks.limited import cpu_limit
from fenchel import Problem, RelativeGap, Result, solve

__all__ = ["Judge"]


@dataclass(frozen=True, eq=False)
class Judge:
    """Recompute the relative gap of any solution.

    With a smooth loss the dual point is the gradient at the solution, so the gap tends to 0 with the
    error. With the hinge it does not: there a peer is judged by its distance to the best proven lower
    bound, of a long run of fenchel. It can be judged so with every loss, which is the more lenient way.
    Fenchel itself is always judged by the dual point that it returns.
    """

    problem: Problem
    lower_bound: float = -np.inf
    lower_bound_gap: float = 0.0

    @classmethod
    def of(cls, instance: Instance, precision: float = 1e-9, by: str = "gap", limit: float = 60.0) -> Judge:
        """Return the judge of a problem; solves it once where the loss has kinks, or by the "optimum".

        The relative gap of the lower bound is ``precision``, or what ``limit`` CPU seconds leave.
        """
        problem = instance.fenchel_problem()
        if problem.loss.smooth and by == "gap":
            return cls(problem)
        found = solve(problem, stopping=RelativeGap(precision), callback=cpu_limit(limit))
        certificate = found.certificate
        return cls(problem, certificate.dual, certificate.relative_gap)

    def refusal(self, target: float) -> str | None:
        """Say why a target cannot be judged; None when it can."""
        if self.lower_bound_gap > target:
            return f"not judged: the best lower bound has gap {self.lower_bound_gap:.1e}"
        return None

    def relative_gap(self, w: FloatArray) -> float:
        """Return the relative gap of a peer's coefficients."""
        if not np.all(np.isfinite(w)):
            return float("inf")
        certificate = self.problem.certify(w)
        dual = max(certificate.dual, self.lower_bound)
        scale = max(abs(certificate.primal), abs(dual))
        return max(certificate.primal - dual, 0.0) / scale if scale > 0 else 0.0

    def proven_gap(self, result: Result) -> float:
        """Return the relative gap that the two points of a result of fenchel prove."""
        return self.problem.certify(result.w, result.u).relative_gap
