"""Dual points made orthogonal to the columns that nothing penalises."""

import numpy as np
import pytest

import cases
from cases_solvers import targets
from fenchel.problem.repair import orthogonalise

each_loss = pytest.mark.parametrize("loss", [case.loss for case in cases.LOSSES], ids=repr)


def residual(u, columns, weight):
    return np.einsum("ij,i,i...->j...", columns, weight, u)


@each_loss
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_point_is_orthogonal_and_stays_in_the_domain(rng, loss, m, weighted):
    n = 40
    columns = np.column_stack([np.ones(n), rng.normal(size=(n, m - 1))])
    weight = rng.exponential(size=n) if weighted else np.ones(n)
    b = targets(rng, loss, n)
    domain = loss.dual_domain(b)
    u = loss.gradient(0.5 * rng.normal(size=b.shape), b)
    repaired = orthogonalise(u, columns, weight, domain)
    size = np.abs(u).sum() * np.abs(columns).max() * weight.max()
    assert np.abs(residual(repaired, columns, weight)).max() <= 1e-13 * size
    assert domain.contains(repaired).all()


def test_an_orthogonal_point_comes_back_as_it_is(rng):
    loss, b = cases.LOSSES[0].loss, np.array([1.0, -1.0, 1.0, -1.0])
    u = np.array([-0.3, 0.3, -0.9, 0.9])
    repaired = orthogonalise(u, np.ones((4, 1)), np.ones(4), loss.dual_domain(b))
    np.testing.assert_array_equal(repaired, u)


def test_entries_at_the_end_of_their_domain_stay_there():
    hinge = next(case.loss for case in cases.LOSSES if case.loss.name == "hinge")
    b = np.array([1.0, 1.0, -1.0, -1.0])
    u = np.array([-1.0, -0.5, 1.0, 0.0])
    repaired = orthogonalise(u, np.ones((4, 1)), np.ones(4), hinge.dual_domain(b))
    np.testing.assert_allclose(repaired, [-1.0, 0.0, 1.0, 0.0], atol=1e-15)


def test_without_room_all_entries_move():
    hinge = next(case.loss for case in cases.LOSSES if case.loss.name == "hinge")
    b = np.array([1.0, 1.0, -1.0])
    repaired = orthogonalise(np.array([-1.0, -1.0, 1.0]), np.ones((3, 1)), np.ones(3), hinge.dual_domain(b))
    assert repaired.sum() == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(repaired, [-0.5, -0.5, 1.0])


def test_one_class_leaves_only_zero():
    hinge = next(case.loss for case in cases.LOSSES if case.loss.name == "hinge")
    b = np.ones(3)
    repaired = orthogonalise(np.array([-1.0, -0.4, 0.0]), np.ones((3, 1)), np.ones(3), hinge.dual_domain(b))
    np.testing.assert_allclose(repaired, np.zeros(3), atol=1e-15)


def test_zero_and_repeated_columns_do_no_harm(rng):
    squared = next(case.loss for case in cases.LOSSES if case.loss.name == "squared")
    columns = np.column_stack([np.zeros(6), np.ones(6), np.ones(6), 1e8 * np.ones(6)])
    u = rng.normal(size=6)
    repaired = orthogonalise(u, columns, np.ones(6), squared.dual_domain(u))
    np.testing.assert_allclose(repaired, u - u.mean(), atol=1e-14)


def test_only_zero_columns_ask_for_nothing(rng):
    squared = next(case.loss for case in cases.LOSSES if case.loss.name == "squared")
    u = rng.normal(size=5)
    np.testing.assert_array_equal(orthogonalise(u, np.zeros((5, 2)), np.ones(5), squared.dual_domain(u)), u)
