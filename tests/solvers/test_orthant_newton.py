"""Newton steps on orthants: what a step may do to P, where steps end, and the quadratic beneath them."""

import numpy as np
import pytest

from cases_solvers import draw
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import Hinge, Huber, Logistic, SmoothedHinge, Squared, SquaredHinge
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, Ridge
from fenchel.regularizers.scaled import scaled
from fenchel.solvers.coordinate.orthant_newton import OrthantNewton, over_orthant

D = 12
WEIGHTS = np.where(np.arange(D) % 5 == 0, 0.0, 1.0 + np.arange(D) % 3)
LOSSES = [Squared(), Logistic(), SquaredHinge(), SmoothedHinge(), Huber(threshold=0.7)]
PENALTIES = [
    L1(0.03),
    L1(0.03, weights=WEIGHTS),
    ElasticNet(0.02, 0.05),
    NonNegative(l1=0.02),
    Box(-np.inf, 0.0, l1=0.01, l2=0.01),
]


def newton_at(problem, w):
    columns = problem.design.select_columns(np.arange(problem.n_coordinates))
    return OrthantNewton(problem, columns, w)


each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
each_penalty = pytest.mark.parametrize("g", PENALTIES, ids=lambda g: repr(g)[:30])


def steps(problem, w, tolerance=1e-9):
    """Step until nothing is violated or no step is found; the values of P on the way."""
    newton = newton_at(problem, w)
    values = [problem.primal_value(newton.w)]
    while newton.violation > tolerance and newton.step():
        values.append(problem.primal_value(newton.w))
        assert len(values) <= 40
    return newton, np.array(values)


@each_loss
@each_penalty
@pytest.mark.parametrize("intercept", [False, True])
def test_from_strength_to_strength_steps_end_at_the_solution(rng, loss, g, intercept):
    problem = draw(rng, loss, g, n=40, d=D, intercept=intercept, weight="zeros")
    assert OrthantNewton.serves(problem)
    rule = RelativeGap(1e-10) | MaxPasses(50_000)
    before = solve(problem.with_regularizer(scaled(g, 1.05)), stopping=rule)
    newton, values = steps(problem, before.w)
    assert np.all(np.diff(values) <= 1e-14 * abs(values[0]))
    best = solve(problem, stopping=rule).certificate
    assert newton.certificate().gap <= 1e-7 * max(abs(best.primal), 1e-3)
    assert values[-1] <= best.primal + 1e-8 * max(abs(best.primal), 1e-3)


@each_loss
@each_penalty
def test_from_anywhere_the_objective_never_rises(rng, loss, g):
    problem = draw(rng, loss, g, n=40, d=D, intercept=True, weight="zeros")
    form = problem.coordinate_form
    newton, values = steps(problem, np.clip(rng.normal(size=D + 1), form.lower, form.upper))
    assert np.all(np.diff(values) <= 1e-14 * abs(values[0]))
    assert np.all((newton.w >= form.lower) & (newton.w <= form.upper))


def test_the_products_and_the_certificate_are_those_of_the_point(rng):
    problem = draw(rng, Logistic(), L1(0.03), n=40, d=D)
    newton = newton_at(problem, np.zeros(D))
    assert newton.step()
    np.testing.assert_allclose(newton.u, problem.loss.gradient(newton.z, problem.b), rtol=1e-14)
    np.testing.assert_allclose(newton.z, problem.scores(newton.w), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(newton.v, problem.correlation(newton.u), rtol=1e-12, atol=1e-15)
    known, computed = newton.certificate(), problem.certify(newton.w)
    assert known.primal == pytest.approx(computed.primal, rel=1e-13)
    assert known.dual == pytest.approx(computed.dual, rel=1e-13)


def test_one_step_solves_a_squared_loss_where_the_signs_are_right(rng):
    problem = draw(rng, Squared(), L1(0.05), n=40, d=D, kind="gaussian")
    w = solve(problem, stopping=RelativeGap(1e-13) | MaxPasses(50_000)).w
    newton = newton_at(problem, w * rng.uniform(0.9, 1.1, size=D))
    assert newton.violation > 1e-3
    assert newton.step()
    assert newton.violation <= 1e-9
    np.testing.assert_array_equal(newton.w == 0.0, w == 0.0)


@pytest.mark.parametrize("kind", ["duplicates", "wide"])
def test_directions_without_curvature_end_at_a_kink(rng, kind):
    A = rng.normal(size=(10, 6 if kind == "duplicates" else 60))
    if kind == "duplicates":
        A = np.hstack([A, A, 2.0 * A])
    problem = Problem(A, rng.normal(size=10), Squared(), L1(1e-3))
    newton = newton_at(problem, 0.1 * rng.normal(size=A.shape[1]))
    value, before = problem.primal_value(newton.w), newton.w
    for _ in range(5):
        if not newton.step():
            break
        assert np.all(np.isfinite(newton.w))
        assert problem.primal_value(newton.w) <= value * (1.0 + 1e-15)  # a drowned step may cost an ulp
        value = problem.primal_value(newton.w)
    assert newton.w is not before


def test_at_the_solution_there_is_no_step(rng):
    problem = draw(rng, Squared(), L1(1.0), n=40, d=D)
    problem = problem.with_regularizer(L1(2.0 * problem.zero_solution_strength()))
    newton = newton_at(problem, np.zeros(D))
    assert newton.violation == 0.0
    assert not newton.step()
    np.testing.assert_array_equal(newton.w, np.zeros(D))


def test_it_serves_small_smooth_problems_with_an_l1_part_and_no_bound_but_zero(rng):
    for loss, g in [
        (Hinge(), L1(0.1)),
        (Squared(), Ridge(0.1)),
        (Squared(), Box(-1.0, 1.0, l1=0.1)),
    ]:
        assert not OrthantNewton.serves(draw(rng, loss, g, n=40, d=D))
    assert OrthantNewton.serves(draw(rng, Squared(), L1(0.1), n=40, d=D))
    assert not OrthantNewton.serves(draw(rng, Squared(), L1(0.1), n=2000, d=101))


def test_the_quadratic_falls_and_its_equations_hold_where_nothing_is_held(rng):
    held = 0
    for _ in range(100):
        m = int(rng.integers(1, 12))
        X = rng.normal(size=(m + 3, m))
        H, slope = X.T @ X, 3.0 * rng.normal(size=m)
        signs = rng.choice([-1.0, 0.0, 1.0], size=m, p=[0.4, 0.2, 0.4])
        start = np.where(signs == 0.0, rng.normal(size=m), signs * rng.exponential(size=m))
        x = over_orthant(H, slope, start, signs)
        d = x - start
        assert np.all(x * signs >= 0.0)
        assert slope @ d + 0.5 * d @ H @ d <= 0.0
        inside = (x != 0.0) | (signs == 0.0)
        np.testing.assert_allclose((slope + H @ d)[inside], 0.0, atol=1e-9 * np.abs(slope).max() * m)
        held += np.count_nonzero(~inside)
    assert held > 50


def test_a_matrix_that_is_not_definite_moves_nothing(rng):
    start = rng.normal(size=3)
    np.testing.assert_array_equal(over_orthant(-np.eye(3), np.ones(3), start, np.sign(start)), start)
