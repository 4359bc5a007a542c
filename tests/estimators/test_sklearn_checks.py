"""Every check of scikit-learn, on every row of the table; none is expected to fail."""

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from cases_estimators import ESTIMATORS


# The checks fit degenerate data to the last digit: stopping early there is allowed, and said.
@pytest.mark.filterwarnings("ignore::fenchel.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_check_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
