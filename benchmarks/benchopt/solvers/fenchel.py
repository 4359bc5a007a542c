"""Fenchel: the relative gap is its tolerance."""

import numpy as np
from benchopt import BaseSolver

from fenchel import Problem, RelativeGap, solve
from fenchel.losses import Logistic, Squared
from fenchel.regularizers import L1, ElasticNet


class Solver(BaseSolver):
    """The solver that "auto" takes, or another by name."""

    name = "fenchel"
    requirements = ["pip::fenchel"]  # noqa: RUF012
    parameters = {"solver": ["auto"]}  # noqa: RUF012

    def set_objective(self, A, b, loss, l1, l2):
        self.A, self.b = A, b
        self.loss = Logistic() if loss == "logistic" else Squared()
        self.penalty = L1(l1) if l2 == 0 else ElasticNet(l1, l2)
        self.w = np.zeros(A.shape[1])

    def run(self, tolerance):
        problem = Problem(self.A, self.b, self.loss, self.penalty)
        self.w = solve(problem, self.solver, stopping=RelativeGap(max(tolerance, 1e-12))).w

    def get_result(self):
        return {"w": self.w}
