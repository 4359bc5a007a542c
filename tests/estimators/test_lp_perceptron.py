"""LpPerceptron: the solver's steps, its mistakes and their bound, streams, and several classes."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import ConvergenceWarning, LpPerceptron, MaximumMarginClassifier, Perceptron, Problem, Start
from fenchel.errors import InvalidInputError
from fenchel.losses import MarginConstraint
from fenchel.numerics.power import lp_norm, power_map
from fenchel.regularizers import SquaredLp

P = [2.0, 1.5, 1.1]


def separable(rng: np.random.Generator, n: int = 30, d: int = 10) -> tuple[np.ndarray, np.ndarray]:
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    return X + 0.2 * np.sign(X @ w)[:, None] * w, np.sign(X @ w)


def plain(X: np.ndarray, y: np.ndarray, p: float, order: np.ndarray) -> tuple[np.ndarray, int]:
    """The method in a few lines."""
    t, mistakes = np.zeros(X.shape[1]), 0
    for i in order:
        if y[i] * (X[i] @ power_map(t, p / (p - 1.0))) <= 0.0:
            t += y[i] * X[i]
            mistakes += 1
    return t, mistakes


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_partial_fit_makes_the_steps_of_the_method(p, form, rng):
    X, y = separable(rng)
    model, order = LpPerceptron(p), np.arange(30)
    for part in np.array_split(order, 4):
        model.partial_fit(form(X[part]), y[part], classes=[-1.0, 1.0])
    t, mistakes = plain(X, y, p, order)
    np.testing.assert_allclose(model.image_[0], t, rtol=1e-12, atol=1e-12)
    assert model.mistakes_ == mistakes
    np.testing.assert_allclose(model.coef_[0], power_map(t, p / (p - 1.0)), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("p", P)
def test_partial_fit_equals_the_passes_of_the_solver(p, rng):
    """The solver draws rows with replacement: the estimator is given the rows that it drew."""
    X, y = separable(rng)
    problem = Problem(X, y, MarginConstraint(), SquaredLp(p))
    solver = Perceptron(step_size=1.0)
    state = solver.init(problem, Start(), np.random.default_rng(7))
    draws, model = np.random.default_rng(7), LpPerceptron(p)
    for _ in range(3):
        solver.run_epoch(problem, state)
        order = draws.integers(30, size=30)
        model.partial_fit(X[order], y[order], classes=[-1.0, 1.0])
    np.testing.assert_allclose(model.image_[0], state.t, rtol=1e-12, atol=1e-12)
    assert model.mistakes_ == round(np.abs(state.a).sum())


@pytest.mark.parametrize("p", P)
def test_a_fit_separates_within_the_bound_on_mistakes_and_bounds_the_margin(p, rng):
    X, y = separable(rng)
    model = LpPerceptron(p, random_state=0).fit(X, y)
    assert model.separates_
    np.testing.assert_array_equal(model.predict(X), y)
    best = MaximumMarginClassifier(p, random_state=0).fit(X, y).margin_bounds_
    q = p / (p - 1.0)
    largest = max(lp_norm(row, q) for row in X) ** 2
    assert 0 < model.mistakes_ <= largest / ((p - 1.0) * best[0] ** 2)
    low, high = model.margin_bounds_
    assert low == pytest.approx((y * (X @ model.coef_[0])).min() / lp_norm(model.coef_, p), rel=1e-9)
    assert 0.0 < low <= best[1] * (1 + 1e-9)
    assert best[0] <= high * (1 + 1e-9)
    # The certificate says the same of half the squared norms.
    assert model.certificate_.violation <= 1e-12
    assert low == pytest.approx((2.0 * model.certificate_.primal) ** -0.5, rel=1e-9)
    assert high == pytest.approx((2.0 * model.certificate_.dual) ** -0.5, rel=1e-9)


def test_a_fit_in_the_order_of_the_rows_is_partial_fits(rng):
    X, y = separable(rng)
    whole = LpPerceptron(1.5, shuffle=False).fit(X, y)
    stream = LpPerceptron(1.5)
    for _ in range(whole.n_iter_):
        stream.partial_fit(X, y, classes=[-1, 1])
    np.testing.assert_array_equal(stream.coef_, whole.coef_)
    assert stream.mistakes_ == whole.mistakes_
    assert stream.separates_


def test_the_intercept_is_the_coefficient_of_a_column_of_ones(rng):
    X, y = separable(rng)
    model = LpPerceptron(1.5, fit_intercept=True, random_state=0).fit(X + 1.0, y)
    ones = LpPerceptron(1.5, random_state=0).fit(np.column_stack([X + 1.0, np.ones(30)]), y)
    np.testing.assert_allclose([*model.coef_[0], *model.intercept_], ones.coef_[0], rtol=1e-12)


def test_classes_that_overlap_warn_and_bound_the_margin(rng):
    X, y = rng.normal(size=(50, 2)), np.sign(rng.normal(size=50))
    with pytest.warns(ConvergenceWarning, match="mistakes in its last pass of 20"):
        model = LpPerceptron(max_passes=20, random_state=0).fit(X, y)
    assert not model.separates_
    assert model.margin_bounds_[0] == 0.0
    assert model.margin_bounds_[1] < np.inf


def test_a_margin_moves_more_rows(rng):
    X, y = separable(rng)
    without = LpPerceptron(shuffle=False).fit(X, y)
    wide = LpPerceptron(margin=5.0, shuffle=False).fit(X, y)
    assert wide.mistakes_ > without.mistakes_
    assert (y * wide.decision_function(X)).min() > 5.0


def test_several_classes(rng):
    y = np.repeat(["x", "y", "z"], 10)
    X = 4.0 * np.eye(3)[np.repeat(np.arange(3), 10)] + 0.3 * rng.normal(size=(30, 3))
    model = LpPerceptron(fit_intercept=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.mistakes_.shape == (3,)
    assert model.margin_bounds_.shape == (3, 2)
    assert np.all(model.margin_bounds_[:, 0] > 0.0)


def test_fit_forgets_and_partial_fit_goes_on(rng):
    X, y = separable(rng)
    model = LpPerceptron(shuffle=False).fit(X, y)
    once = model.coef_.copy()
    model.partial_fit(X, -y)
    assert model.mistakes_ > 0
    assert not np.array_equal(model.coef_, once)
    assert not hasattr(model, "certificate_")
    np.testing.assert_array_equal(model.fit(X, y).coef_, once)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda X, y: LpPerceptron().partial_fit(X, y), "classes must be passed"),
        (lambda X, y: LpPerceptron().partial_fit(X, y, classes=[1]), "one class only"),
        (lambda X, y: LpPerceptron().fit(X, y).partial_fit(X, y, classes=[1, 2, 3]), "not the same as on"),
        (lambda X, y: LpPerceptron().fit(X, y).partial_fit(X, y + 7), "labels that the model does not know"),
        (lambda X, y: LpPerceptron(p=3.0).fit(X, y), "above 1 and at most 2"),
        (lambda X, y: LpPerceptron(margin=-1.0).fit(X, y), "margin=-1.0"),
        (lambda X, y: LpPerceptron(margin="a").fit(X, y), "margin='a'"),
        (lambda X, y: LpPerceptron(max_passes=0).fit(X, y), "max_passes=0"),
    ],
)
def test_refusals(call, text, rng):
    X, y = separable(rng)
    with pytest.raises(InvalidInputError, match=text):
        call(X, y)
