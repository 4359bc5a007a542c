"""The estimators that choose their strength along paths, against scikit-learn's grid search of the others."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    ShuffleSplit,
    StratifiedKFold,
)

from fenchel import (
    ConvergenceWarning,
    ElasticNet,
    ElasticNetCV,
    InvalidInputError,
    Lasso,
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    Problem,
)
from fenchel.estimators import cross_validation
from fenchel.estimators.selection import choose, standard_errors
from fenchel.losses import Squared
from fenchel.regularizers import L1

TIGHT = {"tol": 1e-10, "max_passes": 2_000}


def regression(rng, n=60, d=12):
    X = rng.normal(size=(n, d))
    return X, X[:, :3] @ np.array([1.0, -2.0, 0.5]) + rng.normal(size=n) + 3.0


def classes(rng, n=90, d=8, count=2):
    X = rng.normal(size=(n, d))
    scores = X[:, :count] + rng.normal(size=(n, count))
    return X, np.array(["a", "b", "c", "d"])[scores.argmax(axis=1)]


@pytest.mark.parametrize("standardize", [False, True])
def test_lasso_is_the_grid_search_of_the_lasso(rng, standardize):
    X, y = regression(rng)
    folds = KFold(4, shuffle=True, random_state=0)
    model = LassoCV(n_strengths=8, ratio=0.02, cv=folds, standardize=standardize, **TIGHT).fit(X, y)
    grid = GridSearchCV(
        Lasso(standardize=standardize, **TIGHT),
        {"l1": model.strengths_.tolist()},
        cv=folds,
        scoring="neg_mean_squared_error",
    ).fit(X, y)
    for fold in range(4):
        expected = grid.cv_results_[f"split{fold}_test_score"]
        np.testing.assert_allclose(model.scores_[:, fold], expected, rtol=1e-5)
    assert model.strength_ == pytest.approx(grid.best_params_["l1"])
    np.testing.assert_allclose(model.coef_, grid.best_estimator_.coef_, atol=1e-5)
    np.testing.assert_array_equal(model.mse_path_, -model.scores_)
    assert model.alpha_ == model.strength_
    assert model.l1_ratio_ == 1.0


def test_elastic_net_is_the_grid_search_over_both(rng):
    X, y = regression(rng)
    model = ElasticNetCV(l1_ratio=[0.3, 0.9], n_strengths=6, ratio=0.02, cv=3, **TIGHT).fit(X, y)
    assert model.strengths_.shape == (2, 6)
    assert model.scores_.shape == model.fold_gaps_.shape == (2, 6, 3)
    grid = [
        {"l1": [share * strength], "l2": [(1 - share) * strength]}
        for share, strengths in zip([0.3, 0.9], model.strengths_, strict=True)
        for strength in strengths
    ]
    search = GridSearchCV(ElasticNet(**TIGHT), grid, cv=3, scoring="neg_mean_squared_error").fit(X, y)
    means = search.cv_results_["mean_test_score"].reshape(2, 6)
    np.testing.assert_allclose(model.scores_.mean(axis=2), means, rtol=1e-5)
    np.testing.assert_allclose(model.coef_, search.best_estimator_.coef_, atol=1e-5)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("multi_class", ["native", "one_vs_rest"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_logistic_is_the_grid_search_of_logistic(rng, count, multi_class, class_weight):
    if count == 2 and multi_class == "native":
        multi_class = "auto"
    X, y = classes(rng, count=count)
    shared = {"multi_class": multi_class, "class_weight": class_weight, "random_state": 0}
    shared |= {"tol": 1e-8, "max_passes": 2_000}
    folds = StratifiedKFold(3)
    model = LogisticRegressionCV(l1_ratio=0.5, n_strengths=4, ratio=0.1, cv=folds, **shared).fit(X, y)
    pairs = [{"l1": [0.5 * strength], "l2": [0.5 * strength]} for strength in model.strengths_]
    search = GridSearchCV(LogisticRegression(**shared), pairs, cv=folds, scoring="neg_log_loss").fit(X, y)
    for fold in range(3):
        expected = search.cv_results_[f"split{fold}_test_score"]
        np.testing.assert_allclose(model.scores_[:, fold], expected, rtol=1e-3)
    np.testing.assert_allclose(model.coef_, search.best_estimator_.coef_, atol=1e-3)
    assert len(model.paths_) == (3 if multi_class == "one_vs_rest" and count == 3 else 1)


@pytest.mark.parametrize("train", [0.3, 0.7])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array])
def test_few_training_rows_are_copied_and_many_are_told_by_weights(rng, train, form, monkeypatch):
    """The fits are those of the training rows either way, also where a splitter draws a row twice."""
    X, y = regression(rng)
    weight = rng.integers(1, 4, size=60).astype(float)
    copied = []
    plain = cross_validation._copy
    monkeypatch.setattr(cross_validation, "_copy", lambda A, rows: copied.append(len(rows)) or plain(A, rows))
    splits = list(ShuffleSplit(3, train_size=train, random_state=0).split(X))
    splits = [(np.append(rows, rows[0]), np.append(test, test[0])) for rows, test in splits]
    model = LassoCV(n_strengths=4, ratio=0.1, cv=splits, standardize=True, **TIGHT)
    model.fit(form(X), y, sample_weight=weight)
    assert copied == [len(set(part)) for split in splits for part in (split if train < 0.5 else split[1:])]
    for fold, (rows, test) in enumerate(splits):
        for row, strength in enumerate(model.strengths_):
            one = Lasso(l1=strength, standardize=True, **TIGHT).fit(X[rows], y[rows], weight[rows])
            error = np.average((one.predict(X[test]) - y[test]) ** 2, weights=weight[test])
            assert model.mse_path_[row, fold] == pytest.approx(error, rel=1e-5)


def test_a_scorer_of_scikit_learn(rng):
    X, y = classes(rng)
    model = LogisticRegressionCV(n_strengths=5, ratio=0.1, cv=3, scoring="roc_auc").fit(X, y)
    grid = {"l1": model.strengths_.tolist()}
    search = GridSearchCV(LogisticRegression(l2=0.0), grid, cv=3, scoring="roc_auc").fit(X, y)
    np.testing.assert_allclose(model.scores_.mean(axis=1), search.cv_results_["mean_test_score"], atol=1e-3)
    own = LassoCV(n_strengths=3, scoring=lambda model, X, y: float(-np.abs(model.predict(X)).sum()))
    own.fit(*regression(rng))
    assert own.scores_.shape == (3, 5)
    assert not hasattr(own, "mse_path_")


def test_every_point_is_certified(rng):
    X, y = regression(rng)
    model = LassoCV(n_strengths=10, ratio=0.01).fit(X, y)
    assert np.all(model.fold_gaps_ <= 1e-6)
    for point in model.paths_[0].points:
        problem = Problem(X, y, Squared(), L1(point.strength), fit_intercept=True)
        assert problem.certify(point.w, point.certificate.dual_point).relative_gap <= 1e-6 * (1 + 1e-9)
    assert model.certificate_.relative_gap <= 1e-6
    assert model.certify(X, y).relative_gap <= 1e-6 * (1 + 1e-9)
    chosen = int(np.flatnonzero(model.strengths_ == model.strength_)[0])
    np.testing.assert_allclose(model.coef_, model.paths_[0].coefficients[chosen], atol=1e-3)


def test_one_standard_error_by_hand():
    scores = np.array([[[-4.0, -6.0], [-2.5, -3.5], [-2.0, -4.0], [-2.0, -3.0], [-2.1, -3.1]]])
    # Means -5, -3, -3, -2.5, -2.6; the standard error of the best is 0.5: -3.0 is still within it.
    assert standard_errors(scores)[0, 3] == pytest.approx(0.5)
    assert choose(scores, "min") == (0, 3)
    assert choose(scores, "one_se") == (0, 1)
    assert choose(scores[..., :1], "one_se") == (0, 2)
    with pytest.raises(InvalidInputError, match="selection"):
        choose(scores, "max")


def test_one_standard_error_is_sparser(rng):
    X, y = regression(rng, d=30)
    best, sparser = (LassoCV(n_strengths=20, selection=rule).fit(X, y) for rule in ("min", "one_se"))
    np.testing.assert_array_equal(best.scores_, sparser.scores_)
    assert sparser.strength_ > best.strength_
    assert (sparser.coef_ != 0).sum() < (best.coef_ != 0).sum()
    means, chosen = best.mse_path_.mean(axis=1), best.strengths_ == best.strength_
    limit = means.min() + best.mse_path_[chosen].std(ddof=1) / np.sqrt(5)
    assert means[sparser.strengths_ == sparser.strength_][0] <= limit
    assert np.all(means[sparser.strengths_ > sparser.strength_] > limit)


def test_weights_are_repeated_rows(rng):
    X, y = regression(rng)
    s, groups = rng.integers(0, 4, size=60), np.arange(60) % 3
    repeated = [np.repeat(item, s, axis=0) for item in (X, y, groups)]
    shared = {"n_strengths": 5, "ratio": 0.05, **TIGHT}
    folds = list(LeaveOneGroupOut().split(X, y, groups))
    folds_of_repeated = list(LeaveOneGroupOut().split(repeated[0], repeated[1], repeated[2]))
    one = LassoCV(cv=folds, **shared).fit(X, y, sample_weight=s)
    two = LassoCV(cv=folds_of_repeated, **shared).fit(repeated[0], repeated[1])
    np.testing.assert_allclose(one.strengths_, two.strengths_, rtol=1e-10)
    np.testing.assert_allclose(one.scores_, two.scores_, rtol=1e-4)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)
    scorer = {"scoring": "neg_mean_squared_error", **shared}
    np.testing.assert_allclose(
        LassoCV(cv=folds, **scorer).fit(X, y, sample_weight=s).scores_, one.scores_, rtol=1e-10
    )


def test_threads_change_nothing(rng):
    X, y = classes(rng)
    models = [
        LogisticRegressionCV(n_strengths=6, ratio=0.05, n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (1, 3)
    ]
    np.testing.assert_array_equal(models[0].scores_, models[1].scores_)
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)


def test_an_error_on_a_thread_reaches_the_caller(rng):
    X, y = regression(rng)
    with pytest.raises(InvalidInputError, match="solver"):
        LassoCV(solver="none", n_jobs=2).fit(X, y)


@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array, np.asfortranarray])
def test_storages_give_one_model(rng, storage):
    X, y = regression(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    one, two = (LassoCV(n_strengths=5, **TIGHT).fit(item, y) for item in (X, storage(X)))
    np.testing.assert_allclose(one.scores_, two.scores_, rtol=1e-6)
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-6)


def test_several_outputs_share_the_strength(rng):
    X, _ = regression(rng)
    y = X[:, :2] + rng.normal(size=(60, 2))
    model = LassoCV(n_strengths=5, **TIGHT).fit(X, y)
    assert model.coef_.shape == (2, 12)
    assert len(model.paths_) == 2
    assert {item.strengths.tolist()[0] for item in model.paths_} == {model.strengths_[0]}
    assert model.predict(X).shape == (60, 2)


def test_ridge_alone_has_the_grid_of_glmnet(rng):
    X, y = regression(rng)
    model = ElasticNetCV(l1_ratio=0.0, n_strengths=6).fit(X, y)
    pull = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 60
    assert model.strengths_[0] == pytest.approx(1e3 * pull)
    assert np.all(model.coef_ != 0)


def test_bounds_hold_and_free_features_stay(rng):
    X, y = regression(rng)
    weights = np.ones(12)
    weights[5] = 0.0
    model = LassoCV(n_strengths=5, lower=0.0, penalty_weights=weights).fit(X, y)
    assert np.all(model.coef_ >= 0)
    assert np.all(model.paths_[0].coefficients >= 0)


def test_a_fold_without_a_class_is_refused(rng):
    X, y = classes(rng)
    folds = [(np.flatnonzero(y == "a"), np.flatnonzero(y == "b"))]
    with pytest.raises(InvalidInputError, match="fold 0 lack a class"):
        LogisticRegressionCV(cv=folds).fit(X, y)
    halves = [(np.arange(30), np.arange(30, 60))]
    with pytest.raises(InvalidInputError, match="weight 0"):
        LassoCV(cv=halves).fit(*regression(rng), sample_weight=np.arange(60) < 30)


def test_splits_may_be_masks_and_groups(rng):
    X, y = regression(rng)
    groups = np.arange(60) % 3
    numbers = list(GroupKFold(3).split(X, y, groups))
    one = LassoCV(n_strengths=3, cv=numbers).fit(X, y)
    masks = [tuple(np.isin(np.arange(60), part) for part in pair) for pair in numbers]
    two = LassoCV(n_strengths=3, cv=masks).fit(X, y)
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_a_limit_warns_once(rng):
    X, y = classes(rng)
    with pytest.warns(ConvergenceWarning) as caught:
        LogisticRegressionCV(n_strengths=3, ratio=0.01, solver="sdca", max_passes=1, tol=1e-12).fit(X, y)
    assert len([item for item in caught if "points of its paths" in str(item.message)]) == 1


def test_ctrl_c_ends_the_fit(rng, monkeypatch):
    from fenchel.solvers.coordinate.primal_cd import PrimalCD

    def interrupted(self, problem, state):
        raise KeyboardInterrupt

    monkeypatch.setattr(PrimalCD, "run_epoch", interrupted)
    for n_jobs in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            LassoCV(solver="primal_cd", n_jobs=n_jobs).fit(*regression(rng))


@pytest.mark.parametrize("share", [-0.1, 1.5, [], [[0.5]]])
def test_bad_shares(rng, share):
    with pytest.raises(InvalidInputError, match="l1_ratio"):
        ElasticNetCV(l1_ratio=share).fit(*regression(rng))


@pytest.mark.parametrize("strengths", [[0.5, 0.1], None])
def test_strengths_are_those_that_were_given(rng, strengths):
    model = LassoCV(strengths=strengths, n_strengths=2).fit(*regression(rng))
    assert model.strengths_.shape == (2,)
    assert strengths is None or model.strengths_.tolist() == strengths
