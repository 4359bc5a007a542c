"""The certificate: its arithmetic, its radius, and the cases worked by hand."""

import numpy as np
import pytest

from fenchel import Certificate, Problem
from fenchel.losses import Hinge, Logistic, Squared
from fenchel.problem import bounds
from fenchel.regularizers import L1, Box, NonNegative, NoPenalty, Ridge


def test_gap_and_relative_gap():
    assert Certificate(2.0, 1.5).gap == 0.5
    assert Certificate(2.0, 1.5).relative_gap == 0.25
    assert Certificate(-1.0, -2.0).relative_gap == 0.5
    assert Certificate(1.0, 1.0 + 1e-16).gap == 0.0
    assert Certificate(1.0, 2.0).gap == 0.0
    assert Certificate(0.0, 0.0).relative_gap == 0.0
    assert Certificate(np.inf, 0.0).gap == np.inf


def test_certificates_of_independent_problems_add_up():
    total = Certificate(2.0, 1.5, 0.5) + Certificate(1.0, 0.75, 3.0)
    assert (total.primal, total.dual, total.radius) == (3.0, 2.25, 3.0)


def test_soft_thresholding_by_hand():
    """min (1/2)[(w1-3)^2/2 + (w2-1)^2/2] + 0.75(|w1|+|w2|): w = (1.5, 0), P = (9/8 + 1/2)/2 + 9/8."""
    problem = Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.75))
    certificate = problem.certify(np.array([1.5, 0.0]))
    assert certificate.primal == pytest.approx(1.9375)
    assert certificate.dual == pytest.approx(1.9375)
    np.testing.assert_allclose(certificate.dual_point, [-1.5, -1.0])
    assert certificate.radius == 0.0


def test_an_infeasible_dual_point_is_scaled():
    """At w = 0: u = -b, v = -b/2 = (-1.5, -0.5), the ball has radius 0.75, so the scale is one half."""
    problem = Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.75))
    certificate = problem.certify(np.zeros(2))
    np.testing.assert_allclose(certificate.dual_point, [-1.5, -0.5])
    assert certificate.dual == pytest.approx(0.5 * (3.0 * 1.5 + 0.5 - (2.25 + 0.25) / 2))


def test_the_vertex_of_the_dual_along_the_ray():
    """D(t u) = t<b, u>/n - t^2|u|^2/(2n) peaks at t < scale when u is far too long."""
    problem = Problem(np.eye(1), [1.0], Squared(), L1(5.0))
    certificate = problem.certify(np.zeros(1), np.array([-50.0]))
    np.testing.assert_allclose(certificate.dual_point, [-1.0])
    assert certificate.gap == pytest.approx(0.0, abs=1e-15)


def test_the_level_bound_is_taken_where_it_is_better():
    """A u that breaks the ball by a hair pays the hair times P / l1 instead of a scale."""
    A = np.diag([1.0, 1e-3])
    problem = Problem(A, [1.0, 1.0], Squared(), L1(1e-4))
    w = np.array([1.0, 0.0])
    u = np.array([-1e-8, -0.3])
    certificate = problem.certify(w, u)
    v = A.T @ u / 2
    excess = max(np.abs(v).max() - 1e-4, 0.0)
    assert excess > 0.0
    level = -np.mean(u + u**2 / 2) - problem.primal_value(w) / 1e-4 * excess
    scale = 1e-4 / np.abs(v).max()
    scaled = -np.mean(scale * u + scale**2 * u**2 / 2)
    assert certificate.dual >= max(level, scaled) - 1e-15


def test_level_bound_holds_for_a_primal_value_that_is_just_the_optimum():
    """With w optimal, no u may prove more than P(w): the level is P(w), not less."""
    rng = np.random.default_rng(0)
    problem = Problem(np.eye(3), [3.0, 1.0, -0.2], Squared(), L1(0.1))
    w = np.array([2.7, 0.7, 0.0])
    for _ in range(300):
        u = problem.dual_point(w) * (1.0 + 0.2 * rng.normal(size=3))
        assert problem.certify(w, u).dual <= problem.primal_value(w) + 1e-14


def test_intercept_alone_has_the_variance_as_optimum():
    b = np.array([1.0, 2.0, 6.0])
    problem = Problem(np.zeros((3, 1)), b, Squared(), L1(1.0), fit_intercept=True)
    for u in (None, np.array([5.0, 1.0, 1.0]), np.zeros(3)):
        certificate = problem.certify(np.array([0.0, 3.0]), u)
        assert certificate.primal == pytest.approx(b.var() / 2)
        assert certificate.dual <= b.var() / 2 * (1 + 1e-15)
    assert problem.certify(np.array([0.0, 3.0])).gap <= 1e-13
    assert problem.certify(np.array([0.0, 3.0])).radius > 0.0


@pytest.mark.parametrize("shift", [-1e-10, 1e-10])
def test_the_residual_of_a_repair_is_paid_for(monkeypatch, shift):
    """Where the repair leaves C'u = residual, D(u) alone may exceed P*, by |shift| times the mean of b."""
    b = np.array([1.0, 2.0, 6.0])
    problem = Problem(np.zeros((3, 1)), b, Squared(), L1(1.0), fit_intercept=True)
    monkeypatch.setattr(bounds, "orthogonalise", lambda u, *others: u - np.mean(u) + shift)
    w = np.array([0.0, 3.0])
    optimum = b.var() / 2
    assert optimum - 1e-5 < problem.certify(w).dual < optimum - 1e-12
    # 1000 times the larger of |w_j| and of max|scores or targets| / column norm.
    certificate = problem.certify(w)
    assert certificate.radius == 6000.0
    unpaid = -np.mean(b * (3.0 - b + shift) + (3.0 - b + shift) ** 2 / 2)
    assert certificate.dual == pytest.approx(unpaid - 6000.0 * abs(shift), abs=1e-12)


@pytest.mark.parametrize("residual", [1e-3, 1e-7])
def test_a_residual_that_is_not_rounding_proves_nothing(monkeypatch, residual):
    b = np.array([1.0, 2.0, 6.0])
    problem = Problem(np.zeros((3, 1)), b, Squared(), L1(1.0), fit_intercept=True)
    monkeypatch.setattr(bounds, "orthogonalise", lambda u, *others: u - np.mean(u) + residual)
    certificate = problem.certify(np.array([0.0, 3.0]))
    assert (certificate.dual, certificate.radius) == (0.0, 0.0)
    np.testing.assert_array_equal(certificate.dual_point, np.zeros(3))


def test_a_separable_problem_without_penalty_keeps_the_trivial_bound():
    problem = Problem(np.eye(2), [1.0, -1.0], Logistic(), NoPenalty())
    certificate = problem.certify(np.array([3.0, -3.0]))
    assert certificate.dual == 0.0
    assert certificate.primal > 0.0


def test_an_infeasible_primal_point_has_no_finite_gap():
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), Box(0.0, 1.0))
    certificate = problem.certify(np.array([2.0, 0.0]))
    assert certificate.primal == np.inf
    assert certificate.gap == np.inf
    assert certificate.relative_gap > 1.0
    assert np.isfinite(certificate.dual)


def test_values_that_are_not_finite_do_not_prove_anything():
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), Ridge(1.0))
    certificate = problem.certify(np.zeros(2), np.array([np.nan, np.inf]))
    assert certificate.dual == 0.0


def test_a_dual_point_that_proves_less_than_nothing_gives_way_to_zero():
    """No loss is negative, so 0 is a bound that needs no proof."""
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), Ridge(1.0))
    certificate = problem.certify(np.zeros(2), np.array([50.0, 50.0]))
    assert certificate.dual == 0.0
    np.testing.assert_array_equal(certificate.dual_point, np.zeros(2))


def test_half_open_coordinates_are_repaired():
    """min over w >= 0: -v must not be positive. The optimum here is w = (0, 1)."""
    problem = Problem(np.eye(2), [-1.0, 1.0], Squared(), NonNegative())
    certificate = problem.certify(np.array([0.0, 1.0]))
    assert (certificate.primal, certificate.dual) == (0.25, pytest.approx(0.25, rel=1e-13))


def test_bound_of_a_kinked_loss_by_hand():
    """Two equal points of two classes: every w has mean hinge >= 1."""
    problem = Problem(np.ones((2, 1)), [1.0, -1.0], Hinge(), NoPenalty(), fit_intercept=True)
    assert problem.certify(np.zeros(2)).dual == pytest.approx(1.0)
