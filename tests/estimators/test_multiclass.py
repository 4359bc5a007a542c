"""Several classes in one problem: what is fitted, what it leaves behind, and how it is used."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression as Multinomial
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as Liblinear

import cases_estimators as data
from fenchel import Classifier, InvalidInputError, LinearSVC, LogisticRegression, MultilabelClassifier
from fenchel.losses import Hinge, Logistic, MulticlassHinge, Softmax, SquaredHinge
from fenchel.regularizers import L2Ball

NATIVE = [
    ("logistic", Softmax()),
    (Logistic(), Softmax()),
    ("softmax", Softmax()),
    (Softmax(), Softmax()),
    ("hinge", MulticlassHinge()),
    (Hinge(), MulticlassHinge()),
    ("multiclass_hinge", MulticlassHinge()),
]


@pytest.fixture(scope="module")
def three_classes() -> tuple[Any, Any]:
    return data.three_classes_data()


# What is fitted


@pytest.mark.parametrize(("loss", "native"), NATIVE)
@pytest.mark.parametrize("multi_class", ["auto", "native"])
def test_three_classes_are_one_problem(loss: Any, native: Any, multi_class: str, three_classes: Any) -> None:
    X, y = three_classes
    model = Classifier(loss, multi_class=multi_class, l2=0.1, random_state=0).fit(X, y)
    assert model.loss_ == native
    assert model.coef_.shape == (3, 6)
    assert model.intercept_.shape == (3,)
    assert model.intercept_.sum() == pytest.approx(0, abs=1e-15)
    assert model.dual_coef_.shape == (3, 120)
    assert model.certificates_ == [model.certificate_]
    assert model.decision_function(X).shape == (120, 3)
    assert model.predict(X).tolist() == model.decision_function(X).argmax(axis=1).tolist()
    # The dual point is feasible: the rows of V = U + Y lie in the simplex, and no class is preferred.
    V = model.dual_coef_.T + np.eye(3)[y]
    assert V.min() >= -1e-12
    np.testing.assert_allclose(V.sum(axis=1), 1)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared_hinge", "smoothed_hinge", SquaredHinge()])
def test_a_loss_without_native_form_is_fitted_against_the_rest(loss: Any, three_classes: Any) -> None:
    model = Classifier(loss, l2=0.1).fit(*three_classes)
    assert not model.loss_.vector_output
    assert len(model.certificates_) == 3


@pytest.mark.parametrize(("loss", "native"), NATIVE)
def test_two_classes(loss: Any, native: Any, three_classes: Any) -> None:
    """A loss of two classes stays one; a loss of several has coefficients for both, under half the ridge."""
    X, y = three_classes
    y = np.where(y == 1, "one", "rest")
    model = Classifier(loss, l2=0.1, tol=1e-9, random_state=0).fit(X, y)
    several = loss in ("softmax", "multiclass_hinge", Softmax())
    assert model.coef_.shape == (1 + several, 6)
    assert model.decision_function(X).shape == (120,)
    assert (model.predict(X) == np.where(model.decision_function(X) > 0, "rest", "one")).all()
    binary = Classifier(loss if not several else {"softmax": "logistic"}.get(native.name, "hinge"), tol=1e-9)
    binary.set_params(l2=0.05 if several else 0.1, random_state=0).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), binary.decision_function(X), atol=2e-3)
    if native.name == "softmax":
        np.testing.assert_allclose(model.predict_proba(X), binary.predict_proba(X), atol=1e-3)
    assert model.certify(X, y).gap <= model.certificate_.gap + 1e-12


def test_crammer_singer_ignores_the_loss_as_scikit_learn_does(three_classes: Any) -> None:
    X, y = three_classes
    fits = [
        LinearSVC(loss, multi_class="crammer_singer", l2=0.1, random_state=0).fit(X, y)
        for loss in ("hinge", "squared_hinge")
    ]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    assert LinearSVC(multi_class="crammer_singer", l2=0.1).fit(X, y > 0).coef_.shape == (2, 6)
    assert LinearSVC(l2=0.1).fit(X, y).loss_ == SquaredHinge()


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_the_optima_of_scikit_learn(C: float, three_classes: Any) -> None:
    """C times a sum of losses is l2 = 1 / (C n)."""
    X, y = three_classes
    l2 = 1 / (C * 120)
    peer = Multinomial(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    model = LogisticRegression(l2=l2, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    machine = Liblinear(C=C, multi_class="crammer_singer", fit_intercept=False, tol=1e-9, max_iter=10**6)
    machine.fit(X, y)
    mine = LinearSVC(multi_class="crammer_singer", l2=l2, fit_intercept=False, tol=1e-8, random_state=0)
    mine.fit(X, y)
    machine.loss_ = mine.loss_
    assert data.native_objective(machine, X, y, l2=l2) == pytest.approx(mine.certificate_.primal, rel=1e-6)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("parameters", [{}, {"l1": "0.05max"}, {"l1": "0.05max", "standardize": True}])
def test_the_default_settings_reach_the_default_tolerance(load: Any, parameters: dict[str, Any]) -> None:
    """Also on wine, whose columns have scales from a tenth to a thousand; a warning would be an error."""
    X, y = load(return_X_y=True)
    model = LogisticRegression(**parameters).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-6
    assert len(model.trace_) <= 30
    assert model.certify(X, y).relative_gap <= 2e-6


# Penalties


def test_the_largest_useful_l1(three_classes: Any) -> None:
    X, y = three_classes
    for loss in ("logistic", "hinge"):
        model = Classifier(loss, l1="1max", random_state=0).fit(X, y)
        assert not model.coef_.any()
    model = LogisticRegression(l1="0.99max").fit(X, y)
    assert np.count_nonzero(model.coef_) in (1, 2)


@pytest.mark.parametrize("loss", ["softmax", "multiclass_hinge"])
def test_bounds_hold_exactly(loss: str, three_classes: Any) -> None:
    X, y = three_classes
    lower = np.array([0, 0, -np.inf, -0.1, -0.1, -1.0])
    model = Classifier(loss, lower=lower, upper=0.2, l2=0.01, random_state=0).fit(X, y)
    assert (model.coef_ >= lower).all()
    assert (model.coef_ <= 0.2).all()
    assert (model.coef_ == 0.2).any()


def test_softmax_in_a_ball(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(constraint=L2Ball(1.0)).fit(X, y)
    assert model.solver_ == "proximal_gradient"
    assert np.linalg.norm(model.coef_) <= 1.0
    assert np.linalg.norm(model.coef_) == pytest.approx(1.0)
    assert model.certify(X, y).relative_gap <= 2e-6


def test_standardize_is_the_fit_of_scaled_columns(three_classes: Any) -> None:
    X, y = three_classes
    scales = 10.0 ** np.arange(-2, 4)
    model = LogisticRegression(l1="0.1max", standardize=True, tol=1e-10).fit(X * scales, y)
    scaled = LogisticRegression(l1="0.1max", tol=1e-10).fit(X / X.std(axis=0), y)
    np.testing.assert_allclose(model.coef_ * scales * X.std(axis=0), scaled.coef_, atol=1e-4)


# Use


def test_probabilities_are_the_softmax_of_the_scores(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), softmax(model.decision_function(X), axis=1))
    far = model.predict_log_proba(1e4 * X)
    assert np.isfinite(far).all()
    np.testing.assert_allclose(np.exp(far).sum(axis=1), 1)
    assert hasattr(Classifier("softmax"), "predict_proba")
    assert not hasattr(Classifier("multiclass_hinge"), "predict_proba")
    assert not hasattr(LinearSVC(multi_class="crammer_singer"), "predict_proba")


@pytest.mark.parametrize("loss", ["softmax", "multiclass_hinge"])
def test_warm_start_pickle_clone_and_sparsify(loss: str, three_classes: Any) -> None:
    X, y = three_classes
    model = Classifier(loss, l1=0.01, l2=0.01, warm_start=True, random_state=0)
    cold = len(model.fit(X, y).trace_)
    assert len(model.fit(X, y).trace_) == 1 < cold
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    before = model.decision_function(X)
    assert model.sparsify().coef_.shape == (3, 6)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert model.certify(X, y).relative_gap <= 1e-5
    again = clone(model).fit(X, y)
    assert again.certificate_.primal == pytest.approx(model.certificate_.primal, rel=1e-5)


def test_a_warm_start_from_the_other_form(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01, warm_start=True, multi_class="one_vs_rest").fit(X, y)
    model.set_params(multi_class="native").fit(X, y)
    assert model.certificate_.primal == pytest.approx(0.346744011506984, rel=1e-6)
    model.set_params(multi_class="one_vs_rest").fit(X, y)
    assert [item.relative_gap <= 1e-6 for item in model.certificates_] == [True] * 3


def test_certify_takes_the_fitted_form(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01).fit(X, y)
    model.set_params(multi_class="one_vs_rest")
    assert model.certify(X, y).primal == pytest.approx(model.certificate_.primal, rel=1e-12)


def test_pipeline_and_grid_search(three_classes: Any) -> None:
    X, y = three_classes
    names = np.array(["red", "green", "blue"])[y]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    grid = {
        "logisticregression__l2": [1e-3, 1e-2],
        "logisticregression__multi_class": ["native", "one_vs_rest"],
    }
    search = GridSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(X, names)
    assert search.best_score_ > -0.6
    assert set(search.predict(X)) == {"red", "green", "blue"}
    sparse = sp.csr_matrix(X)
    svc = LinearSVC(multi_class="crammer_singer", l2=0.1, random_state=0)
    assert cross_val_score(svc, sparse, names, cv=3).mean() > 0.7


# Labels and weights


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("kind", ["strings", "object", "float", "bool"])
def test_labels_of_every_kind(loss: str, kind: str, three_classes: Any) -> None:
    X, y = three_classes
    plain = Classifier(loss, l2=0.1, random_state=0).fit(X, y)
    names = {
        "strings": np.array(["a", "b", "c"]),
        "object": np.array(["a", "b", "c"], dtype=object),
        "float": np.array([-1.0, 0.5, 2.0]).round(),
        "bool": np.array([False, True, True]),
    }[kind]
    model = Classifier(loss, l2=0.1, random_state=0).fit(X, names[y])
    assert set(model.predict(X).tolist()) == set(names.tolist())
    if kind != "bool":
        np.testing.assert_array_equal(model.coef_, plain.coef_)


@pytest.mark.parametrize(
    "model", [LogisticRegression(l2=0.01), LinearSVC(multi_class="crammer_singer", l2=0.1)]
)
def test_one_class_is_an_error_and_a_class_without_weight_is_not_there(
    model: Any, three_classes: Any
) -> None:
    X, y = three_classes
    four = np.where(np.arange(120) % 10 == 0, 3, y)
    with pytest.raises(ValueError, match="one class only, 3"):
        model.fit(X, four, sample_weight=(four == 3).astype(float))
    model.set_params(tol=1e-10, random_state=0).fit(X, four, sample_weight=(four != 3).astype(float))
    assert model.classes_.tolist() == [0, 1, 2]
    removed = clone(model).fit(X[four != 3], four[four != 3])
    np.testing.assert_allclose(model.coef_, removed.coef_, atol=1e-4)
    again = model.certify(X, four, sample_weight=(four != 3).astype(float))
    assert again.primal == pytest.approx(removed.certificate_.primal, rel=1e-8)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.filterwarnings("ignore::fenchel.ConvergenceWarning")
def test_a_class_weight_of_zero(loss: str, three_classes: Any) -> None:
    """The intercept of that class can fall without end: the best model says so, and stays honest."""
    X, y = three_classes
    model = Classifier(loss, l2=0.1, class_weight={1: 0.0}, max_passes=200, random_state=0).fit(X, y)
    best = Classifier(loss, l2=0.1, random_state=0, tol=1e-9).fit(X[y != 1], y[y != 1])
    assert np.isfinite(model.coef_).all()
    assert model.certificate_.gap >= 0
    # With two classes left each has a coefficient; the binary loss under half the ridge is that problem.
    best.set_params(l2=0.05).fit(X[y != 1], y[y != 1])
    assert model.certificate_.dual <= best.certificate_.primal + 1e-9


def test_class_weights_are_sample_weights(three_classes: Any) -> None:
    X, y = three_classes
    factors = {0: 0.5, 1: 2.0, 2: 3.0}
    model = LinearSVC(multi_class="crammer_singer", l2=0.1, class_weight=factors, tol=1e-9, random_state=0)
    given = clone(model).set_params(class_weight=None)
    given.fit(X, y, sample_weight=np.array([0.5, 2.0, 3.0])[y])
    np.testing.assert_allclose(model.fit(X, y).coef_, given.coef_, atol=1e-12)


def test_a_multilabel_classifier_has_no_use_for_them() -> None:
    with pytest.raises(InvalidInputError, match=r"it is for multiclass, not for classification\. Use"):
        MultilabelClassifier("softmax").fit(np.eye(2), np.eye(2, dtype=int))
