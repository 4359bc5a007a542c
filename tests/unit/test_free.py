"""The coordinates that nothing penalises, at their best values."""

import numpy as np
import pytest

import cases
from cases_solvers import draw, weights
from fenchel import Problem
from fenchel.losses import Absolute, Hinge, Logistic, Quantile, Squared
from fenchel.problem.free import free_coordinates, minimise_free
from fenchel.regularizers import L1, Box, L2Ball, NoPenalty, Ridge

each_loss = pytest.mark.parametrize("loss", [case.loss for case in cases.LOSSES], ids=repr)


def test_which_coordinates_are_free(rng):
    for g, expected in (
        (L1(1.0, weights=[0.0, 1.0, 0.0, 2.0]), [0, 2, 4]),
        (Box(-np.inf, [np.inf, 1.0, np.inf, 0.0]), [0, 2, 4]),
        (NoPenalty(), [0, 1, 2, 3, 4]),
        (Ridge(1.0), [4]),
        (L2Ball(1.0), [4]),
    ):
        problem = draw(rng, Squared(), g, intercept=True)
        np.testing.assert_array_equal(free_coordinates(problem), expected)


@each_loss
@pytest.mark.parametrize("kind", ["gaussian", "degenerate"])
@pytest.mark.parametrize("weight", ["none", "zeros"])
@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_no_move_of_the_intercept_is_better(rng, loss, kind, weight, scale):
    problem = draw(rng, loss, Ridge(1.0), n=9, kind=kind, weight=weight, intercept=True)
    w = scale * rng.normal(size=problem.primal_shape)
    best = minimise_free(problem, w)
    np.testing.assert_array_equal(best[:-1], w[:-1])
    value = problem.primal_value(best)
    assert value <= problem.primal_value(w)
    for move in (1e-4, 0.1, 1.0, 10.0):
        for sign in (-1.0, 1.0):
            other = best.copy()
            other[-1] += sign * move
            assert value <= problem.primal_value(other) * (1 + 1e-12) + 1e-15


def test_an_intercept_alone_is_the_log_odds(rng):
    b, s = np.where(rng.random(40) < 0.2, 1.0, -1.0), weights(rng, "zeros", 40)
    problem = Problem(rng.normal(size=(40, 3)), b, Logistic(), Ridge(1.0), s, fit_intercept=True)
    expected = np.log(s[b > 0].sum() / s[b < 0].sum())
    assert minimise_free(problem, np.zeros(4))[-1] == pytest.approx(expected, rel=1e-9)
    # Where the scores are equal and not zero, the intercept makes up for it.
    assert minimise_free(problem, np.array([0.0, 0.0, 0.0, 3.0]))[-1] == pytest.approx(expected, rel=1e-9)


def test_free_features_of_the_squared_loss_are_least_squares(rng):
    A, b, s = rng.normal(size=(12, 3)), rng.normal(size=12), weights(rng, "zeros", 12)
    problem = Problem(A, b, Squared(), NoPenalty(), sample_weight=s, fit_intercept=True)
    root = np.sqrt(s)[:, None]
    expected = np.linalg.lstsq(root * np.column_stack([A, np.ones(12)]), root[:, 0] * b, rcond=None)[0]
    np.testing.assert_allclose(minimise_free(problem, np.zeros(4)), expected, rtol=1e-9)


@pytest.mark.parametrize(("loss", "level"), [(Absolute(), 0.5), (Quantile(0.25), 0.25)], ids=repr)
def test_kinked_losses_find_the_quantile(loss, level):
    b = np.array([7.0, -3.0, 1.0, 2.0, 100.0])
    problem = Problem(np.zeros((5, 1)), b, loss, Ridge(1.0), fit_intercept=True)
    assert minimise_free(problem, np.zeros(2))[-1] == pytest.approx(np.quantile(b, level), rel=1e-12)


def test_one_class_does_not_send_the_intercept_away():
    """The hinge loss of one class is zero from 1 on: any larger value only loses digits."""
    problem = Problem(np.zeros((3, 1)), np.ones(3), Hinge(), Ridge(1.0), fit_intercept=True)
    best = minimise_free(problem, np.zeros(2))
    assert problem.primal_value(best) == 0.0
    assert 1.0 <= best[-1] <= 10.0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("loss", [Squared(), Absolute()], ids=repr)
def test_units_of_the_targets_do_not_matter(scale, loss):
    b = scale * np.array([1.0, 5.0, 6.0, 7.0, 21.0])
    problem = Problem(np.zeros((5, 1)), b, loss, Ridge(1.0), fit_intercept=True)
    expected = 8.0 if isinstance(loss, Squared) else 6.0
    assert minimise_free(problem, np.zeros(2))[-1] == pytest.approx(expected * scale, rel=1e-10)


def test_nothing_free_comes_back_as_it_is(rng):
    problem = draw(rng, Logistic(), L1(1.0))
    w = rng.normal(size=4)
    assert minimise_free(problem, w) is w


def test_many_free_coordinates_are_left_alone(rng):
    problem = Problem(rng.normal(size=(3, 201)), rng.normal(size=3), Squared(), NoPenalty())
    w = np.zeros(201)
    assert minimise_free(problem, w) is w
