"""From what the user passes to a design and sample weights; every check of X is here."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from fenchel.design import Design, as_design
from fenchel.errors import InvalidInputError, InvalidTypeError

__all__ = ["check_design", "require_target"]


def check_design(estimator: Any, X: Any, *, reset: bool) -> Design:
    """Check ``X``, remember or compare its features, and wrap it without a copy where possible.

    A sparse matrix goes through the structural checks before any compiled code reads it: an index
    out of range must be an error, never a crash.
    """
    if sp.issparse(X):
        design = as_design(X)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return design
    try:
        checked = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    except TypeError as error:
        # scikit-learn's own error for objects, which its checks of estimators ask for by its text.
        raise InvalidTypeError(f"X holds objects that are no numbers: {error}. Encode them.") from error
    return as_design(checked)


def require_target(estimator: Any, y: Any) -> None:
    """Refuse a fit without targets."""
    if y is None:
        raise InvalidInputError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. Pass fit(X, y)."
        )
