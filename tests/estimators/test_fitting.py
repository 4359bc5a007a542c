"""How a fit ends, what it leaves behind, and how it starts again."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import cases_estimators as data
from fenchel import (
    Classifier,
    ConvergenceWarning,
    InvalidInputError,
    Lasso,
    LinearSVC,
    LogisticRegression,
    MulticlassSDCA,
    Regressor,
    Status,
    UnsupportedProblemError,
)
from fenchel.losses import Hinge, Huber, MultiSquared
from fenchel.regularizers import L2Ball


@pytest.fixture(scope="module")
def three_classes() -> tuple[Any, Any]:
    return data.three_classes_data()


def test_attributes_of_a_classifier(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01, multi_class="one_vs_rest").fit(X, y)
    assert model.coef_.shape == (3, 6)
    assert model.intercept_.shape == (3,)
    assert model.dual_coef_.shape == (3, 120)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_features_in_ == 6
    assert isinstance(model.n_iter_, int)
    assert model.n_iter_ >= 1
    assert model.solver_ == "prox_newton"
    assert model.message_.startswith(Status.SOLVED.value)
    assert len(model.certificates_) == 3
    assert model.certificate_.gap == pytest.approx(sum(item.gap for item in model.certificates_), abs=1e-15)
    assert model.trace_[-1].passes >= 0


def test_one_against_rest_is_three_binary_fits(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01, multi_class="one_vs_rest").fit(X, y)
    for k in range(3):
        binary = LogisticRegression(l2=0.01).fit(X, y == k)
        np.testing.assert_array_equal(model.coef_[k], binary.coef_[0])
        target = np.where(y == k, 1.0, -1.0)
        value = data.objective(binary, X, target, loss="logistic", l2=0.01)
        data.assert_rule_g(binary, value, value - binary.certificate_.gap / 2)


def test_attributes_of_a_regressor() -> None:
    X, y = data.factors_data()
    model = Regressor().fit(X, y)
    assert model.coef_.shape == (8,)
    assert np.shape(model.intercept_) == ()
    assert model.dual_coef_.shape == (40,)
    assert model.certificates_ == [model.certificate_]


@pytest.mark.parametrize("loss", ["squared", "multi_squared", MultiSquared()])
def test_several_outputs(loss: Any) -> None:
    X, y = data.factors_data()
    Y = np.column_stack([y, -2 * y, X[:, 0]])
    model = Regressor(loss, l2=0.1, tol=1e-10).fit(X, Y)
    assert model.coef_.shape == (3, 8)
    assert model.intercept_.shape == (3,)
    assert model.dual_coef_.shape == (3, 40)
    single = Regressor(l2=0.1, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], single.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict(X)[:, 0], single.predict(X), atol=1e-3)
    assert model.certify(X, Y).relative_gap <= 1e-9


def test_several_outputs_in_one_ball() -> None:
    X, y = data.factors_data()
    Y = np.column_stack([y, -2 * y])
    model = Regressor(constraint=L2Ball(1.0)).fit(X, Y)
    assert np.linalg.norm(model.coef_) <= 1.0 + 1e-15
    assert np.linalg.norm(model.coef_) == pytest.approx(1.0)
    assert model.solver_ == "proximal_gradient"


def test_several_outputs_need_the_squared_loss() -> None:
    X, y = data.factors_data()
    with pytest.raises(InvalidInputError, match="has one output"):
        Regressor("huber").fit(X, np.column_stack([y, y]))


@pytest.mark.parametrize("problem", ["binary", "classes", "one a class", "hinge", "outputs"])
def test_certify_recomputes_the_certificate(problem: str, three_classes: Any) -> None:
    X, y = three_classes
    s = data.repetition_weights()
    model: Any = LogisticRegression(l2=0.01, class_weight="balanced")
    if problem == "binary":
        y = np.where(y == 0, "zero", "rest")
    elif problem == "one a class":
        model.set_params(multi_class="one_vs_rest")
    elif problem == "hinge":
        model = LinearSVC(multi_class="crammer_singer", l2=0.01, class_weight="balanced")
    elif problem == "outputs":
        model, y = Regressor(l2=0.01), np.column_stack([X[:, 0] ** 2, X[:, 1]])
    model.fit(X, y, sample_weight=s)
    again = model.certify(X, y, sample_weight=s)
    assert again.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert again.gap <= model.certificate_.gap + 1e-12
    model.coef_ = model.coef_ + 0.1
    worse = model.certify(X, y, sample_weight=s)
    assert worse.primal > again.primal
    assert worse.gap >= worse.primal - again.primal - 1e-12


def test_certify_on_other_data(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01).fit(X[:80], y[:80])
    there = model.certify(X[80:], y[80:])
    best = LogisticRegression(l2=0.01).fit(X[80:], y[80:])
    assert there.primal - best.certificate_.primal <= there.gap + 1e-9
    with pytest.raises(InvalidInputError, match="labels that the model does not know"):
        model.certify(X, y + 1)


def _caught(model: Any, X: Any, y: Any) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    (only,) = caught
    assert only.category is ConvergenceWarning
    assert only.filename == __file__
    return str(only.message)


def _one_vs_rest(**parameters: Any) -> LogisticRegression:
    """Three problems, with a solver that needs several passes for each."""
    return LogisticRegression(l2=0.01, solver="sdca", multi_class="one_vs_rest", **parameters)


def test_one_warning_whatever_the_number_of_problems(three_classes: Any) -> None:
    X, y = three_classes
    model = _one_vs_rest(tol=0.0, max_passes=3)
    message = _caught(model, X, y)
    gap = max(item.relative_gap for item in model.certificates_)
    assert model.status_ is Status.MAX_PASSES
    assert "the limit on passes was reached in 3 of 3 problems" in message
    assert f"The relative gap is {gap:.2e} after" in message
    assert "tol=0 was asked for" in message
    assert "Raise max_passes (now 3)" in message


def test_callback_ends_all_problems(three_classes: Any) -> None:
    X, y = three_classes
    seen: list[float] = []

    def stop(progress: Any) -> bool:
        seen.append(progress.passes)
        return len(seen) == 2

    model = _one_vs_rest(callback=stop)
    assert "callback" in _caught(model, X, y)
    assert model.status_ is Status.CALLBACK
    assert len(seen) == 2
    assert model.predict(X).shape == (120,)


def test_interruption_keeps_the_best_model(three_classes: Any) -> None:
    X, y = three_classes
    calls: list[float] = []

    def interrupt(progress: Any) -> None:
        calls.append(progress.certificate.primal)
        if len(calls) == 3:
            raise KeyboardInterrupt

    model = _one_vs_rest(callback=interrupt)
    assert "Set warm_start=True" in _caught(model, X, y)
    assert model.status_ is Status.INTERRUPTED
    # The problems go in lockstep: each of them was called back once.
    assert all(item.primal <= call for item, call in zip(model.certificates_, calls, strict=True))
    assert model.certify(X, y).gap <= model.certificate_.gap + 1e-12


def test_time_limit_is_shared_by_the_problems(three_classes: Any) -> None:
    X, y = three_classes
    model = _one_vs_rest(tol=0.0, time_limit=0.0, max_passes=10**9)
    assert "Raise time_limit (now 0 s)" in _caught(model, X, y)
    assert model.status_ is Status.TIME_LIMIT
    assert all(np.isfinite(item.gap) for item in model.certificates_)


def test_warm_start_goes_on(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01, tol=1e-8, warm_start=True)
    cold = model.fit(X, y).n_iter_
    again = model.fit(X, y)
    assert again.n_iter_ == 1 <= cold
    assert again.trace_[0].certificate.relative_gap <= 1e-8
    model.sparsify().fit(X, y)
    assert model.n_iter_ == 1
    assert model.fit(X[:, :4], y).coef_.shape == (3, 4)
    assert model.fit(X[:, :4], y == 1).coef_.shape == (1, 4)
    assert model.set_params(fit_intercept=False).fit(X[:90, :4], y[:90] == 1).intercept_ == 0


@pytest.mark.parametrize("make", [int, np.random.default_rng, np.random.RandomState])
def test_same_random_state_same_model(make: Any, three_classes: Any) -> None:
    X, y = three_classes
    fits = [
        LinearSVC("hinge", l2=0.1, tol=1e-3, fit_intercept=False, random_state=make(3)).fit(X, y)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(fits[0].coef_, fits[1].coef_)
    other = LinearSVC("hinge", l2=0.1, tol=1e-3, fit_intercept=False, random_state=make(4)).fit(X, y)
    assert not np.array_equal(other.coef_, fits[0].coef_)


def test_progress_bar_on_stderr(three_classes: Any, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = three_classes
    silent = LogisticRegression(l2=0.01, multi_class="one_vs_rest").fit(X, y)
    assert capsys.readouterr() == ("", "")
    shown = LogisticRegression(l2=0.01, multi_class="one_vs_rest", verbose=1).fit(X, y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "3 of 3" in err
    assert "passes  gap" in err
    np.testing.assert_array_equal(shown.coef_, silent.coef_)


def test_sparsify_and_densify(three_classes: Any) -> None:
    X, y = three_classes
    for model, target in ((LogisticRegression(l1="0.5max"), y), (Lasso("0.5max"), X[:, 0])):
        dense = model.fit(X, target).coef_
        before = model.predict(X)
        assert model.sparsify().coef_.nnz == np.count_nonzero(dense)
        np.testing.assert_array_equal(model.predict(X), before)
        assert model.certify(X, target).relative_gap <= 1e-5
        np.testing.assert_array_equal(model.densify().coef_, dense)


def test_pickle_and_clone(three_classes: Any) -> None:
    X, y = three_classes
    model = Classifier(Hinge(), l2=0.1, tol=1e-3, solver=MulticlassSDCA(), random_state=0)
    model.fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    assert loaded.certificate_.gap == model.certificate_.gap
    assert loaded.status_ is model.status_
    np.testing.assert_array_equal(clone(model).fit(X, y).coef_, model.coef_)


def test_probabilities(three_classes: Any) -> None:
    X, y = three_classes
    model = LogisticRegression(l2=0.01, multi_class="one_vs_rest").fit(X, y)
    single = 1 / (1 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X), single / single.sum(axis=1, keepdims=True))
    far = model.predict_log_proba(-1e4 * X)
    assert np.isfinite(far).all()
    np.testing.assert_allclose(np.exp(far).sum(axis=1), 1)
    assert not hasattr(LinearSVC(), "predict_proba")
    assert not hasattr(Classifier("hinge"), "predict_proba")


def test_losses_with_parameters() -> None:
    X, y = data.factors_data()
    named = Regressor("huber", loss_parameters={"threshold": 0.5}).fit(X, y)
    np.testing.assert_array_equal(named.coef_, Regressor(Huber(0.5)).fit(X, y).coef_)
    with pytest.raises(InvalidInputError, match="'width'"):
        Regressor("huber", loss_parameters={"width": 0.5}).fit(X, y)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Classifier("squared"), "it is for regression, not for classification. Use Regressor"),
        (Regressor("hinge"), "it is for classification, not for regression. Use Classifier"),
        (Classifier("perceptron"), "nor a known name"),
        (Regressor("softmax"), "it is for multiclass, not for regression. Use Classifier"),
        (Classifier(multi_class="ovr"), "multi_class='ovr' is unknown"),
        (Classifier("softmax", multi_class="one_vs_rest"), "'softmax', which is one of all classes at once"),
        (Classifier("squared_hinge", multi_class="native"), "3 classes: it has no form for all classes"),
        (LinearSVC(multi_class="native"), "it has 'ovr' and 'crammer_singer'"),
        (LinearSVC("logistic"), "LinearSVC cannot use loss='logistic'"),
        (Classifier(solver="newton"), "solver='newton' is unknown"),
        (Classifier(tol=-1.0), "tol=-1.0"),
        (Classifier(max_passes=None), "max_passes=None"),
    ],
)
def test_parameters_that_no_fit_can_use(model: Any, reason: str, three_classes: Any) -> None:
    with pytest.raises(InvalidInputError, match=reason):
        model.fit(*three_classes)


def test_solver_that_cannot_serve_the_problem(three_classes: Any) -> None:
    with pytest.raises(UnsupportedProblemError, match="Use solver='sdca'"):
        LinearSVC("hinge", solver="primal_cd").fit(*three_classes)
