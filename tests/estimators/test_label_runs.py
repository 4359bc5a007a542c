"""The runs of many labels: threads, and what ends all of them at once."""

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_multilabel_classification

from fenchel import Classifier, ConvergenceWarning, MultilabelClassifier, Problem, Status
from fenchel.estimators.runs import n_threads

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def data() -> tuple[Array, Array]:
    X, Y = make_multilabel_classification(120, 15, n_classes=6, n_labels=2, random_state=0)
    return X / X.max(), Y


def test_threads_do_not_change_a_bit(data: tuple[Array, Array]) -> None:
    X, Y = data
    for loss in ("logistic", "hinge"):
        one, two = (
            MultilabelClassifier(
                loss, n_jobs=n_jobs, random_state=3, keep_dual=True, l1=0.005, l2=0.01, tol=1e-9
            ).fit(X, Y)
            for n_jobs in (1, 2)
        )
        assert (one.coef_ != two.coef_).nnz == 0
        assert (one.dual_coef_ != two.dual_coef_).nnz == 0
        np.testing.assert_array_equal(one.intercept_, two.intercept_)
        assert [c.gap for c in one.certificates_] == [c.gap for c in two.certificates_]


def test_number_of_threads() -> None:
    assert n_threads(None, 5) == n_threads(1, 5) == n_threads(-10_000, 5) == 1
    assert n_threads(8, 5) == 5
    assert n_threads(-1, 10_000) == os.cpu_count()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callback_ends_all_labels(n_jobs: int, data: tuple[Array, Array]) -> None:
    X, Y = data
    calls = []

    def stop(progress: Any) -> bool:
        calls.append(threading.get_ident())
        return len(calls) > 3

    model = MultilabelClassifier(tol=1e-15, callback=stop, n_jobs=n_jobs)
    with pytest.warns(ConvergenceWarning, match="of 6 problems"):
        model.fit(X, Y)
    assert model.status_ is Status.CALLBACK
    assert model.certificate_.gap > 0
    assert model.decision_function(X).shape == Y.shape


def test_error_on_a_thread_is_raised(data: tuple[Array, Array]) -> None:
    calls = []

    def fail(progress: Any) -> bool:
        calls.append(progress)
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("from the callback")
        return False

    with pytest.raises(RuntimeError, match="from the callback"):
        MultilabelClassifier(callback=fail, n_jobs=2).fit(*data)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="the test needs signals to threads")
def test_interrupt_leaves_a_usable_model(data: tuple[Array, Array]) -> None:
    X, Y = data
    calls = []
    seen = threading.Event()

    def handle(signum: int, frame: Any) -> None:
        seen.set()
        raise KeyboardInterrupt

    def interrupt(progress: Any) -> bool:
        if threading.current_thread() is not threading.main_thread() and not calls:
            calls.append(progress)
            time.sleep(0.3)  # The main thread waits by then.
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            assert seen.wait(60.0)  # A busy machine may take its time.
            time.sleep(0.3)
        return False

    before = signal.signal(signal.SIGINT, handle)
    try:
        with pytest.warns(ConvergenceWarning, match="interrupted by the user"):
            model = MultilabelClassifier(tol=1e-15, callback=interrupt, n_jobs=2).fit(X, Y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert model.status_ is Status.INTERRUPTED
    assert model.certificate_.gap > 0
    assert model.predict(X).shape == Y.shape


def test_interrupt_of_a_block_leaves_a_usable_model(data: tuple[Array, Array]) -> None:
    X, Y = data
    calls = []

    def interrupt(progress: Any) -> bool:
        calls.append(progress)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return False

    with pytest.warns(ConvergenceWarning, match=r"interrupted by the user in \d of 6 problems"):
        model = MultilabelClassifier(tol=1e-15, callback=interrupt).fit(X, Y)
    assert model.status_ is Status.INTERRUPTED
    assert len(calls) == 8
    assert len(model.certificates_) == 6
    assert model.predict(X).shape == Y.shape


def test_interrupt_while_a_problem_is_set_up_loses_no_label(
    data: tuple[Array, Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, Y = data
    with_target, calls = Problem.with_target, []

    def interrupt(self: Problem, b: Any) -> Problem:
        calls.append(b)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return with_target(self, b)

    monkeypatch.setattr(Problem, "with_target", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted by the user"):
        model = MultilabelClassifier(tol=1e-15).fit(X, Y)
    assert len(calls) == 7
    assert len(model.certificates_) == 6
    assert model.coef_.shape == (6, 15)


@pytest.mark.parametrize("loss", ["smoothed_hinge", "squared_hinge"])
@pytest.mark.parametrize("sparse", [False, True])
def test_active_sets_for_every_label(loss: str, sparse: bool, data: tuple[Array, Array]) -> None:
    X, Y = data
    A: Any = sp.csr_matrix(X) if sparse else X
    options: dict[str, Any] = {"l1": 1e-3, "l2": 0.01, "fit_intercept": False, "tol": 1e-8}
    model = MultilabelClassifier(loss, solver="dgpd_plus", **options).fit(A, Y)
    assert model.solver_ == "dgpd_plus"
    assert model.status_ is Status.SOLVED
    for k, certificate in enumerate(model.certificates_):
        best = Classifier(loss, **options).fit(A, Y[:, k]).certificate_
        assert certificate.primal == pytest.approx(best.primal, rel=1e-7)
        assert certificate.dual == pytest.approx(best.dual, rel=1e-7)
    classes = Y.argmax(axis=1)
    many = Classifier(loss, solver="dgpd_plus", **options).fit(A, classes)
    assert many.solver_ == "dgpd_plus"
    for k, certificate in enumerate(many.certificates_):
        best = Classifier(loss, **options).fit(A, classes == many.classes_[k]).certificate_
        assert certificate.primal == pytest.approx(best.primal, rel=1e-7)


def test_time_limit_is_for_all_labels(data: tuple[Array, Array]) -> None:
    with pytest.warns(ConvergenceWarning, match="in 6 of 6 problems"):
        model = MultilabelClassifier(tol=0.0, time_limit=0.0).fit(*data)
    assert model.status_ is Status.TIME_LIMIT
