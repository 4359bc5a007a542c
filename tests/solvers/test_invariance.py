"""What must not change a fit, and the shapes and scales that break a careless one."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import PRECISE, draw, limit_on_passes, may_run_out, primal_dual, served
from fenchel import MaxPasses, Problem, RelativeGap, solve
from fenchel.losses import (
    Absolute,
    Hinge,
    Huber,
    Logistic,
    MultiSquared,
    Softmax,
    Squared,
    SquaredHinge,
)
from fenchel.regularizers import L1, Box, ElasticNet, L2Ball, NonNegative, NoPenalty, Ridge
from fenchel.solvers.registry import SOLVERS

SHAPES = ["one row", "one column", "wide", "tall", "zeros", "constant", "duplicates", "zero row and column"]
LOSSES = [Logistic(), Hinge(), Squared(), Absolute(), MultiSquared(), Softmax()]
GAP = RelativeGap(1e-9)


def variant(problem: Problem, A, b=None, weight=None) -> Problem:
    return Problem(
        A,
        problem.b if b is None else b,
        problem.loss,
        problem.regularizer,
        sample_weight=problem.sample_weight if weight is None else weight,
        fit_intercept=problem.fit_intercept,
    )


def features(problem: Problem) -> np.ndarray:
    return problem.design.select_columns(np.arange(problem.n_features))


def solved(problem: Problem, solver: str):
    """The result, or None when the solver does not serve the problem."""
    if SOLVERS[solver].unmet(problem) is not None:
        return None
    result = solve(problem, solver, stopping=GAP | limit_on_passes(solver, problem))
    assert result.status.solved or may_run_out(solver, problem), result.message
    return result


def assert_same_optimum(one, two):
    slack = one.certificate.gap + two.certificate.gap + 1e-12
    assert abs(one.certificate.primal - two.certificate.primal) <= slack


@served(PRECISE, LOSSES, [L1(0.02), Ridge(0.1), Box(-0.5, 0.5), L2Ball(1.0)])
def test_storage_order_and_repetition(rng, solver, loss, g):
    """Sparse or dense, rows and columns in any order, weight 2 or twice the row: the same optimum."""
    problem = draw(rng, loss, g, n=16, d=5, kind="correlated", intercept=True)
    first = solved(problem, solver)
    if first is None:
        return
    A, rows, columns = features(problem), rng.permutation(16), rng.permutation(5)
    counts = np.where(np.arange(16) % 3 == 0, 2.0, 1.0)
    weighted = solved(variant(problem, A, weight=counts), solver)
    twice = np.repeat(np.arange(16), counts.astype(int))
    assert_same_optimum(first, solved(variant(problem, sp.csr_array(A)), solver))
    permuted = solved(variant(problem, A[rows][:, columns], problem.b[rows]), solver)
    assert_same_optimum(first, permuted)
    if isinstance(g, Ridge) and loss.smooth:
        np.testing.assert_allclose(permuted.w[:5], first.w[:5][columns], atol=1e-3)
    repeated = variant(problem, A[twice], problem.b[twice], np.ones(len(twice)))
    assert_same_optimum(weighted, solved(repeated, solver))


@served(PRECISE, LOSSES, [L1(0.02), Ridge(0.1), NonNegative(l1=0.01), L2Ball(1.0)])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_unusual_shapes_are_solved(rng, solver, loss, g, intercept, shape):
    n, d = {"one row": (1, 4), "one column": (9, 1), "wide": (4, 40), "tall": (80, 2)}.get(shape, (9, 4))
    A = rng.normal(size=(n, d))
    if shape == "zeros":
        A[:] = 0.0
    if shape == "constant":
        A[:, :2] = [3.0, -0.1]
    if shape == "duplicates":
        A[:, 1:3] = A[:, [0]]
        A[5:] = A[:4]
    if shape == "zero row and column":
        A[2], A[:, 3] = 0.0, 0.0
    b = draw(rng, loss, g, n=n, d=d).b
    problem = Problem(A, b, loss, g, fit_intercept=intercept)
    if shape == "one row" and intercept and isinstance(loss, Logistic):
        return  # the infimum 0 is not attained
    result = solved(problem, solver)
    if result is not None:
        assert np.isfinite(result.w).all()
        assert result.certificate.dual <= problem.primal_value(primal_dual(problem)[0]) + 1e-11


@served(PRECISE, [Logistic(), Hinge(), Squared(), Huber()], [ElasticNet(0.02, 0.05)])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("intercept", [False, True])
def test_units_of_the_columns_do_not_matter(rng, solver, scale, loss, g, intercept):
    """A -> c A with l1 -> c l1, l2 -> c^2 l2 leaves P as it is, and w -> w / c."""
    one = draw(rng, loss, g, n=12, kind="correlated", intercept=intercept)
    scaled = ElasticNet(0.02 * scale, 0.05 * scale**2)
    other = Problem(scale * features(one), one.b, loss, scaled, fit_intercept=intercept)
    if solver == "proximal_gradient" and intercept:
        return  # one step size for all columns: the column of ones is out of scale
    first, second = solved(one, solver), solved(other, solver)
    if first is not None:
        assert_same_optimum(first, second)


@served(PRECISE, [Squared(), Absolute()], [L1(0.02)])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_the_targets_do_not_matter(rng, solver, scale, loss, g):
    one = draw(rng, loss, g, n=12, kind="correlated", intercept=True)
    power = 2 if loss.smooth else 1
    scaled = L1(0.02 * scale ** (power - 1))
    other = Problem(features(one), scale * one.b, loss, scaled, fit_intercept=True)
    first, second = solved(one, solver), solved(other, solver)
    if first is not None:
        slack = first.certificate.gap + second.certificate.gap / scale**power + 1e-12
        assert abs(second.certificate.primal / scale**power - first.certificate.primal) <= slack


@served(PRECISE, [Logistic(), Hinge(), Squared()], [L1(0.02)])
@pytest.mark.parametrize("kind", ["gaussian", "sparse"])
def test_single_precision_reaches_an_honest_gap(rng, solver, loss, g, kind):
    """The problem of the rounded entries, in float64: the gap has all its digits."""
    double = draw(rng, loss, g, n=20, kind=kind, intercept=True)
    A = features(double).astype(np.float32)
    single = variant(double, sp.csr_array(A) if kind == "sparse" else A)
    first, second = solved(single, solver), solved(variant(double, A.astype(np.float64)), solver)
    if first is not None:
        assert_same_optimum(first, second)


@served(PRECISE, [Logistic(), Squared(), SquaredHinge()], [NoPenalty()])
def test_without_penalty_the_gap_still_closes(rng, solver, loss, g):
    """Many more rows than columns, classes that overlap: the repair must orthogonalise to all columns."""
    problem = draw(rng, loss, g, n=60, d=3, intercept=True)
    if SOLVERS[solver].unmet(problem) is not None:
        return
    result = solve(problem, solver, stopping=RelativeGap(1e-8) | limit_on_passes(solver, problem))
    assert result.status.solved or may_run_out(solver, problem), result.message


@pytest.mark.parametrize("loss", [Logistic(), Squared(), Huber()], ids=repr)
def test_a_large_offset_is_no_obstacle(rng, loss):
    """Columns far from zero are centred by the intercept; the gap must not stall."""
    A = rng.normal(size=(30, 4)) + 100.0
    problem = Problem(A, draw(rng, loss, L1(0.1), n=30).b, loss, L1(0.02), fit_intercept=True)
    assert solve(problem, "primal_cd", stopping=RelativeGap(1e-8) | MaxPasses(2000)).status.solved
