"""Logistic models without a penalty on classes that a plane separates have no minimiser, and say so."""

import numpy as np
import pytest

from fenchel import ConvergenceWarning, LogisticRegression, MaxPasses, Problem, Status, separability, solve
from fenchel.losses import Logistic, Softmax, SquaredHinge
from fenchel.regularizers import L1, NonNegative, NoPenalty, Ridge

WARNING = r"LogisticRegression has no minimiser: the model separates the classes"


def separable(rng: np.random.Generator, n: int = 60, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    return X, np.where(X @ w > 0.2, "yes", "no")


def test_two_classes(rng):
    X, y = separable(rng)
    with pytest.warns(ConvergenceWarning, match=WARNING):
        model = LogisticRegression(l2=0.0).fit(X, y)
    assert model.status_ is Status.NO_MINIMISER
    assert np.all(np.isfinite(model.coef_))
    np.testing.assert_array_equal(model.predict(X), y)
    assert separability(X, y).separable


def test_several_classes(rng):
    X, y = rng.normal(size=(30, 60)), rng.integers(3, size=30)
    with pytest.warns(ConvergenceWarning, match=WARNING):
        model = LogisticRegression(l2=0.0).fit(X, y)
    assert model.status_ is Status.NO_MINIMISER
    np.testing.assert_array_equal(model.predict(X), y)


def test_classes_that_overlap_have_a_minimiser(rng):
    X, y = rng.normal(size=(200, 3)), rng.integers(2, size=200)
    model = LogisticRegression(l2=0.0).fit(X, y)
    assert model.status_ is Status.SOLVED
    assert not separability(X, y).separable


@pytest.mark.parametrize("regularizer", [Ridge(1e-9), L1(1e-9), NonNegative()], ids=repr)
def test_a_penalty_or_a_bound_takes_the_proof_away(regularizer, rng):
    X, y = separable(rng)
    problem = Problem(X, np.where(y == "yes", 1.0, -1.0), Logistic(), regularizer)
    assert problem.unattained_below == 0.0


def test_the_level_is_that_of_the_row_of_least_weight(rng):
    """Below it each row has a loss under log 2; rows of weight zero do not count."""
    X, y = separable(rng, n=4)
    b = np.where(y == "yes", 1.0, -1.0)
    weight = np.array([2.0, 1.0, 0.0, 1.0])
    problem = Problem(X, b, Logistic(), NoPenalty(), sample_weight=weight, fit_intercept=True)
    assert problem.unattained_below == pytest.approx(np.log(2.0) / 4.0)
    assert Problem(X, np.eye(2)[[0, 1, 0, 1]], Softmax(), NoPenalty()).unattained_below > 0.0
    assert Problem(X, b, SquaredHinge(), NoPenalty()).unattained_below == 0.0
    assert problem.with_regularizer(Ridge(1e-9)).unattained_below == 0.0


def test_one_row_on_the_wrong_side_is_above_the_level(rng):
    """However small the others' losses are."""
    X = np.vstack([50.0 * np.eye(3), [[-1e-3, 0.0, 0.0]]])
    problem = Problem(X, np.ones(4), Logistic(), NoPenalty())
    assert problem.primal_value(np.ones(3)) > problem.unattained_below
    result = solve(problem, stopping=MaxPasses(3))
    assert result.status is not Status.NO_MINIMISER
