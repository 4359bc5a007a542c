"""Matrix completion: the solver against dense projected gradient, and the laws of every solver."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest

from fenchel import MaxPasses, Problem, RelativeGap, Start, UnsupportedProblemError, solve
from fenchel.design import CompletionDesign
from fenchel.losses import Absolute, Huber, Logistic, Loss, SmoothedHinge, Squared
from fenchel.numerics.low_rank import LowRank
from fenchel.regularizers import L1, L2Ball, NuclearBall
from fenchel.solvers.full.soft_impute import SoftImpute

LOSSES = [Squared(), Logistic(), Huber(), SmoothedHinge()]
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)


def completion(rng, loss: Loss, radius: float, *, n=150, shape=(20, 14), weighted=False, repeats=False):
    """Noisy entries of a matrix of rank 2, in random order."""
    m, p = shape
    places = rng.integers(m * p, size=n) if repeats else rng.permutation(m * p)[:n]
    rows, columns = places // p, places % p
    truth = rng.normal(size=(m, 2)) @ rng.normal(size=(2, p))
    b = truth[rows, columns] + 0.3 * rng.normal(size=n)
    b = np.sign(b) if loss.task == "classification" else b
    weight = rng.exponential(size=n) * (rng.random(n) < 0.8) if weighted else None
    return Problem(CompletionDesign(rows, columns, shape), b, loss, NuclearBall(radius), weight)


def by_dense_steps(problem: Problem, steps=20_000) -> float:
    """The least value that projected gradient steps on a dense matrix find."""
    design, ball = problem.design, problem.regularizer
    W, n = np.zeros(design.matrix_shape), problem.n_samples
    step = n / (problem.loss.smoothness * design.largest_weight(problem.sample_weight))
    for _ in range(steps):
        gradient = np.zeros_like(W)
        z = W[design.row_index, design.column_index]
        slope = problem.sample_weight * problem.loss.gradient(z, problem.b) / n
        np.add.at(gradient, (design.row_index, design.column_index), slope)
        following = ball.prox(W - step * gradient, 1.0)
        if np.abs(following - W).max() <= 1e-13:
            break
        W = following
    return problem.primal_value(W)


@each_loss
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("repeats", [False, True])
def test_optimum_is_that_of_dense_steps(rng, loss, weighted, repeats):
    problem = completion(rng, loss, 8.0, n=60, shape=(9, 7), weighted=weighted, repeats=repeats)
    result = solve(problem, stopping=RelativeGap(1e-9) | MaxPasses(50_000))
    assert result.status.solved, result.message
    assert result.solver == "soft_impute"
    value = by_dense_steps(problem)
    assert result.certificate.primal <= value + 1e-9
    assert result.certificate.dual <= value + 1e-12
    assert result.w.nuclear_norm() <= 8.0 * (1 + 1e-12)
    assert result.certificate.failure == 0.0


@each_loss
@pytest.mark.parametrize("radius", [0.5, 20.0])
def test_the_trace_is_monotone_and_never_optimistic(rng, loss, radius):
    problem = completion(rng, loss, radius)
    found = []
    solver = SoftImpute(steps_per_epoch=2)

    def keep(progress):
        found.append(progress.certificate.primal)

    result = solve(problem, solver, stopping=RelativeGap(1e-7) | MaxPasses(20_000), callback=keep)
    assert result.status.solved, result.message
    for before, after in pairwise(result.trace):
        assert after.entries_read > before.entries_read
        assert after.certificate.gap <= before.certificate.gap
    for record in result.trace:
        assert record.certificate.dual <= result.certificate.primal
    again = problem.certify(result.w, result.u)
    assert (again.primal, again.dual) == (result.certificate.primal, result.certificate.dual)
    assert result.trace[-1].nonzeros == result.w.rank


def test_dual_value_with_the_exact_norm_is_no_smaller(rng):
    problem = completion(rng, Squared(), 5.0)
    for scale in (0.1, 1.0, 3.0):
        u = scale * rng.normal(size=problem.n_samples)
        exact = 5.0 * np.linalg.norm(problem.correlation(u).toarray(), 2)
        value = problem.dual_value(u)
        assert value <= -problem.mean_conjugate(u) - exact
        assert value == pytest.approx(-problem.mean_conjugate(u) - exact, rel=1e-9)


def test_a_factored_point_is_certified_as_the_dense_one(rng):
    problem = completion(rng, Logistic(), 5.0)
    w = problem.prox(
        LowRank(rng.normal(size=(20, 3)), np.array([2.0, -1.0, 0.5]), rng.normal(size=(14, 3))), 0.0
    )
    factored, dense = problem.certify(w), problem.certify(w.toarray())
    assert factored.primal == pytest.approx(dense.primal, rel=1e-12)
    assert factored.dual == pytest.approx(dense.dual, rel=1e-12)
    # The gap at the gradient is that of Frank-Wolfe: <G, W> + r sigma_1(G).
    G = problem.correlation(problem.dual_point(w))
    gap = float(np.sum(G.toarray() * w.toarray())) + 5.0 * np.linalg.norm(G.toarray(), 2)
    assert factored.gap == pytest.approx(gap, rel=1e-8)
    vertex = problem.primal_point(problem.dual_point(w))
    assert float(np.sum(G.toarray() * vertex.toarray())) == pytest.approx(
        -5.0 * np.linalg.norm(G.toarray(), 2)
    )


def test_the_seed_decides_everything_and_the_start_is_left_alone(rng):
    problem = completion(rng, Squared(), 8.0)
    first, second = (solve(problem, stopping=MaxPasses(150), rng=3) for _ in range(2))
    np.testing.assert_array_equal(first.w.toarray(), second.w.toarray())
    copies = [first.w.left.copy(), first.w.sizes.copy(), first.w.right.copy()]
    again = solve(problem, stopping=MaxPasses(0), start=first)
    assert again.certificate.primal <= first.certificate.primal * (1 + 1e-12)
    assert again.certificate.dual >= first.certificate.dual * (1 - 1e-12)
    solve(problem, stopping=MaxPasses(50), start=first)
    for array, copy in zip((first.w.left, first.w.sizes, first.w.right), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_a_start_outside_of_the_ball_or_dense_is_moved_into_it(rng):
    problem = completion(rng, Squared(), 2.0)
    expected = solve(problem, stopping=RelativeGap(1e-8)).certificate.primal
    for w in (rng.normal(size=(20, 14)), LowRank(np.ones((20, 1)), np.array([5.0]), np.ones((14, 1)))):
        result = solve(problem, stopping=RelativeGap(1e-8), start=Start(w))
        assert result.certificate.primal == pytest.approx(expected, rel=2e-8)


def test_a_radius_that_does_not_bind_gives_the_observations(rng):
    problem = completion(rng, Squared(), 1e4, n=60)
    result = solve(problem, stopping=RelativeGap(0.0) | MaxPasses(200))
    np.testing.assert_allclose(problem.scores(result.w), problem.b, atol=1e-9)
    assert result.status.solved


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (2, 2)])
def test_thin_matrices(rng, shape):
    m, p = shape
    problem = completion(rng, Squared(), 0.5, n=m * p, shape=shape)
    result = solve(problem, stopping=RelativeGap(1e-9) | MaxPasses(5000))
    assert result.status.solved, result.message
    assert result.certificate.primal <= by_dense_steps(problem) + 1e-9


def test_what_cannot_be_served_is_refused_before_any_work(rng):
    design = CompletionDesign([0, 1], [1, 0], (2, 2))
    with pytest.raises(
        UnsupportedProblemError, match=r"^CompletionDesign keeps .* L2Ball .* Use NuclearBall\.$"
    ):
        Problem(design, [1.0, -1.0], Squared(), L2Ball(1.0))
    with pytest.raises(UnsupportedProblemError, match=r"no intercept. Centre the targets"):
        Problem(design, [1.0, -1.0], Squared(), NuclearBall(1.0), fit_intercept=True)
    problem = Problem(design, [1.0, -1.0], Squared(), NuclearBall(1.0))
    for solver in ("primal_cd", "sdca", "proximal_gradient", "svrg"):
        with pytest.raises(UnsupportedProblemError, match="CompletionDesign"):
            solve(problem, solver)
    with pytest.raises(UnsupportedProblemError, match="it needs the observed entries of a matrix"):
        solve(Problem(np.eye(2), [1.0, -1.0], Squared(), L1(0.1)), "soft_impute")
    with pytest.raises(
        UnsupportedProblemError, match=r"soft_impute.*: it needs a loss with a Lipschitz gradient"
    ):
        solve(Problem(design, [1.0, -1.0], Absolute(), NuclearBall(1.0)))
    with pytest.raises(UnsupportedProblemError, match="cannot serve a method that visits columns"):
        _ = design.columns


def test_no_matrix_is_formed(rng):
    """A dense 20,000 x 20,000 array alone would take 3.2 GB."""
    m, n = 20_000, 100_000
    rows, columns = rng.integers(m, size=n), rng.integers(m, size=n)
    b = rng.normal(size=m)[rows] * rng.normal(size=m)[columns]
    tracemalloc.start()
    problem = Problem(CompletionDesign(rows, columns, (m, m)), b, Squared(), NuclearBall(100.0))
    result = solve(problem, SoftImpute(steps_per_epoch=5), stopping=MaxPasses(20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400e6
    assert result.certificate.failure == 1e-10
    assert 0 < result.certificate.dual < result.certificate.primal < problem.primal_value(problem.zeros())
