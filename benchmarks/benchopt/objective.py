"""Linear models with an l1 part: the mean of a loss, plus an elastic net; in NumPy, without a solver."""

import numpy as np
from benchmark_utils.duality import relative_gap
from benchmark_utils.losses import LOSSES
from benchopt import BaseObjective
from benchopt.stopping_criterion import SufficientProgressCriterion


class Objective(BaseObjective):
    r"""The problem :math:`\min_w \frac1n \sum_i \phi(a_i^\top w, b_i) + l_1\|w\|_1 + \frac{l_2}2\|w\|^2`.

    ``strength`` is l1 over the smallest one with the zero solution; l1_ratio is l1 / (l1 + l2). There is no
    intercept. ``value`` is what is minimised; ``gap`` bounds how far it is from the optimum, by the dual
    point that the gradient of the losses at the solution is.
    """

    name = "l1 and elastic net"
    min_benchopt_version = "1.6"
    requirements = ["numpy", "scipy"]  # noqa: RUF012
    parameters = {  # noqa: RUF012
        "loss": ["logistic", "squared"],
        "strength": [0.1, 0.01],
        "l1_ratio": [1.0],
    }
    sampling_strategy = "tolerance"
    stopping_criterion = SufficientProgressCriterion(
        eps=1e-7, patience=8, strategy="tolerance", key_to_monitor="gap"
    )
    test_config = {"loss": "squared", "strength": 0.1, "l1_ratio": 1.0}  # noqa: RUF012

    def skip(self, A, b):
        if self.loss != "squared" and set(np.unique(b)) != {-1.0, 1.0}:
            return True, "the targets of this loss are -1 and 1"
        return False, None

    def set_data(self, A, b):
        self.A, self.b = A, b
        slope = LOSSES[self.loss].gradient(np.zeros(len(b)), b)
        self.l1 = self.strength * float(np.abs(A.T @ slope).max()) / len(b)
        self.l2 = self.l1 * (1.0 / self.l1_ratio - 1.0)

    def get_objective(self):
        return {"A": self.A, "b": self.b, "loss": self.loss, "l1": self.l1, "l2": self.l2}

    def evaluate_result(self, w):
        value, gap = relative_gap(self.A, self.b, LOSSES[self.loss], self.l1, self.l2, w)
        return {"value": value, "gap": gap, "non-zeros": int(np.count_nonzero(w))}

    def get_one_result(self):
        return {"w": np.zeros(self.A.shape[1])}
