"""Scikit-learn: liblinear for the logistic loss with l1, coordinate descent for the squared loss."""

import numpy as np
from benchmark_utils.estimators import EstimatorSolver
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression

MOST = 10_000


class Solver(EstimatorSolver):
    """One solver for each loss."""

    name = "scikit-learn"
    requirements = ["scikit-learn"]  # noqa: RUF012

    def set_objective(self, A, b, loss, l1, l2):
        self.b, self.w = b, np.zeros(A.shape[1])
        self.A = A
        shared = {"fit_intercept": False, "max_iter": MOST}
        if loss == "logistic":
            C = 1.0 / (len(b) * l1)
            self.model = LogisticRegression(solver="liblinear", l1_ratio=1.0, C=C, random_state=0, **shared)
        elif l2 == 0:
            self.model = Lasso(alpha=l1, **shared)
        else:
            self.model = ElasticNet(alpha=l1 + l2, l1_ratio=l1 / (l1 + l2), **shared)
