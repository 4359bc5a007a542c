"""Data on which fits go wrong in silence: a clear answer, finite numbers and a true certificate."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import cases_estimators as data
from cases_estimators import assert_rule_g, objective
from fenchel import Classifier, InvalidInputError, Lasso, LogisticRegression, Regressor


def _finite(model: Any) -> bool:
    numbers = [
        model.coef_,
        model.intercept_,
        model.dual_coef_,
        model.certificate_.primal,
        model.certificate_.dual,
    ]
    return all(bool(np.isfinite(item).all()) for item in numbers)


@pytest.mark.parametrize("column", [0.0, 7.0, 1e-200, 1e8])
@pytest.mark.parametrize("l1", [0.0, 0.01])
def test_constant_columns(column: float, l1: float) -> None:
    X, y = data.three_classes_data()
    y = np.where(y == 0, 1.0, -1.0)
    more = np.column_stack([X, np.full(120, column)])
    plain = LogisticRegression(l1=l1, l2=0.01).fit(X, y)
    model = LogisticRegression(l1=l1, l2=0.01).fit(more, y)
    assert _finite(model)
    value = objective(model, more, y, loss="logistic", l1=l1, l2=0.01)
    # The intercept does all that a constant column can do, without a penalty.
    assert_rule_g(model, value, plain.certificate_.primal, accuracy=1e-6)


def test_duplicate_columns_and_rows() -> None:
    X, y = data.factors_data()
    model = Lasso("0.1max").fit(np.hstack([X, X]), y)
    single = Lasso("0.1max").fit(X, y)
    assert model.certificate_.primal == pytest.approx(single.certificate_.primal, abs=1e-5)
    doubled = Lasso("0.1max").fit(np.vstack([X, X]), np.append(y, y))
    assert doubled.certificate_.primal == pytest.approx(single.certificate_.primal, abs=1e-5)


def test_one_row() -> None:
    model = Regressor().fit([[1.0, 2.0]], [3.0])
    assert model.predict([[1.0, 2.0]])[0] == pytest.approx(3.0)
    assert _finite(model)


def test_more_columns_than_rows(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((20, 500)), np.repeat([0, 1], 10)
    for model in (LogisticRegression(l1="0.1max", l2=0), Classifier("squared_hinge", l2=0.1)):
        assert model.fit(X, y).certificate_.relative_gap <= 1e-6
        assert model.score(X, y) > 0.9


def test_separable_classes_have_a_model() -> None:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    model = LogisticRegression(l2=1e-6).fit(X, y)
    assert model.status_.solved
    assert model.score(X, y) == 1.0


def test_a_matrix_of_zeros() -> None:
    X, y = sp.csr_array((20, 5)), np.repeat([-1.0, 1.0], [5, 15])
    model = LogisticRegression().fit(X, y)
    assert not model.coef_.any()
    assert model.intercept_[0] == pytest.approx(np.log(3.0))
    assert_rule_g(model, objective(model, X, y, loss="logistic"), np.log(4) - 0.75 * np.log(3))


def test_values_near_overflow() -> None:
    X, y = data.three_classes_data()
    with pytest.raises(InvalidInputError, match="would overflow"):
        LogisticRegression().fit(X * 1e200, y)


@pytest.mark.parametrize(
    "X",
    [
        np.ones((4, 2)) * 1j,
        [["a", "b"]] * 4,
        np.empty((0, 2)),
        np.empty((4, 0)),
        np.ones(4),
        np.ones((4, 2, 2)),
    ],
)
def test_matrices_that_no_fit_can_use(X: Any) -> None:
    with pytest.raises(ValueError, match=r"Complex|convert|minimum of 1|2D|dim|Found"):
        Regressor().fit(X, np.arange(4.0))


def test_targets_that_no_fit_can_use() -> None:
    X, _ = data.factors_data()
    with pytest.raises(InvalidInputError, match="target y is None"):
        Regressor().fit(X, None)
    with pytest.raises(InvalidInputError, match="y has NaN at row 2"):
        Regressor().fit(X, [0.0, 1.0, np.nan] + [1.0] * 37)
    with pytest.raises(InvalidInputError, match="y has 39 rows"):
        Regressor().fit(X, np.ones(39))
    with pytest.raises(InvalidInputError, match="y has 39 rows"):
        LogisticRegression().fit(X, np.ones(39))
    with pytest.raises(ValueError, match=r"needs|features"):
        Regressor().fit(X, np.ones(40)).predict(X[:, :3])
