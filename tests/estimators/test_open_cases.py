"""Small inputs from users' threads, on which solvers have failed, with independent optimal values."""

import warnings
from typing import Any

import numpy as np
import pytest

import cases_estimators as data
from cases_estimators import assert_rule_g, native_objective, objective
from fenchel import (
    Classifier,
    ConvergenceWarning,
    ElasticNet,
    Lasso,
    LinearSVC,
    LogisticRegression,
    Problem,
    Regressor,
    Status,
    UnsupportedProblemError,
    as_design,
)
from fenchel.losses import Logistic
from fenchel.regularizers import L1, L1Ball


def test_strong_penalty_leaves_the_intercept_free() -> None:
    X, y = data.strong_penalty_data()
    model = LogisticRegression(l2=1e6).fit(X, y)
    assert model.intercept_[0] == pytest.approx(0.8472978604, abs=1e-6)
    assert np.abs(model.coef_).max() < 1.5e-7
    assert_rule_g(model, objective(model, X, y, loss="logistic", l2=1e6), 0.6108642950)


def test_largest_useful_l1() -> None:
    X, y = data.largest_l1_data()
    largest = Problem(as_design(X), y, Logistic(), L1(1.0), fit_intercept=True).zero_solution_strength()
    assert largest == pytest.approx(0.13553741591335, abs=1e-13)
    for l1 in (largest, 2 * largest, "1max"):
        model = LogisticRegression(l1=l1, l2=0).fit(X, y)
        assert not model.coef_.any()
        assert model.intercept_[0] == pytest.approx(-1.0986122887, abs=1e-9)


@pytest.mark.parametrize(
    ("share", "support", "p_star"),
    [(0.99, [13], 0.5623281703692798), (0.5, [0, 13], 0.5447175554513398)],
)
def test_below_the_largest_l1(share: float, support: list[int], p_star: float) -> None:
    X, y = data.largest_l1_data()
    l1 = share * 0.13553741591335
    model = LogisticRegression(l1=f"{share}max", l2=0).fit(X, y)
    assert np.flatnonzero(model.coef_).tolist() == support
    assert_rule_g(model, objective(model, X, y, loss="logistic", l1=l1), p_star)
    if share == 0.99:
        precise = LogisticRegression(l1=l1, l2=0, tol=1e-12).fit(X, y)
        assert precise.coef_[0, 13] == pytest.approx(-0.0102900, abs=5e-8)
        assert precise.intercept_[0] == pytest.approx(-1.0968994, abs=5e-8)


def test_three_points_for_every_seed() -> None:
    X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([-1.0, 0.0, 1.0])
    best = (2 / 3 - 0.15) / (2 / 3 + 0.35)
    for seed in range(100):
        for solver in ("auto", "sdca"):
            model = ElasticNet(0.15, 0.35, fit_intercept=False, random_state=seed, solver=solver, tol=1e-12)
            assert model.fit(X, y).coef_[0] == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize(("dtype", "accuracy"), [(np.float64, 1e-9), (np.float32, 1e-5)])
def test_columns_far_from_zero(dtype: Any, accuracy: float) -> None:
    X, y = data.offset_columns_data()
    X = X.astype(dtype)
    model = LogisticRegression(l1=0.01, l2=0).fit(X, y)
    value = objective(model, X, y, loss="logistic", l1=0.01)
    assert_rule_g(model, value, 0.6726969227877, accuracy=accuracy)
    assert value == pytest.approx(0.6726969227877, abs=max(1e-6, accuracy))
    if dtype is np.float64:
        model.set_params(tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.coef_[0], [-0.2360813, -0.2145944], atol=1e-5)
        assert model.intercept_[0] == pytest.approx(45.3185811, abs=1e-3)


def test_column_scales_from_a_thousandth_to_a_million() -> None:
    X, y = data.column_scales_data()
    model = LogisticRegression(l2=1 / 300).fit(X, y)
    assert_rule_g(model, objective(model, X, y, loss="logistic", l2=1 / 300), 0.5322476547775)
    w = [0.0487041, -0.4328330, 1.8217189, 0.0290189, 0.1238253, -0.00365618, 7.24040e-05, 1.59591e-08]
    np.testing.assert_allclose(model.set_params(tol=1e-12).fit(X, y).coef_[0], w, rtol=1e-4)
    assert model.intercept_[0] == pytest.approx(-0.2441398, abs=1e-6)


def _honestly(model: Any, X: Any, y: Any) -> Any:
    """Fit; a fit that did not reach its tolerance must have said so, once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert [item.category for item in caught] == ([] if model.status_.solved else [ConvergenceWarning])
    return model


@pytest.mark.parametrize(("l2", "p_star"), [(0.1, 0.477578572018), (1e-6, 0.202387011226)])
def test_hinge_with_a_very_weak_penalty(l2: float, p_star: float) -> None:
    X, y = data.weak_penalty_data()
    values = []
    for passes in (10, 100, 1000):
        model = LinearSVC("hinge", l2=l2, fit_intercept=False, max_passes=passes, random_state=0)
        _honestly(model, X, y)
        values.append(objective(model, X, y, loss="hinge", l2=l2))
        assert_rule_g(model, values[-1], p_star)
    assert values == sorted(values, reverse=True)


def test_rare_class_is_not_given_up() -> None:
    X, y = data.rare_class_data()
    model = _honestly(LinearSVC("hinge", l2=1 / 200, random_state=0), X, y)
    value = objective(model, X, y, loss="hinge", l2=1 / 200)
    assert_rule_g(model, value, 0.1890555912898)
    assert value < 0.1892  # a penalised intercept gives 0.2, and no row predicted +1
    assert (model.predict(X) == 1).sum() == 9


_SOFTMAX_OPTIMUM = 0.346744011506984


@pytest.mark.parametrize("model", [LogisticRegression(l2=0.01), Classifier("softmax", l2=0.01)])
def test_softmax_with_l2(model: Any) -> None:
    X, y = data.three_classes_data()
    model.fit(X, y)
    assert_rule_g(model, native_objective(model, X, y, l2=0.01), _SOFTMAX_OPTIMUM)
    model.set_params(tol=1e-13).fit(X, y)
    offsets = model.intercept_ - model.intercept_.mean()
    np.testing.assert_allclose(offsets, [0.1824984, -0.2019790, 0.0194806], atol=1e-7)


def test_softmax_with_l1() -> None:
    X, y = data.three_classes_data()
    model = LogisticRegression(l1=0.02).fit(X, y)
    assert_rule_g(model, native_objective(model, X, y, l1=0.02), 0.517821371869)
    assert np.count_nonzero(model.coef_) == 12


def test_a_solver_without_softmax_refuses() -> None:
    with pytest.raises(UnsupportedProblemError, match="'softmax' is not one"):
        LogisticRegression(solver="sdca").fit(*data.three_classes_data())


@pytest.mark.parametrize(
    "model",
    [Classifier("hinge"), Classifier("multiclass_hinge"), LinearSVC(multi_class="crammer_singer")],
)
@pytest.mark.parametrize(
    ("penalty", "p_star", "nonzeros"),
    [({"l1": 0.0, "l2": 0.01}, 0.25083605042, 18), ({"l1": 0.02, "l2": 0.0}, 0.39722067112, 11)],
)
def test_multiclass_hinge(model: Any, penalty: dict[str, float], p_star: float, nonzeros: int) -> None:
    X, y = data.three_classes_data()
    # A warning would be an error here.
    model.set_params(fit_intercept=False, random_state=0, **penalty).fit(X, y)
    assert_rule_g(model, native_objective(model, X, y, **penalty), p_star)
    assert np.count_nonzero(model.coef_) == nonzeros
    assert model.status_.solved
    assert isinstance(model.n_iter_, int)


@pytest.mark.parametrize(
    ("model", "p_star"),
    [
        (LogisticRegression(l2=0.01), 0.3384820314503),
        (Classifier("hinge", l2=0.01, fit_intercept=False, random_state=0), 0.2141307413),
    ],
)
def test_weights_are_repetitions_of_several_classes(model: Any, p_star: float) -> None:
    X, y = data.three_classes_data()
    s = data.repetition_weights()
    model.set_params(tol=1e-12)
    weighted = model.fit(X, y, sample_weight=s).coef_
    assert_rule_g(model, native_objective(model, X, y, l2=0.01, sample_weight=s), p_star)
    assert model.certificate_.primal == pytest.approx(p_star, abs=1e-10)
    halved = model.fit(X, y, sample_weight=0.5 * s).coef_
    assert model.certificate_.primal == pytest.approx(p_star, abs=1e-10)
    repeated = model.fit(np.repeat(X, s, axis=0), np.repeat(y, s)).coef_
    assert model.certificate_.primal == pytest.approx(p_star, abs=1e-10)
    np.testing.assert_allclose(weighted, repeated, atol=2e-6)
    np.testing.assert_allclose(weighted, halved, atol=2e-6)


def test_balanced_weights_of_several_classes() -> None:
    X, y = data.three_classes_data()
    model = LogisticRegression(l2=0.01, tol=1e-12)
    given = model.fit(X, y, sample_weight=120 / (3 * np.array([42, 35, 43])[y])).coef_
    for balanced in ("balanced", {0: 120 / 126, 1: 120 / 105, 2: 120 / 129}):
        model.set_params(class_weight=balanced).fit(X, y)
        assert model.certificate_.primal == pytest.approx(0.3478446881398, abs=1e-12)
        np.testing.assert_allclose(model.coef_, given, atol=1e-6)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_are_repetitions(loss: str, fit_intercept: bool) -> None:
    X, y = data.three_classes_data()
    y, s = np.where(y == 0, 1.0, -1.0), data.repetition_weights()
    model = Classifier(loss, l2=0.01, tol=1e-12, fit_intercept=fit_intercept)
    weighted = model.fit(X, y, sample_weight=s).coef_
    halved = model.fit(X, y, sample_weight=0.5 * s).coef_
    repeated = model.fit(np.repeat(X, s, axis=0), np.repeat(y, s)).coef_
    np.testing.assert_allclose(weighted, repeated, atol=1e-6)
    np.testing.assert_allclose(halved, weighted, atol=1e-12)


def test_balanced_weights_are_sample_weights() -> None:
    X, y = data.three_classes_data()
    y = np.where(y == 0, 1.0, -1.0)
    numbers = np.where(y > 0, 120 / (2 * 42), 120 / (2 * 78))
    model = LogisticRegression(l2=0.01, tol=1e-12)
    given = model.fit(X, y, sample_weight=numbers).coef_
    balanced = model.set_params(class_weight="balanced").fit(X, y).coef_
    mapped = model.set_params(class_weight={1.0: 120 / 84, -1.0: 120 / 156}).fit(X, y).coef_
    np.testing.assert_allclose(balanced, given, atol=1e-12)
    np.testing.assert_allclose(mapped, given, atol=1e-12)


@pytest.mark.parametrize(("offset", "lower"), [(1.0, 0.0), (0.0, None)])
def test_nothing_to_learn(offset: float, lower: float | None) -> None:
    X = np.random.RandomState(15).rand(6, 9)
    model = Regressor(l1=0.1, l2=0, lower=lower, fit_intercept=offset > 0).fit(X, np.full(6, offset))
    assert not model.coef_.any()
    assert model.intercept_ == offset
    assert model.certificate_.primal == model.certificate_.gap == model.certificate_.relative_gap == 0
    assert model.n_iter_ <= 3


def test_no_penalty_on_chosen_features() -> None:
    X, y = data.factors_data()
    factors = np.array([0, 1, 1, 0, 1, 1, 2, 1.0])
    model = Lasso(0.3, penalty_weights=factors, fit_intercept=False).fit(X, y)
    value = objective(model, X, y, loss="squared", l1=0.3, factors=factors)
    assert_rule_g(model, value, 0.5284961180774)
    model.set_params(tol=1e-12).fit(X, y)
    w = [1.9383172, -0.6964033, 0, 0.0492023, 0.5711919, 0, 0, 0]
    np.testing.assert_allclose(model.coef_, w, atol=1e-6)
    free = Lasso(0.3, penalty_weights=0 * factors, fit_intercept=False).fit(X, y)
    assert_rule_g(free, objective(free, X, y, loss="squared"), 0.0480802927216)


def test_coefficients_that_are_not_negative() -> None:
    X, y = data.constrained_data()
    model = LogisticRegression(l1=0.01, l2=0, lower=0, tol=1e-10).fit(X, y)
    assert (model.coef_ >= 0).all()
    value = objective(model, X, y, loss="logistic", l1=0.01)
    assert_rule_g(model, value, 0.571127369348)
    np.testing.assert_allclose(model.coef_[0], [0.2305111, 0, 0, 0.0550344, 1.0737638, 0], atol=1e-6)
    assert model.intercept_[0] == pytest.approx(-0.1746697, abs=1e-6)


def test_coefficients_in_a_box() -> None:
    X, y = data.constrained_data()
    model = LogisticRegression(l2=0, lower=-0.5, upper=0.5).fit(X, y)
    assert (np.abs(model.coef_) <= 0.5).all()
    assert_rule_g(model, objective(model, X, y, loss="logistic"), 0.452939346455)


def test_coefficients_in_an_l1_ball() -> None:
    X, y = data.constrained_data()
    model = LogisticRegression(constraint=L1Ball(1.0)).fit(X, y)
    assert np.abs(model.coef_).sum() <= 1.0
    assert_rule_g(model, objective(model, X, y, loss="logistic"), 0.522561075786)
    model.set_params(tol=1e-12, max_passes=10**5).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], [0, -0.2736829, 0, 0, 0.4822829, -0.2440342], atol=1e-6)


_BINARY_OPTIMUM = 0.27996024301297
"""The class 0 of three against the rest, logistic, l2 0.01: Newton's method to the last digit."""


def test_stopped_early() -> None:
    X, y = data.three_classes_data()
    y = np.where(y == 0, 1.0, -1.0)
    gaps = []
    for passes in (1, 2, 5, 10):
        model = LogisticRegression(l2=0.01, tol=0, max_passes=passes)
        _honestly(model, X, y)
        assert model.status_ is Status.MAX_PASSES
        assert "stopped early" in model.message_
        assert_rule_g(model, objective(model, X, y, loss="logistic", l2=0.01), _BINARY_OPTIMUM)
        gaps.append(model.certificate_.gap)
    assert gaps == sorted(gaps, reverse=True)


def test_optimum_of_the_stopped_early_case() -> None:
    X, y = data.three_classes_data()
    y = np.where(y == 0, 1.0, -1.0)
    A, w = np.column_stack([X, np.ones(120)]), np.zeros(7)
    ridge = 0.01 * np.diag([1.0] * 6 + [0.0])
    for _ in range(30):
        p = 1 / (1 + np.exp(y * (A @ w)))
        hessian = A.T @ ((p * (1 - p))[:, None] * A) / 120 + ridge
        w -= np.linalg.solve(hessian, -A.T @ (y * p) / 120 + ridge @ w)
    value = np.logaddexp(0, -y * (A @ w)).mean() + 0.005 * w[:6] @ w[:6]
    assert value == pytest.approx(_BINARY_OPTIMUM, abs=1e-13)


@pytest.mark.parametrize("seconds", [0.001, 0.05])
def test_time_budget_is_kept(seconds: float) -> None:
    X, y = data.three_classes_data()
    y = np.where(y == 0, 1.0, -1.0)
    # SDCA at a gap that it cannot prove runs until the budget ends it.
    model = LogisticRegression(l2=0.01, tol=0, time_limit=seconds, max_passes=10**9, solver="sdca")
    _honestly(model, X, y)
    assert model.status_ in (Status.TIME_LIMIT, Status.SOLVED)
    # No work is begun after the budget: only the last certificate may come later.
    assert all(record.seconds < seconds for record in model.trace_[:-1])
    assert_rule_g(model, objective(model, X, y, loss="logistic", l2=0.01), _BINARY_OPTIMUM)


@pytest.mark.parametrize("limit", ["max_passes", "time_limit"])
def test_stopped_early_with_several_classes(limit: str) -> None:
    X, y = data.three_classes_data()
    gaps = []
    for budget in (1, 2, 5, 10) if limit == "max_passes" else (0.001, 0.05):
        model = LogisticRegression(l2=0.01, tol=0, random_state=0, **{limit: budget})
        _honestly(model, X, y)
        assert "stopped early" in model.message_ or (limit == "time_limit" and model.status_.solved)
        assert model.predict(X).shape == (120,)
        assert_rule_g(model, native_objective(model, X, y, l2=0.01), _SOFTMAX_OPTIMUM)
        assert all(record.seconds < budget for record in model.trace_[:-1]) or limit == "max_passes"
        gaps.append(model.certificate_.gap)
    if limit == "max_passes":
        assert gaps == sorted(gaps, reverse=True)


def test_no_l1_at_all_is_ridge() -> None:
    X, y = data.factors_data()
    model = ElasticNet(l1=0.0, l2=0.37, tol=1e-11, fit_intercept=False).fit(X, y)
    exact = np.linalg.solve(X.T @ X / 40 + 0.37 * np.eye(8), X.T @ y / 40)
    assert exact[0] == pytest.approx(1.4643760872, abs=1e-9)
    np.testing.assert_allclose(model.coef_, exact, atol=1e-6)
    assert model.certificate_.gap < 1e-10
    assert_rule_g(model, objective(model, X, y, loss="squared", l2=0.37), 0.8211540312784)
    nearly_free = ElasticNet(l1=0.0, l2=1e-12, fit_intercept=False).fit(X, y)
    assert_rule_g(nearly_free, objective(nearly_free, X, y, loss="squared", l2=1e-12), 0.0480802927216)


@pytest.mark.parametrize("l1", [0.0, 0.1])
def test_scaling_the_targets_changes_nothing(l1: float) -> None:
    X, y = data.factors_data()
    fits = [
        Regressor(l1=l1 * scale, l2=0.37 * (l1 == 0), fit_intercept=False).fit(X, y * scale)
        for scale in (1.0, 2.0**20, 2.0**-20, 1e6, 1e-6)
    ]
    reference, *exact = fits[:3]
    for model in exact:  # by a power of two no number rounds differently
        assert model.n_iter_ == reference.n_iter_
        assert model.certificate_.relative_gap == reference.certificate_.relative_gap
    for model in fits:
        assert len(model.trace_) == len(reference.trace_)
        assert model.certificate_.relative_gap <= 1e-6
