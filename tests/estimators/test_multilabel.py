"""Multilabel classification: against separate fits, in every form of the targets, within its memory."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import accuracy_score, f1_score, label_ranking_average_precision_score, precision_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from fenchel import Classifier, InvalidInputError, MultilabelClassifier, Status
from fenchel.regularizers import L1Ball, L2Ball, Regularizer, Simplex, SolidSimplex

Array = np.ndarray[Any, Any]
_PARAMETERS: dict[str, Any] = {"l1": 0.005, "l2": 0.01, "tol": 1e-9}


@pytest.fixture(scope="module")
def data() -> tuple[Array, Array]:
    X, Y = make_multilabel_classification(120, 15, n_classes=6, n_labels=2, random_state=0)
    return X / X.max(), Y


def labels_of(Y: Array) -> list[tuple[str, ...]]:
    return [tuple(f"label{k}" for k in np.flatnonzero(row)) for row in Y]


NO_INDICATOR = """
    check_classifier_data_not_an_array check_classifier_not_supporting_multiclass check_classifiers_classes
    check_classifiers_one_label check_classifiers_one_label_sample_weights check_classifiers_regression_target
    check_classifiers_train check_decision_proba_consistency check_estimator_sparse_array
    check_estimator_sparse_matrix check_estimators_dtypes check_fit2d_1feature
    check_sample_weights_not_an_array check_sample_weights_not_overwritten
    check_sample_weights_pandas_series check_sample_weights_shape check_sparsify_coefficients
"""
"""The checks of scikit-learn that pose one class a sample, or other values than 0 and 1: refused here."""


@pytest.mark.filterwarnings("ignore::fenchel.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [MultilabelClassifier(l2=0.1, tol=1e-14)],
    expected_failed_checks=lambda _: dict.fromkeys(NO_INDICATOR.split(), "y is no indicator matrix"),
)
def test_check_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("constraint", "sparse"),
    [(L1Ball(1.5), True), (SolidSimplex(1.5), True), (Simplex(), True), (L2Ball(1.5), False)],
    ids=str,
)
def test_labels_in_a_set_each(constraint: Regularizer, sparse: bool, data: tuple[Array, Array]) -> None:
    X, Y = data
    model = MultilabelClassifier(constraint=constraint, tol=1e-8).fit(X, Y)
    assert sp.issparse(model.coef_) == sparse
    rows = model.coef_.toarray() if sparse else model.coef_
    for k in range(Y.shape[1]):
        single = Classifier(constraint=constraint, tol=1e-8).fit(X, Y[:, k])
        np.testing.assert_allclose(rows[[k]], single.coef_, atol=2e-3)
        assert constraint.value(rows[k]) == 0.0


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "smoothed_hinge", "hinge"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_label_is_the_fit_of_a_classifier(loss: str, weighted: bool, data: tuple[Array, Array]) -> None:
    X, Y = data
    weight = np.random.default_rng(0).integers(0, 4, len(X)).astype(float) if weighted else None
    model = MultilabelClassifier(loss, keep_dual=True, **_PARAMETERS).fit(X, Y, weight)
    assert sp.issparse(model.coef_)
    assert sp.issparse(model.dual_coef_)
    total = 0.0
    for k in range(Y.shape[1]):
        single = Classifier(loss, **_PARAMETERS).fit(X, Y[:, k], weight)
        np.testing.assert_allclose(model.coef_[[k]].toarray(), single.coef_, atol=2e-3)
        primal, dual = single.certificate_.primal, single.certificate_.dual
        assert model.certificates_[k].primal == pytest.approx(primal, rel=1e-8)
        assert model.certificates_[k].dual == pytest.approx(dual, rel=1e-8)
        assert model.certificates_[k].relative_gap <= 1e-9
        total += primal
    assert model.certificate_.primal == pytest.approx(total, rel=1e-8)
    assert model.certify(X, Y, weight).relative_gap <= 2e-9
    assert model.status_ is Status.SOLVED


def test_relative_l1_is_relative_to_the_largest_over_the_labels(data: tuple[Array, Array]) -> None:
    X, Y = data
    model = MultilabelClassifier(l1="1max", l2=0.0).fit(X, Y)
    assert model.coef_.nnz == 0
    below = MultilabelClassifier(l1="0.99max", l2=0.0).fit(X, Y)
    strengths = [Classifier(l1="1max", l2=0.0).fit(X, y).regularizer_.strength for y in Y.T]
    assert model.regularizer_.strength == pytest.approx(max(strengths))
    assert np.unique(below.coef_.nonzero()[0]).tolist() == [int(np.argmax(strengths))]


def test_forms_of_the_targets_agree(data: tuple[Array, Array]) -> None:
    X, Y = data
    dense = MultilabelClassifier(**_PARAMETERS).fit(X, Y)
    expected = dense.predict(X)
    assert isinstance(expected, np.ndarray)
    forms = [sp.csr_matrix(Y), sp.csc_array(Y.astype(float)), sp.coo_array(Y == 1), Y.astype(bool)]
    for form in forms:
        model = MultilabelClassifier(**_PARAMETERS).fit(sp.csr_matrix(X), form)
        found = model.predict(X)
        assert sp.issparse(found) == sp.issparse(form)
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)
        assert model.score(X, form) == dense.score(X, Y) == accuracy_score(Y, expected)
        assert model.certify(X, Y).primal == pytest.approx(dense.certificate_.primal, rel=1e-8)
    lists = labels_of(Y)
    shuffled = np.empty(len(lists), dtype=object)
    shuffled[:] = [list(row[::-1]) for row in lists]
    for y in (lists, [set(row) for row in lists], shuffled):
        model = MultilabelClassifier(**_PARAMETERS).fit(X, y)
        assert model.classes_.tolist() == [f"label{k}" for k in range(6)]
        assert model.predict(X) == labels_of(expected)
        assert model.score(X, y) == dense.score(X, Y)


def test_frames_and_integer_labels(data: tuple[Array, Array]) -> None:
    pandas = pytest.importorskip("pandas")
    X, Y = data
    expected = MultilabelClassifier(**_PARAMETERS).fit(X, Y).predict(X)
    framed = MultilabelClassifier(**_PARAMETERS).fit(X, pandas.DataFrame(Y))
    np.testing.assert_array_equal(framed.predict(X), expected)
    lists = pandas.Series([tuple(10 * np.flatnonzero(row)) for row in Y])
    model = MultilabelClassifier(**_PARAMETERS).fit(X, lists)
    assert model.classes_.dtype == np.int64
    assert model.classes_.tolist() == [0, 10, 20, 30, 40, 50]
    assert model.predict(X) == [tuple((10 * np.flatnonzero(row)).tolist()) for row in expected]


def test_targets_are_left_as_they_are(data: tuple[Array, Array]) -> None:
    X, Y = data
    y = sp.csc_matrix(Y.astype(float))
    y.data[:3] = 0.0
    before = y.copy()
    y.data.flags.writeable = False
    model = MultilabelClassifier(**_PARAMETERS).fit(X, y)
    assert y.nnz == before.nnz
    assert model.score(X, y) == model.score(X, before.toarray())


def test_metrics_of_scikit_learn(data: tuple[Array, Array]) -> None:
    X, Y = data
    model = MultilabelClassifier(l2=1e-4).fit(X, sp.csr_matrix(Y))
    assert isinstance(model.coef_, np.ndarray)
    predicted, scores = model.predict(X), model.decision_function(X)
    assert scores.shape == Y.shape
    assert precision_score(sp.csr_matrix(Y), predicted, average="micro") > 0.6
    assert f1_score(Y, predicted.toarray(), average="samples", zero_division=0) > 0.6
    assert label_ranking_average_precision_score(Y, scores) > 0.7
    np.testing.assert_allclose(model.predict_proba(X), 1 / (1 + np.exp(-scores)))
    assert not hasattr(MultilabelClassifier("hinge"), "predict_proba")


@pytest.mark.parametrize(
    ("loss", "score"), [("logistic", 1024), ("hinge", 1), ("smoothed_hinge", 1), ("squared_hinge", 1)]
)
def test_labels_of_all_samples_and_of_none(loss: str, score: float, data: tuple[Array, Array]) -> None:
    X, Y = data
    Y = Y[:, :3].copy()
    Y[:, 0], Y[:, 1] = 1, 0
    weight = np.ones(len(X))
    Y[:5, 1], weight[:5] = 1, 0
    model = MultilabelClassifier(loss, l1="0.1max", l2=0.01).fit(X, Y, weight)
    assert model.intercept_[:2].tolist() == [score, -score]
    assert model.coef_[:2].nnz == 0
    assert model.coef_[2].nnz > 0
    for certificate in model.certificates_[:2]:
        assert (certificate.primal, certificate.dual, certificate.gap) == (0.0, 0.0, 0.0)
    assert model.status_ is Status.SOLVED
    assert (model.predict(X)[:, :2] == [1, 0]).all()
    constant = MultilabelClassifier(loss, l1="0.1max").fit(X, Y[:, :1])
    assert constant.certificate_.gap == 0
    # Without an intercept it is a problem like the others.
    bare = MultilabelClassifier(loss, l2=0.01, fit_intercept=False).fit(X, Y[:, :1])
    single = bare.certificates_[0]
    assert single.primal > 0
    assert single.relative_gap <= 1e-6


@pytest.mark.filterwarnings("ignore::fenchel.ConvergenceWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_memory_is_not_samples_times_labels(n_jobs: int) -> None:
    n_samples, n_labels = 20_000, 600
    rng = np.random.default_rng(0)
    X = sp.random(n_samples, 20, density=0.05, format="csr", rng=rng)
    Y = sp.random(n_samples, n_labels, density=0.01, format="csr", rng=rng)
    Y.data[:] = 1.0
    tracemalloc.start()
    model = MultilabelClassifier(l1=0.01, max_passes=0, fit_intercept=False, n_jobs=n_jobs).fit(X, Y)
    model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(model.certificates_) == n_labels
    assert peak < 0.4 * 8 * n_samples * n_labels


def test_warm_start(data: tuple[Array, Array]) -> None:
    X, Y = data
    model = MultilabelClassifier(warm_start=True, keep_dual=True, **_PARAMETERS).fit(X, Y)
    first = model.coef_.toarray()
    model.set_params(max_passes=0).fit(X, Y)
    np.testing.assert_array_equal(model.coef_.toarray(), first)
    assert model.status_ is Status.SOLVED
    model.set_params(max_passes=1000, keep_dual=False).fit(X, Y[:, :3])
    assert not hasattr(model, "dual_coef_")
    assert model.coef_.shape == (3, 15)


def test_coefficients_change_their_form(data: tuple[Array, Array]) -> None:
    X, Y = data
    model = MultilabelClassifier(**_PARAMETERS).fit(X, Y)
    scores = model.decision_function(X)
    np.testing.assert_allclose(model.densify().decision_function(X), scores)
    assert isinstance(model.coef_, np.ndarray)
    np.testing.assert_allclose(model.sparsify().decision_function(X), scores)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ([0, 1, 1], "Use Classifier"),
        (["a", "b", "a"], "Use Classifier"),
        (np.zeros((3, 0)), "shape"),
        ([[0, 2], [1, 0], [0, 1]], "other than 0 and 1"),
        ([[0, np.nan], [1, 0], [0, 1]], "NaN"),
        (sp.csr_matrix([[0, 2], [1, 0], [0, 1]]), "other than 0 and 1"),
        (sp.csr_matrix((2, 2)), "2 rows, but there are 3 samples"),
        ([(1,), (2,)], "2 rows, but there are 3 samples"),
        ([(1,), 2, (1, 2)], "2 at row 1"),
        ([(), (), ()], "no label at all"),
        ([(1,), ("a",), ()], "without a common order"),
        (None, "requires y"),
    ],
)
def test_targets_that_are_refused(y: Any, text: str) -> None:
    with pytest.raises(InvalidInputError, match=text):
        MultilabelClassifier().fit(np.eye(3), y)


def test_other_labels_than_those_of_the_fit_are_refused(data: tuple[Array, Array]) -> None:
    X, Y = data
    model = MultilabelClassifier(**_PARAMETERS).fit(X, Y)
    with pytest.raises(InvalidInputError, match="5 columns, but the model has 6 labels"):
        model.certify(X, Y[:, 1:])
    with pytest.raises(InvalidInputError, match="the label 9"):
        model.score(X, [(9,)] * len(X))
    with pytest.raises(InvalidInputError, match="n_jobs=0"):
        MultilabelClassifier(n_jobs=0).fit(X, Y)
