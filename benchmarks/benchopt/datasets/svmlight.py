"""A file in svmlight form."""

from pathlib import Path

import numpy as np
from benchopt import BaseDataset
from benchopt.config import get_data_path
from sklearn.datasets import load_svmlight_file


class Dataset(BaseDataset):
    """Two classes by rows, in a file of the folder that benchopt's configuration names ``svmlight``."""

    name = "svmlight"
    requirements = ["scikit-learn"]  # noqa: RUF012
    parameters = {"file": ["a9a.svm.bz2"]}  # noqa: RUF012

    def get_data(self):
        A, b = load_svmlight_file(str(Path(get_data_path("svmlight")) / self.file))
        return {"A": A, "b": np.where(b == b.max(), 1.0, -1.0)}
