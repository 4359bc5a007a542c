"""CUR decompositions: the design, the fully corrective solver and its quadratic, and the laws of solvers."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

from fenchel import MaxPasses, Problem, RelativeGap, Start, UnsupportedProblemError, solve
from fenchel.design import BilinearDesign
from fenchel.errors import InvalidInputError
from fenchel.losses import Huber, Logistic, Squared
from fenchel.numerics.simplex_quadratic import simplex_quadratic
from fenchel.regularizers import L1, L1InfBall, RowColumnBall

LOSSES = [Squared(), Logistic(), Huber()]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)


def bilinear(rng, loss, radius=0.7, shape=(5, 6), g=None) -> Problem:
    M = rng.normal(size=shape)
    b = np.sign(M.ravel()) if loss.task == "classification" else M.ravel()
    return Problem(BilinearDesign(M), b, loss, (g or RowColumnBall)(radius))


def test_products_are_those_of_the_rows_written_out(rng):
    M, W, u = rng.normal(size=(3, 4)), rng.normal(size=(4, 3)), rng.normal(size=12)
    design = BilinearDesign(M)
    A = np.stack([np.outer(M[i], M[:, j]).ravel() for i in range(3) for j in range(4)])
    np.testing.assert_allclose(design.matvec(W), A @ W.ravel(), atol=1e-12)
    np.testing.assert_allclose(design.rmatvec(u).ravel(), A.T @ u, atol=1e-12)
    squares = (A**2).T @ np.arange(12.0)
    np.testing.assert_allclose(design.column_square_sums(np.arange(12.0)), squares.reshape(4, 3).mean(axis=1))
    assert (design.shape, design.matrix_shape, design.n_entries) == ((12, 4), (4, 3), 24)


@pytest.mark.parametrize("matrix", [np.zeros(3), np.zeros((0, 2)), [[np.nan]]])
def test_matrices_that_cannot_be_are_refused(matrix):
    with pytest.raises(InvalidInputError):
        BilinearDesign(matrix)


def by_many_constraints(problem: Problem) -> float:
    """The optimum by sequential quadratic programming over W and the maxima of its rows and columns."""
    d, m = problem.primal_shape
    radius, size = problem.regularizer.radius, d * m

    def parts(x):
        return x[:size].reshape(d, m), x[size : size + d], x[size + d :]

    def value(x):
        return float(np.mean(problem.loss.value(problem.scores(parts(x)[0]), problem.b)))

    def slope(x):
        W = parts(x)[0]
        return np.concatenate([problem.correlation(problem.dual_point(W)).ravel(), np.zeros(d + m)])

    def room(x):
        W, rows, columns = parts(x)
        sides = [rows[:, None] - W, rows[:, None] + W, columns - W, columns + W]
        return np.concatenate(
            [*(side.ravel() for side in sides), [radius - rows.sum(), radius - columns.sum()]]
        )

    found = minimize(
        value,
        np.full(size + d + m, 0.01),
        jac=slope,
        method="SLSQP",
        constraints={"type": "ineq", "fun": room},
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return float(found.fun)


@each_loss
def test_optimum_is_that_of_quadratic_programming(rng, loss):
    problem = bilinear(rng, loss, shape=(3, 4))
    result = solve(problem, stopping=RelativeGap(1e-7) | MaxPasses(2000))
    assert result.status.solved, result.message
    assert result.solver == "fully_corrective_frank_wolfe"
    value = by_many_constraints(problem)
    assert result.certificate.primal == pytest.approx(value, abs=1e-6)
    assert result.certificate.dual <= value + 1e-9
    assert problem.regularizer.value(result.w) == 0.0


@each_loss
def test_the_trace_is_monotone_and_the_result_certified(rng, loss):
    problem = bilinear(rng, loss)
    result = solve(problem, stopping=RelativeGap(1e-4) | MaxPasses(1000))
    assert result.status.solved, result.message
    for before, after in pairwise(result.trace):
        assert after.entries_read > before.entries_read
        assert after.certificate.gap <= before.certificate.gap
    again = problem.certify(result.w, result.u)
    assert (again.primal, again.dual) == (result.certificate.primal, result.certificate.dual)
    warm = solve(problem, stopping=MaxPasses(0), start=result)
    assert warm.certificate.gap <= result.certificate.gap * (1 + 1e-12)
    copy = result.w.copy()
    solve(problem, stopping=MaxPasses(12), start=result)
    np.testing.assert_array_equal(result.w, copy)


def test_every_point_is_feasible_and_no_worse_than_the_one_before(rng):
    problem = bilinear(rng, Squared(), radius=1.0)
    values = [problem.primal_value(problem.zeros())]

    def look(progress):
        values.append(progress.certificate.primal)

    result = solve(problem, stopping=RelativeGap(1e-4) | MaxPasses(500), callback=look)
    assert all(after <= before for before, after in pairwise(values))
    state = result.state
    assert state.weights.min() > 0
    assert state.weights.sum() == pytest.approx(1.0, abs=1e-12)
    for point in state.points:
        assert problem.regularizer.value(point.reshape(problem.primal_shape)) == 0.0


def test_a_start_outside_of_the_set_is_left_out(rng):
    problem = bilinear(rng, Squared())
    result = solve(problem, stopping=RelativeGap(1e-4), start=Start(np.full(problem.primal_shape, 9.0)))
    assert result.status.solved


def test_a_set_with_a_projection_takes_proximal_gradient(rng):
    problem = bilinear(rng, Squared(), g=L1InfBall)
    one = solve(problem, stopping=RelativeGap(1e-5) | MaxPasses(20_000))
    two = solve(problem, "fully_corrective_frank_wolfe", stopping=RelativeGap(1e-5) | MaxPasses(20_000))
    assert (one.solver, two.status.solved) == ("proximal_gradient", True)
    assert one.certificate.primal == pytest.approx(two.certificate.primal, rel=2e-5)


def test_what_cannot_be_served_is_refused(rng):
    problem = bilinear(rng, Squared())
    with pytest.raises(UnsupportedProblemError, match="BilinearDesign has a matrix of coefficients"):
        solve(Problem(problem.design, problem.b, Squared(), L1(0.1)), "primal_cd")
    with pytest.raises(UnsupportedProblemError, match="it needs a dense matrix of coefficients"):
        solve(Problem(np.eye(2), [1.0, -1.0], Squared(), L1(0.1)), "fully_corrective_frank_wolfe")
    with pytest.raises(UnsupportedProblemError, match="no intercept"):
        Problem(problem.design, problem.b, Squared(), RowColumnBall(1.0), fit_intercept=True)


@pytest.mark.parametrize("k", [1, 2, 7, 20])
@pytest.mark.parametrize("rank", [1, 20])
def test_quadratic_over_the_simplex_is_stationary(rng, k, rank):
    root = rng.normal(size=(rank, k))
    H, q, start = root.T @ root, rng.normal(size=k), np.zeros(k)
    start[rng.integers(k)] = 1.0
    x = simplex_quadratic(H, q, start)
    assert x.min() >= 0.0
    assert x.sum() == pytest.approx(1.0, abs=1e-14)
    slope = H @ x + q
    # The gap of Frank-Wolfe bounds the distance to the optimum.
    assert slope @ x - slope.min() <= 1e-9 * np.abs(slope).max()
