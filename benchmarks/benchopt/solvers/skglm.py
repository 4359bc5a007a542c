"""Skglm: a working set with prox-Newton steps or Anderson acceleration."""

import numpy as np
import scipy.sparse as sp
from benchopt import BaseSolver
from skglm import datafits, penalties, solvers


class Solver(BaseSolver):
    """Its solver for each loss, compiled and given the columns before the clock starts."""

    name = "skglm"
    requirements = ["pip::skglm"]  # noqa: RUF012

    def set_objective(self, A, b, loss, l1, l2):
        self.A = sp.csc_matrix(A) if sp.issparse(A) else np.asfortranarray(A)
        self.b, self.w = b, np.zeros(A.shape[1])
        self.compiled, logistic = False, loss == "logistic"
        self.loss = datafits.Logistic() if logistic else datafits.Quadratic()
        self.kind = solvers.ProxNewton if logistic else solvers.AndersonCD
        self.penalty = penalties.L1(l1) if l2 == 0 else penalties.L1_plus_L2(l1 + l2, l1 / (l1 + l2))

    def pre_run_hook(self, tolerance):
        # Every loss and penalty is compiled for itself; benchopt's warm_up is for the first problem alone.
        if not self.compiled:
            self.run(1e-6)
            self.compiled = True

    def run(self, tolerance):
        solver = self.kind(tol=max(tolerance, 1e-12), max_iter=1000, fit_intercept=False)
        self.w = solver.solve(self.A, self.b, self.loss, self.penalty)[0]

    def get_result(self):
        return {"w": self.w}
