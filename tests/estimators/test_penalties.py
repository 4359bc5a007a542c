"""From l1, l2, weights, bounds and scales to the penalty of the fit."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import cases_estimators as data
from cases_estimators import assert_rule_g, objective
from fenchel import InvalidInputError, Lasso, LogisticRegression, Regressor
from fenchel.estimators.penalty import Penalty
from fenchel.regularizers import (
    L1,
    Box,
    ElasticNet,
    GroupL2,
    GroupL2Ball,
    L1Ball,
    L2Ball,
    NonNegative,
    NoPenalty,
    NuclearBall,
    Regularizer,
    RelativeEntropy,
    Ridge,
    Simplex,
    SolidSimplex,
    Standardized,
)


@pytest.mark.parametrize("spelling", ["max", "1max", "1.0 * max", " 1e0max "])
def test_the_largest_useful_l1(spelling: str) -> None:
    X, y = data.factors_data()
    largest = np.abs(X.T @ (y - y.mean())).max() / 40
    model = Lasso(spelling).fit(X, y)
    assert model.regularizer_.strength == pytest.approx(largest, rel=1e-12)
    assert not model.coef_.any()


def test_share_of_the_largest_over_all_classes() -> None:
    X, y = data.three_classes_data()
    largest = max(LogisticRegression(l1="1max", l2=0).fit(X, y == k).regularizer_.strength for k in range(3))
    model = LogisticRegression(l1="0.3max", l2=0).fit(X, y)
    assert model.regularizer_.strength == pytest.approx(0.3 * largest, rel=1e-12)
    assert not LogisticRegression(l1="1max").fit(X, y).coef_.any()
    assert LogisticRegression(l1="0max", l2=0.1).fit(X, y).coef_.all()


def test_share_with_weights() -> None:
    X, y = data.factors_data()
    s, factors = np.arange(40.0), np.array([1, 2, 1, 1, 0, 1, 1, 1.0])
    model = Lasso("1max", penalty_weights=factors, tol=1e-10).fit(X, y, sample_weight=s)
    assert np.flatnonzero(model.coef_).tolist() == [4]
    below = Lasso("0.99max", penalty_weights=factors, tol=1e-10).fit(X, y, sample_weight=s)
    assert np.count_nonzero(below.coef_) == 2


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"l1": -0.1}, r"l1=-0.1 is not a penalty strength. Pass a finite number >= 0, or a string such as"),
        ({"l1": "max0.1"}, "l1='max0.1' is not"),
        ({"l1": "1.2.3max"}, "l1='1.2.3max' is not"),
        ({"l1": None}, "l1=None is not"),
        ({"l2": np.nan}, "l2=nan is not"),
        ({"l2": "0.1max"}, "l2='0.1max' is not"),
        ({"penalty_weights": [1.0, -1.0]}, "weight -1.0"),
        ({"penalty_weights": [1.0]}, "length 1 with 8 features"),
        ({"lower": 1.0, "upper": 0.0}, "no number lies between"),
        ({"penalty": "l1"}, "penalty='l1' is not a Regularizer.* None and use l1 and l2"),
        ({"constraint": 5.0}, "constraint=5.0 is not a Regularizer.* None and use lower and upper"),
        ({"penalty": L1Ball(2.0)}, r"penalty=L1Ball\(radius=2.0, l1=0.0\) is a set. Pass it as constraint"),
        ({"constraint": Ridge(2.0)}, r"constraint=Ridge\(.*\) is not a set. Pass it as penalty"),
        ({"constraint": RelativeEntropy()}, "is not a set. Pass it as penalty"),
        ({"penalty": L1(0.1), "l1": 0.2}, "together with l1=0.2: it holds the whole penalty"),
        ({"penalty": L1(0.1), "l2": 0.2, "penalty_weights": np.ones(8)}, "with l2=0.2, penalty_weights: it"),
        ({"constraint": L2Ball(1.0), "lower": 0.0}, "together with lower=0.0: it holds the whole constraint"),
        (
            {"constraint": L1Ball(1.0, l1=0.1), "l1": 0.2},
            "has a penalty inside, and there is also l1=0.2. Give",
        ),
        ({"constraint": L1Ball(1.0, l1=0.1), "penalty": NoPenalty()}, "there is also penalty=NoPenalty"),
        ({"constraint": L1Ball(1.0), "l2": 0.2}, r"constraint=L1Ball\(.*\) cannot be combined with l2=0.2"),
        (
            {"constraint": L1Ball(1.0), "l1": 0.2, "penalty_weights": np.ones(8)},
            "with l1=0.2, penalty_weights",
        ),
        ({"lower": 0.0, "penalty": GroupL2(0.1)}, "lower=0.0 cannot be combined with penalty=GroupL2"),
        ({"constraint": L1Ball(1.0), "l1": "0.1max"}, "l1='0.1max' cannot be used with constraint=L1Ball"),
        ({"constraint": L2Ball(1.0), "standardize": True}, "standardize=True cannot be used with L2Ball"),
    ],
)
def test_penalties_that_no_fit_can_use(parameters: dict[str, Any], reason: str) -> None:
    X, y = data.factors_data()
    with pytest.raises(InvalidInputError, match=reason):
        Regressor(**parameters).fit(X, y)


def test_an_instance_is_the_whole_penalty() -> None:
    X, y = data.factors_data()
    given = Regressor(penalty=ElasticNet(0.1, 0.2)).fit(X, y)
    np.testing.assert_array_equal(given.coef_, Regressor(l1=0.1, l2=0.2).fit(X, y).coef_)
    assert given.regularizer_ == ElasticNet(0.1, 0.2)


GROUPS = [0, 0, 1, 1, 2, 2, 2, 3]


@pytest.mark.parametrize(
    ("parameters", "whole"),
    [
        ({}, Ridge(1e-4)),
        ({"lower": 0.0}, NonNegative(l2=1e-4)),
        ({"penalty": NoPenalty()}, NoPenalty()),
        ({"constraint": L1Ball(2.0)}, L1Ball(2.0)),
        ({"constraint": L1Ball(2.0), "l1": 0.1}, L1Ball(2.0, l1=0.1)),
        ({"constraint": L1Ball(2.0), "penalty": L1(0.1)}, L1Ball(2.0, l1=0.1)),
        ({"constraint": L1Ball(2.0), "penalty": ElasticNet(0.1, 0.0)}, L1Ball(2.0, l1=0.1)),
        ({"constraint": L1Ball(2.0, l1=0.1)}, L1Ball(2.0, l1=0.1)),
        ({"constraint": SolidSimplex(2.0), "l1": 0.1}, SolidSimplex(2.0, l1=0.1)),
        ({"constraint": L2Ball(2.0), "l2": 0.1}, L2Ball(2.0, l2=0.1)),
        ({"constraint": L2Ball(2.0), "penalty": Ridge(0.1)}, L2Ball(2.0, l2=0.1)),
        ({"constraint": Simplex(), "penalty": NoPenalty()}, Simplex()),
        ({"constraint": NonNegative(), "l1": 0.1, "l2": 0.2}, NonNegative(0.1, 0.2)),
        (
            {"constraint": Box(-1.0, 2.0), "penalty": L1(0.1, np.arange(8.0))},
            Box(-1, 2, 0.1, 0, np.arange(8)),
        ),
        ({"lower": -1.0, "upper": 2.0, "penalty": Ridge(0.1)}, Box(-1.0, 2.0, l2=0.1)),
        (
            {"constraint": GroupL2Ball(2.0, GROUPS), "penalty": GroupL2(0.1, GROUPS)},
            GroupL2Ball(2, GROUPS, 0.1),
        ),
        ({"constraint": GroupL2Ball(2.0), "penalty": GroupL2(0.1)}, GroupL2Ball(2.0, l1=0.1)),
    ],
)
def test_penalty_and_constraint_become_one_function(parameters: dict[str, Any], whole: Regularizer) -> None:
    X, y = data.factors_data()
    model = Regressor(**parameters, tol=1e-3).fit(X, y)
    assert model.regularizer_ == whole
    assert model.status_.solved
    assert whole.value(model.coef_) < np.inf
    again = Regressor(**Penalty.parameters(whole), tol=1e-3)
    assert clone(again).fit(X, y).regularizer_ == whole


@pytest.mark.parametrize(
    ("constraint", "penalty"),
    [
        (GroupL2Ball(2.0, GROUPS), GroupL2(0.1)),
        (GroupL2Ball(2.0, GROUPS), GroupL2(0.1, GROUPS, weights=np.ones(4))),
        (GroupL2Ball(2.0, GROUPS), L1(0.1)),
        (L1Ball(2.0), GroupL2(0.1, GROUPS)),
        (L2Ball(2.0), ElasticNet(0.1, 0.2)),
        (Simplex(), RelativeEntropy()),
        (NuclearBall(2.0), L1(0.1)),
    ],
)
def test_sums_that_no_class_has(constraint: Regularizer, penalty: Regularizer) -> None:
    X, y = data.factors_data()
    with pytest.raises(InvalidInputError, match=r"combined with penalty=.* Leave one of the two out"):
        Regressor(constraint=constraint, penalty=penalty).fit(X, y)


def test_bounds() -> None:
    X, y = data.factors_data()
    upper = np.array([1.0, np.inf, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0])
    model = Regressor(l2=0, lower=-0.25, upper=upper).fit(X, y)
    assert (model.coef_ >= -0.25).all()
    assert (model.coef_ <= upper).all()
    assert model.coef_[0] == 1.0
    assert isinstance(model.regularizer_, Box)
    assert isinstance(Lasso(lower=0).fit(X, y).regularizer_, NonNegative)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("l1", "l2"), [(0.05, 0.0), (0.0, 0.1), (0.02, 0.3)])
def test_standardize_is_the_penalty_on_scaled_columns(fit_intercept: bool, l1: float, l2: float) -> None:
    X, y = data.column_scales_data()
    X = X * 10.0 ** np.array([2, 1, 0, 0, 0, -1, -3, -5]) + 3.0 * fit_intercept
    before = X.copy()
    model = LogisticRegression(l1=l1, l2=l2, standardize=True, fit_intercept=fit_intercept, tol=1e-10).fit(
        X, y
    )
    np.testing.assert_array_equal(X, before)
    scales = X.std(axis=0) if fit_intercept else np.sqrt((X**2).mean(axis=0))
    Z = StandardScaler(with_mean=False).fit(X).transform(X) if fit_intercept else X / scales
    scaled = LogisticRegression(l1=l1, l2=l2, fit_intercept=fit_intercept, tol=1e-10).fit(Z, y)
    np.testing.assert_allclose(model.coef_ * scales, scaled.coef_, atol=1e-5)
    assert isinstance(model.regularizer_, Standardized)
    value = objective(scaled, Z, y, loss="logistic", l1=l1, l2=l2)
    assert model.certificate_.primal == pytest.approx(value, abs=1e-9)
    assert_rule_g(scaled, value, model.certificate_.dual, accuracy=1e-9)


def test_standardize_with_bounds_shares_and_constant_columns() -> None:
    X, y = data.factors_data()
    X = np.column_stack([1000 * X, np.full(40, 7.0)])
    model = Regressor(l1="0.1max", l2=0, lower=0, standardize=True).fit(X, y)
    assert (model.coef_ >= 0).all()
    assert model.coef_[-1] == 0
    largest = np.abs((X - X.mean(axis=0)).T @ y / 40)[:8] / X.std(axis=0)[:8]
    assert model.regularizer_.penalty.l1 == pytest.approx(0.1 * largest.max(), rel=1e-10)
