"""Small real datasets that come with scikit-learn; nothing is downloaded."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from fenchel.datasets.dataset import Dataset
from fenchel.errors import InvalidInputError

__all__ = ["DEMOS", "load_demo"]

DEMOS = {"breast_cancer": load_breast_cancer, "diabetes": load_diabetes, "digits": load_digits}
"""The demos by name."""


def load_demo(name: str) -> Dataset:
    """Return a dataset that scikit-learn bundles.

    Parameters
    ----------
    name : {"breast_cancer", "diabetes", "digits"}
        Binary classification (569 x 30), regression (442 x 10), ten classes (1797 x 64).

    Raises
    ------
    InvalidInputError
        For any other name.

    Examples
    --------
    >>> from fenchel.datasets import load_demo
    >>> load_demo("diabetes").X.shape
    (442, 10)
    """
    if name not in DEMOS:
        raise InvalidInputError(f"There is no demo {name!r}. Choose one of {', '.join(sorted(DEMOS))}.")
    bunch = DEMOS[name]()
    return Dataset(bunch.data, bunch.target, tuple(str(item) for item in bunch.feature_names), name)
