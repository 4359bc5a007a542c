"""Correlated Gaussian columns and a sparse model, with its scores or their signs as targets."""

import numpy as np
from benchopt import BaseDataset
from benchopt.datasets import make_correlated_data


class Dataset(BaseDataset):
    """Dense rows; a tenth of the true coefficients are not zero."""

    name = "simulated"
    requirements = []  # noqa: RUF012
    parameters = {  # noqa: RUF012
        "n_samples, n_features": [(100, 1000), (1000, 200)],
        "targets": ["scores", "signs"],
    }
    test_parameters = {"n_samples, n_features": [(30, 20)], "targets": ["scores"]}  # noqa: RUF012

    def get_data(self):
        rng = np.random.RandomState(self.get_seed(use_repetition=True))
        A, b, _ = make_correlated_data(
            self.n_samples, self.n_features, rho=0.5, density=0.1, random_state=rng
        )
        return {"A": A, "b": b if self.targets == "scores" else np.where(b > 0, 1.0, -1.0)}
