"""Labels of every kind, one class, missing labels, and weights that remove a class."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

import cases_estimators as data
from fenchel import InvalidInputError, LogisticRegression

IS_ZERO = data.three_classes_data()[1] == 0

CODINGS: dict[str, Any] = {
    "list": IS_ZERO.astype(int).tolist(),
    "list of strings": np.where(IS_ZERO, "yes", "no").tolist(),
    "strings": np.where(IS_ZERO, "yes", "no"),
    "bool": IS_ZERO,
    "0 and 1": IS_ZERO.astype(int),
    "-1 and 1": np.where(IS_ZERO, 1, -1),
    "1 and 2": np.where(IS_ZERO, 2, 1),
    "float": np.where(IS_ZERO, 2.0, 1.0),
    "object of strings": np.where(IS_ZERO, "yes", "no").astype(object),
    "object of integers": np.where(IS_ZERO, 2, 1).astype(object),
    "object of bool": IS_ZERO.astype(object),
    "categorical": pd.Series(np.where(IS_ZERO, "yes", "no"), dtype="category"),
    "categorical array": pd.Categorical(np.where(IS_ZERO, 2, 1)),
    "nullable": pd.Series(np.where(IS_ZERO, 2, 1), dtype="Int64"),
    "polars": pl.Series(np.where(IS_ZERO, "yes", "no")),
}


@pytest.mark.parametrize("coding", CODINGS)
def test_codings_of_two_classes(coding: str) -> None:
    X = data.three_classes_data()[0]
    y = CODINGS[coding]
    reference = LogisticRegression(l2=0.01).fit(X, IS_ZERO)
    model = LogisticRegression(l2=0.01).fit(X, y)
    np.testing.assert_array_equal(model.coef_, reference.coef_)
    labels = np.asarray(y)
    assert model.classes_.tolist() == sorted(set(labels.tolist()))
    assert set(model.predict(X).tolist()) <= set(labels.tolist())
    assert model.score(X, labels.tolist()) == reference.score(X, IS_ZERO)


def test_order_of_the_classes() -> None:
    X = data.three_classes_data()[0]
    reference = LogisticRegression(l2=0.01, tol=1e-12).fit(X, IS_ZERO)
    turned = LogisticRegression(l2=0.01, tol=1e-12).fit(X, np.where(IS_ZERO, "a", "b"))
    np.testing.assert_allclose(turned.coef_, -reference.coef_, atol=1e-8)


def test_column_vector() -> None:
    X = data.three_classes_data()[0]
    with pytest.warns(DataConversionWarning):
        model = LogisticRegression(l2=0.01).fit(X, IS_ZERO[:, None])
    assert model.coef_.shape == (1, 6)


@pytest.mark.parametrize("label", ["spam", 3, 1.0, True])
def test_one_class_is_named(label: Any) -> None:
    X = data.three_classes_data()[0]
    with pytest.raises(ValueError, match=f"one class only, {label!r}"):
        LogisticRegression().fit(X, [label] * 120)


def test_weights_that_leave_one_class() -> None:
    X, y = data.three_classes_data()
    with pytest.raises(ValueError, match="one class only, 2"):
        LogisticRegression().fit(X, y, sample_weight=(y == 2).astype(float))


def test_class_without_weight_is_not_there() -> None:
    X, y = data.three_classes_data()
    model = LogisticRegression(l2=0.01, tol=1e-12)
    weighted = clone(model).fit(X, y, sample_weight=(y != 1).astype(float))
    removed = clone(model).fit(X[y != 1], y[y != 1])
    assert weighted.classes_.tolist() == [0, 2]
    np.testing.assert_allclose(weighted.coef_, removed.coef_, atol=1e-6)


@pytest.mark.parametrize(
    "missing",
    [
        np.where(IS_ZERO, 1.0, np.nan),
        np.where(IS_ZERO, 1.0, np.inf),
        np.where(IS_ZERO, "yes", None),
        pd.Series(np.where(IS_ZERO, "yes", None), dtype="category"),
        pd.Series(np.where(IS_ZERO, "yes", None), dtype="string"),
    ],
)
def test_missing_labels(missing: Any) -> None:
    X = data.three_classes_data()[0]
    with pytest.raises(InvalidInputError, match=r"y has .* at row \d+: a fit needs a label for every sample"):
        LogisticRegression().fit(X, missing)


def test_labels_of_mixed_types() -> None:
    X = data.three_classes_data()[0]
    with pytest.raises(InvalidInputError, match="y mixes"):
        LogisticRegression().fit(X, np.array([1 if zero else "no" for zero in IS_ZERO], dtype=object))


def test_continuous_targets() -> None:
    X = data.three_classes_data()[0]
    with pytest.raises(ValueError, match="Unknown label type"):
        LogisticRegression().fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("weight", "reason"),
    [(-1.0, "negative weight"), (np.nan, "NaN"), (np.inf, "inf"), (0.0, "zero for all samples")],
)
def test_weights_that_no_fit_can_use(weight: float, reason: str) -> None:
    X = data.three_classes_data()[0]
    with pytest.raises(InvalidInputError, match=reason):
        LogisticRegression().fit(X, IS_ZERO, sample_weight=np.full(120, weight))


@pytest.mark.parametrize("class_weight", ["even", 3, {"unknown": 2.0}])
def test_class_weights_that_no_fit_can_use(class_weight: Any) -> None:
    X = data.three_classes_data()[0]
    with pytest.raises(ValueError, match="class"):
        LogisticRegression(class_weight=class_weight).fit(X, IS_ZERO)
