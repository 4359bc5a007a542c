"""Solvers that are estimators: a model is made for each problem, and fitted at each tolerance."""

import warnings

from benchopt import BaseSolver
from sklearn.exceptions import ConvergenceWarning


class EstimatorSolver(BaseSolver):
    """Fits ``self.model`` to ``self.A`` and ``self.b``, which ``set_objective`` leaves."""

    def skip(self, A, b, loss, l1, l2):
        if loss == "logistic" and l2 > 0:
            return True, f"{self.name} has no elastic net with this loss"
        return False, None

    def run(self, tolerance):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.w = self.model.set_params(tol=max(tolerance, 1e-12)).fit(self.A, self.b).coef_.ravel()

    def get_result(self):
        return {"w": self.w}
