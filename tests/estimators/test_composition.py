"""The estimators inside the tools of scikit-learn."""

from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cases_estimators as data
from fenchel import Lasso, LinearSVC, LogisticRegression, Regressor


def test_grid_search_over_numpy_grids() -> None:
    X, y = data.three_classes_data()
    grid = {"l2": np.logspace(-3, 0, 3), "max_passes": np.arange(200, 202), "l1": [0.0, "0.1max"]}
    search = GridSearchCV(LogisticRegression(), grid, cv=3, scoring="neg_log_loss").fit(X, y)
    assert search.best_score_ > -0.7
    assert search.best_estimator_.status_.solved


def test_pipeline_on_text() -> None:
    texts = ["good film", "great film", "bad film", "awful film"] * 3
    model = make_pipeline(CountVectorizer(), LinearSVC(l2=0.01)).fit(texts, ["+", "+", "-", "-"] * 3)
    assert model.predict(["a great, good thing", "awful"]).tolist() == ["+", "-"]


def test_pipeline_with_scaler_and_weights() -> None:
    X, y = data.column_scales_data()
    model = make_pipeline(StandardScaler(), LogisticRegression(l2=0.01))
    model.fit(X, y, logisticregression__sample_weight=np.ones(300))
    assert model.score(X, y) > 0.7


def test_selection_by_coefficients() -> None:
    X, y = data.factors_data()
    chosen = SelectFromModel(Lasso("0.2max"), threshold=1e-10).fit(X, y)
    assert chosen.get_support()[[0, 1, 4]].all()


def test_cross_validated_predictions() -> None:
    X, y = data.three_classes_data()
    assert cross_val_predict(LogisticRegression(l2=0.01), X, y, method="predict_proba").shape == (120, 3)
    assert cross_val_score(Regressor(), X, X @ np.arange(6.0)).min() > 0.99
    assert MultiOutputRegressor(Regressor("huber")).fit(X, X[:, :2]).predict(X).shape == (120, 2)


RARE = np.array([1] * 5 + [2] * 4 + [3])


def _rare_data() -> Any:
    return np.random.default_rng(0).standard_normal((10, 3)) + RARE[:, None]


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "f1_macro"])
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_class_missing_in_a_fold(scoring: str) -> None:
    """A model knows the classes that it was shown: rows of another count as errors."""
    results = cross_validate(
        LogisticRegression(l2=0.1), _rare_data(), RARE, cv=5, scoring=scoring, return_estimator=True
    )
    assert np.isfinite(results["test_score"]).all()
    assert sorted(len(model.classes_) for model in results["estimator"]) == [2, 3, 3, 3, 3]


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr"])
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_class_missing_in_a_fold_and_probabilities(scoring: str) -> None:
    """The scorers that compare columns with classes refuse the fold, in words."""
    with pytest.raises(ValueError, match=r"class|label"):
        cross_validate(
            LogisticRegression(l2=0.1), _rare_data(), RARE, cv=5, scoring=scoring, error_score="raise"
        )


def test_one_class_in_a_fold_names_it() -> None:
    X, y = _rare_data(), np.repeat([0, 1], 5)
    with pytest.raises(ValueError, match="one class only"):
        cross_validate(LogisticRegression(), X, y, cv=KFold(2), error_score="raise")
