"""Problem: shapes, values, points, constants, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from cases_solvers import draw
from fenchel import InvalidInputError, Problem, UnsupportedProblemError
from fenchel.losses import Absolute, Hinge, Huber, Logistic, MultiSquared, Squared
from fenchel.problem.bounds import admissible
from fenchel.problem.free import minimise_free
from fenchel.regularizers import L1, Box, ElasticNet, L2Ball, NonNegative, NoPenalty, Ridge


def test_shapes_with_an_intercept(rng):
    problem = draw(rng, MultiSquared(), Ridge(1.0), n=7, d=4, intercept=True)
    assert (problem.n_samples, problem.n_features, problem.n_coordinates) == (7, 4, 5)
    assert problem.primal_shape == (5, 2)
    assert draw(rng, Squared(), Ridge(1.0), n=7, d=4).primal_shape == (4,)


def test_values_are_their_formulas(rng):
    A, b, s = rng.normal(size=(6, 3)), rng.normal(size=6), rng.random(6) + 0.1
    problem = Problem(A, b, Squared(), ElasticNet(0.2, 0.3), sample_weight=s, fit_intercept=True)
    w, weight = rng.normal(size=4), s / s.mean()
    z = A @ w[:3] + w[3]
    penalty = 0.2 * np.abs(w[:3]).sum() + 0.15 * (w[:3] ** 2).sum()
    np.testing.assert_allclose(problem.scores(w), z, rtol=1e-14)
    np.testing.assert_allclose(problem.sample_weight, weight, rtol=1e-15)
    assert problem.primal_value(w) == pytest.approx(np.mean(weight * (z - b) ** 2) / 2 + penalty, rel=1e-14)
    np.testing.assert_allclose(problem.dual_point(w), z - b, rtol=1e-12)
    u = rng.normal(size=6)
    u -= np.sum(weight * u) / np.sum(weight)
    v = A.T @ (weight * u) / 6
    np.testing.assert_allclose(problem.correlation(u)[:3], v, rtol=1e-12)
    excess = np.maximum(np.abs(v) - 0.2, 0.0)
    dual = -np.mean(weight * (b * u + u**2 / 2)) - (excess**2).sum() / 0.6
    assert problem.dual_value(u) == pytest.approx(dual, rel=1e-12)
    w_u = problem.primal_point(u)
    np.testing.assert_allclose(w_u[:3], -np.sign(v) * excess / 0.3, rtol=1e-10, atol=1e-14)
    assert w_u[3] == 0.0
    mean_squares = np.append((weight[:, None] * A**2).mean(axis=0), 1.0)
    np.testing.assert_allclose(problem.column_norms, np.sqrt(mean_squares), rtol=1e-13)


def test_dual_value_is_minus_infinity_where_u_is_infeasible():
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), L1(0.25), fit_intercept=True)
    assert problem.dual_value(np.array([0.3, -0.3])) == pytest.approx(-0.345)
    assert problem.dual_value(np.array([0.6, -0.6])) == -np.inf  # beyond the l1 ball
    assert problem.dual_value(np.array([0.3, 0.1])) == -np.inf  # not orthogonal to the intercept
    hinge = Problem(np.eye(2), [1.0, -1.0], Hinge(), Ridge(1.0))
    assert hinge.dual_value(np.array([0.5, 0.5])) == -np.inf  # outside the domain of the loss


def test_rows_of_weight_zero_do_not_count():
    """Neither in the dual value, nor in the slack for its constraints."""
    A, b = np.array([[1.0], [1.0], [3.0]]), [1.0, -1.0, 1.0]
    problem = Problem(A, b, Logistic(), L1(0.1), sample_weight=[1.0, 1.0, 0.0])
    assert problem.dual_value(np.array([-0.5, 0.5, 7.0])) == pytest.approx(np.log(2.0))
    squared = Problem(A, b, Squared(), L1(0.1), sample_weight=[1.0, 1.0, 0.0])
    assert squared.dual_value(np.array([-0.4, 0.0, 1e14])) == -np.inf
    assert squared.certify(np.zeros(1), np.array([-1.0, 1.0, 1e14])).dual == pytest.approx(0.5)


def test_only_ratios_of_sample_weights_matter(rng):
    one = draw(rng, Huber(), L1(0.1), weight="none")
    w = rng.normal(size=4)
    for weight in (None, 3.0, np.full(7, 1e-30), np.full(7, 1e30)):
        problem = Problem(one.design, one.b, Huber(), L1(0.1), sample_weight=weight)
        assert problem.certify(w).primal == pytest.approx(one.certify(w).primal, rel=1e-14)
        assert problem.certify(w).dual == pytest.approx(one.certify(w).dual, rel=1e-13)


def test_two_classes_are_coded_as_signs():
    message = (
        r"^b has values other than -1 and \+1: Logistic needs two classes coded so\. Recode the targets, or "
        r"use an estimator, which does it for you\.$"
    )
    with pytest.raises(InvalidInputError, match=message):
        Problem(np.eye(2), [0.0, 1.0], Logistic(), L1(0.1))


@pytest.mark.parametrize(
    ("b", "loss", "regularizer", "weight", "message"),
    [
        ([1.0], Squared(), L1(0.1), None, r"^b has 1 rows, but there are 2 samples\. Pass one row for each"),
        ([[1.0, 2.0]] * 2, Squared(), L1(0.1), None, r"^b has shape \(2, 2\), but one value for each sample"),
        ([1.0, np.nan], Squared(), L1(0.1), None, r"^b .*NaN"),
        ([1.0, 2.0], Squared(), L1(0.1, weights=[1.0]), None, r"^L1 cannot use weights of length 1 with 2 "),
        ([1.0, 2.0], Squared(), L1(0.1), [1.0, -1.0], r"^sample_weight has -1 at row 1: a negative weight"),
        ([1.0, 2.0], Squared(), L1(0.1), [0.0, 0.0], r"^sample_weight is zero for all samples"),
    ],
)
def test_bad_arguments_are_refused(b, loss, regularizer, weight, message):
    with pytest.raises(InvalidInputError, match=message):
        Problem(np.eye(2), b, loss, regularizer, sample_weight=weight)


def test_points_of_another_shape_are_refused():
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), L1(0.25), fit_intercept=True)
    with pytest.raises(InvalidInputError, match=r"^w has shape \(2,\), but this problem needs \(3,\)\.$"):
        problem.certify(np.zeros(2))
    with pytest.raises(InvalidInputError, match=r"^u has shape \(3,\), but this problem needs \(2,\)\.$"):
        problem.certify(np.zeros(3), np.zeros(3))


def test_a_ball_has_no_form_by_coordinates():
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), L2Ball(1.0))
    message = (
        r"^L2Ball is not separable, so it has no form by coordinates\. Use solver='proximal_gradient'\.$"
    )
    with pytest.raises(UnsupportedProblemError, match=message):
        _ = problem.coordinate_form


@pytest.mark.parametrize("weight", ["none", "zeros"])
@pytest.mark.parametrize(
    ("loss", "intercept"),
    [(Logistic(), False), (Logistic(), True), (Squared(), True), (Huber(0.3), True), (Absolute(), False)],
)
def test_zero_solution_strength_is_where_zero_becomes_optimal(rng, loss, weight, intercept):
    problem = draw(rng, loss, L1(1.0, weights=[0.5, 1.0, 1.0, 3.0]), n=11, weight=weight, intercept=intercept)
    strength = problem.zero_solution_strength()

    def gap_at(factor: float) -> float:
        regularizer = L1(factor * strength, weights=[0.5, 1.0, 1.0, 3.0])
        base = problem.design.base if intercept else problem.design
        other = Problem(
            base, problem.b, loss, regularizer, sample_weight=problem.sample_weight, fit_intercept=intercept
        )
        return other.certify(minimise_free(other, np.zeros(other.primal_shape))).gap

    assert gap_at(1.0) <= 1e-12
    if loss.smooth:
        assert gap_at(0.99) > 1e-7


def test_zero_solution_strength_with_a_bound_at_zero():
    """A column that would only want a negative coefficient asks for no strength."""
    problem = Problem(-np.eye(2), [2.0, -1.0], Squared(), NonNegative(l1=1.0))
    assert problem.zero_solution_strength() == pytest.approx(0.5)
    assert problem.certify(np.zeros(2)).gap == 0.0
    mirrored = Problem(np.eye(2), [2.0, -1.0], Squared(), Box([-1.0, -1.0], [0.0, 0.0], l1=1.0))
    assert mirrored.zero_solution_strength() == pytest.approx(0.5)


@pytest.mark.parametrize("regularizer", [Ridge(1.0), NoPenalty(), L1(0.0)], ids=repr)
def test_zero_solution_strength_needs_an_l1_part(regularizer):
    problem = Problem(np.eye(2), [1.0, -1.0], Squared(), regularizer)
    name = type(regularizer).__name__
    message = (
        rf"^{name} has no l1 part, so no strength makes the coefficients zero\. Use L1 or ElasticNet with"
    )
    with pytest.raises(UnsupportedProblemError, match=message):
        problem.zero_solution_strength()


def test_rounding_is_measured_against_the_loss_at_zero():
    problem = Problem(np.eye(2), [3.0, 1.0], Squared(), L1(0.1), sample_weight=[1.0, 3.0])
    assert problem.rounding == pytest.approx(4 * np.finfo(float).eps * (0.5 * 4.5 + 1.5 * 0.5))


def test_other_targets_share_what_does_not_depend_on_them(rng):
    problem = draw(rng, Logistic(), L1(0.1), n=12, d=5, weight="positive", intercept=True)
    _ = problem.rounding
    b = -problem.b
    other, fresh = problem.with_target(b), replace(problem, design=problem.design.base, b=b)
    assert other.design is problem.design
    assert other.column_norms is problem.column_norms
    w = rng.normal(size=6)
    assert other.primal_value(w) == pytest.approx(fresh.primal_value(w), rel=1e-14)
    assert other.certify(w).gap == pytest.approx(fresh.certify(w).gap, rel=1e-12)
    with pytest.raises(InvalidInputError, match="other than -1 and"):
        problem.with_target(2 * b)
    squares = draw(rng, Squared(), L1(0.1), n=12, d=5)
    _ = squares.rounding
    assert squares.with_target(100 * squares.b).rounding == pytest.approx(1e4 * squares.rounding)


def test_a_certificate_from_given_products_is_the_certificate(rng):
    problem = draw(rng, Logistic(), L1(0.1), n=12, d=5, intercept=True)
    w = rng.normal(size=6)
    z = problem.scores(w)
    u = admissible(problem, problem.loss.gradient(z, problem.b))
    v = problem.correlation(u)
    found, alone = problem.certify_at(w, z, u, v.copy()), problem.certify(w)
    assert (found.primal, found.dual, found.radius) == (alone.primal, alone.dual, alone.radius)
    np.testing.assert_array_equal(v, problem.correlation(u))
