"""The stored constrained problems through the estimators: sets and penalties in one line."""

import numpy as np
import pytest

from cases_constrained import DIGITS, constrained
from fenchel import Classifier, Regressor


@pytest.mark.parametrize("index", range(16))
def test_stored_optimum_through_the_estimator(index):
    problem, record = constrained(index)
    estimator = Classifier if record["loss"] == "logistic" else Regressor
    model = estimator(record["loss"], regularizer=problem.regularizer, fit_intercept=False, tol=1e-10)
    model.fit(problem.design.select_columns(np.arange(problem.n_features)), problem.b)
    assert model.status_.solved, model.message_
    assert model.certificate_.primal == pytest.approx(record["P_star"], abs=2 * DIGITS)
    assert model.certificate_.dual <= record["P_star"] + DIGITS
    assert np.isfinite(problem.regularizer.value(np.ravel(model.coef_)))
