"""Celer: a working set from dual extrapolation."""

import celer
import numpy as np
import scipy.sparse as sp
from benchmark_utils.estimators import EstimatorSolver


class Solver(EstimatorSolver):
    """Its estimator for each loss, given the columns before the clock starts."""

    name = "celer"
    requirements = ["pip::celer"]  # noqa: RUF012

    def set_objective(self, A, b, loss, l1, l2):
        self.A = sp.csc_matrix(A) if sp.issparse(A) else np.asfortranarray(A)
        self.b, self.w = b, np.zeros(A.shape[1])
        shared = {"fit_intercept": False, "max_iter": 1000}
        if loss == "logistic":
            self.model = celer.LogisticRegression(C=1.0 / (len(b) * l1), **shared)
        else:
            self.model = celer.ElasticNet(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2), **shared)
