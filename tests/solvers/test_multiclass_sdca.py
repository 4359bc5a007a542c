"""Dual ascent over several classes: its own properties, beside what every solver is tested for."""

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import draw
from fenchel import SDCA, MaxPasses, MulticlassSDCA, Problem, RelativeGap, Start, solve
from fenchel._kernels.multiclass_sdca import EVERY_CLASS
from fenchel.losses import Hinge, Logistic, MulticlassHinge, Softmax
from fenchel.regularizers import L1, Box, ElasticNet, NonNegative, Ridge
from fenchel.solvers.coordinate import multiclass_sdca
from fenchel.solvers.coordinate.active_classes import active_classes

RULE = RelativeGap(1e-9) | MaxPasses(20_000)
each_loss = pytest.mark.parametrize("loss", [Softmax(), MulticlassHinge()], ids=repr)


def data(rng, n=40, d=6, k=4):
    A = rng.normal(size=(n, d))
    return A, np.eye(k)[(A @ rng.normal(size=(d, k)) + rng.normal(size=(n, k))).argmax(axis=1)]


@each_loss
@pytest.mark.parametrize("g", [Ridge(0.05), ElasticNet(0.02, 0.05), Box(-0.2, 0.3, l2=0.1)], ids=repr)
def test_the_dual_value_never_falls(rng, loss, g):
    A, b = data(rng)
    problem, solver = Problem(A, b, loss, g, rng.exponential(size=40)), MulticlassSDCA()
    state = solver.init(problem, Start(), rng)
    assert not state.alpha.any()
    last = problem.dual_value(state.u)
    for _ in range(12):
        solver.run_epoch(problem, state)
        value = problem.dual_value(state.u)
        assert value >= last - 1e-14
        np.testing.assert_allclose(state.t, -problem.correlation(state.u), atol=1e-13)
        last = value


@each_loss
@pytest.mark.parametrize("intercept", [False, True])
def test_sparse_and_single_precision(rng, loss, intercept):
    A, b = data(rng)
    A = (A * (rng.random(A.shape) < 0.5)).astype(np.float32)
    values = []
    for matrix in (A.astype(np.float64), A, sp.csr_array(A), sp.csc_array(A.astype(np.float64))):
        problem = Problem(matrix, b, loss, ElasticNet(0.01, 0.05), fit_intercept=intercept)
        result = solve(problem, "multiclass_sdca", stopping=RULE)
        assert result.status.solved, result.message
        values.append(result.certificate.primal)
    np.testing.assert_allclose(values, values[0], rtol=2e-9)


@each_loss
@pytest.mark.parametrize("intercept", [False, True])
def test_weights_are_repetitions(rng, loss, intercept):
    A, b = data(rng)
    counts = rng.integers(0, 4, size=40)
    weighted = Problem(A, b, loss, Ridge(0.05), counts, fit_intercept=intercept)
    repeated = Problem(
        np.repeat(A, counts, axis=0), np.repeat(b, counts, axis=0), loss, Ridge(0.05), fit_intercept=intercept
    )
    halves = Problem(A, b, loss, Ridge(0.05), 0.5 * counts, fit_intercept=intercept)
    one, two, three = (
        solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-11) | MaxPasses(20_000))
        for problem in (weighted, repeated, halves)
    )
    assert one.status.solved
    assert two.status.solved
    assert one.certificate.primal == pytest.approx(two.certificate.primal, rel=1e-10)
    np.testing.assert_array_equal(three.w, one.w)
    np.testing.assert_allclose(one.w[:6], two.w[:6], atol=1e-4)


@pytest.mark.parametrize(("several", "binary"), [(Softmax(), Logistic()), (MulticlassHinge(), Hinge())])
@pytest.mark.parametrize("l1", [0.0, 0.03])
@pytest.mark.parametrize("intercept", [False, True])
def test_two_classes_are_the_binary_loss_with_half_the_ridge(rng, several, binary, l1, intercept):
    """Only w_2 - w_1 enters the loss; at w_1 = -w_2, the cheapest such pair, l2 counts half and l1 whole."""
    A, b = data(rng, k=2)
    label = b[:, 1] - b[:, 0]
    both = Problem(A, b, several, ElasticNet(l1, 0.1), fit_intercept=intercept)
    single = Problem(A, label, binary, ElasticNet(l1, 0.05), fit_intercept=intercept)
    rule = RelativeGap(1e-11) | MaxPasses(20_000)
    one, two = solve(both, "multiclass_sdca", stopping=rule), solve(single, SDCA(), stopping=rule)
    assert one.status.solved
    assert two.status.solved
    assert one.certificate.primal == pytest.approx(two.certificate.primal, rel=1e-10)
    np.testing.assert_allclose(one.w[:6, 1] - one.w[:6, 0], two.w[:6], atol=1e-4)
    np.testing.assert_allclose(one.w[:6, 0], -one.w[:6, 1], atol=1e-4)


@each_loss
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(
    ("g", "n", "d"),
    [(L1(0.05), 14, 4), (L1(0.02), 5, 40), (Box(-0.5, 0.5), 16, 5), (NonNegative(l1=0.01), 12, 6)],
    ids=str,
)
def test_without_curvature_the_proximal_point_method_arrives(loss, seed, intercept, g, n, d):
    # The hinge and an l1 part make a linear program: the last digits take very many passes.
    gap = 1e-8 if loss.smooth else 1e-4
    problem = draw(np.random.default_rng(seed), loss, g, n=n, d=d, intercept=intercept)
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(gap) | MaxPasses(30_000))
    assert result.status.solved, result.message


@pytest.mark.parametrize("margin", [0.0, 0.05, 100.0])
@pytest.mark.parametrize("g", [Ridge(0.01), ElasticNet(0.01, 0.02)], ids=repr)
def test_lists_of_classes_lose_nothing(rng, monkeypatch, margin, g):
    """With no class listed beside those that carry weight, and with all of them, the optimum is the same."""
    A, b = data(rng, n=80, k=7)
    problem = Problem(A, b, MulticlassHinge(), g, rng.exponential(size=80))
    monkeypatch.setattr(multiclass_sdca, "_MARGIN", margin)
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-7) | MaxPasses(20_000))
    assert result.status.solved, result.message
    expected = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-9) | MaxPasses(50_000))
    assert result.certificate.primal == pytest.approx(expected.certificate.primal, rel=2e-7)
    assert problem.certify(result.w, result.u).relative_gap <= 1e-7


def test_active_classes_are_those_with_weight_or_near_the_worst(rng):
    z = np.array([[2.0, 0.9, 0.0], [0.0, 0.0, 5.0], [1.0, 0.85, 0.0], [4.0, 0.0, 0.0]])
    label = np.array([0, 2, 0, 1])
    u = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, -0.3], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    lists = active_classes(z, u, label, 0.15)
    named = [part.tolist() for part in np.split(lists.classes, lists.indptr[1:-1])]
    assert named == [[0, 1], [2, 0], [0, 1], [1, 0]]


def test_the_gap_that_is_met_is_that_of_the_point_when_nothing_moves(rng):
    """At the optimum the Fenchel-Young terms of the rows sum to the gap that certify finds."""
    A, b = data(rng)
    problem, solver = Problem(A, b, Softmax(), Ridge(0.05)), MulticlassSDCA()
    state = solver.init(problem, Start(u=-0.5 * b + 0.5 / 4), rng)
    row = np.array([7])
    z = -(A @ problem.correlation(state.u)) / 0.05
    solver._pass(problem, state, b.argmax(axis=1), row, EVERY_CLASS)
    u = -0.5 * b + 0.5 / 4
    term = problem.loss.value(z, b) + problem.loss.conjugate(u, b) - np.sum(u * z, axis=1)
    assert state.gaps[7] == pytest.approx(term[7], rel=1e-12)


@each_loss
def test_a_warm_start_is_a_good_start(rng, loss):
    A, b = data(rng, n=80)
    problem = Problem(A, b, loss, Ridge(0.01), fit_intercept=True)
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    cold = solve(problem, "multiclass_sdca", stopping=rule)
    near = Problem(A, b, loss, Ridge(0.0099), fit_intercept=True)
    warm = solve(near, "multiclass_sdca", stopping=rule, start=cold)
    assert warm.status.solved
    assert warm.passes < 0.7 * solve(near, "multiclass_sdca", stopping=rule).passes
    assert solve(problem, "multiclass_sdca", stopping=rule, start=Start(w=cold.w)).status.solved


@each_loss
def test_one_class_in_the_data_needs_no_coefficient(rng, loss):
    b = np.eye(3)[np.zeros(10, dtype=int)]
    problem = Problem(rng.normal(size=(10, 4)), b, loss, Ridge(0.1), fit_intercept=True)
    result = solve(problem, "multiclass_sdca", stopping=RelativeGap(1e-6) | MaxPasses(300))
    assert result.certificate.dual <= result.certificate.primal
    assert np.isfinite(result.certificate.gap)


@each_loss
def test_rows_of_zeros_and_rows_without_weight_are_at_their_optimum(rng, loss):
    A, b = data(rng)
    A[[3, 17]] = 0.0
    weight = np.ones(40)
    weight[[5, 17]] = 0.0
    problem = Problem(A, b, loss, Ridge(0.1), weight)
    result = solve(problem, "multiclass_sdca", stopping=RULE)
    assert result.status.solved
    np.testing.assert_allclose(result.u[3], loss.gradient(np.zeros((1, 4)), b[3:4])[0], atol=1e-14)


@each_loss
def test_no_entry_is_counted_that_was_not_read(rng, loss):
    """The passes of an epoch over the rows that move are shorter than whole ones."""
    A, b = data(rng, n=60)
    problem = Problem(A, b, loss, Ridge(0.05))
    result = solve(problem, MulticlassSDCA(), stopping=RelativeGap(1e-7) | MaxPasses(5_000))
    entries = np.array([record.entries_read for record in result.trace])
    assert np.all(np.diff(entries) >= problem.design.n_entries)


@pytest.mark.parametrize(
    ("loss", "g", "start", "known"),
    [
        (MulticlassHinge(), ElasticNet(0.02, 0.05), Start(), True),
        (MulticlassHinge(), Box(0.1, 0.3, l2=0.1), Start(), False),
        (MulticlassHinge(), Ridge(0.1), Start(w=np.ones((6, 4))), False),
        (Softmax(), Ridge(0.1), Start(), True),
    ],
)
def test_products_at_the_start_are_those_of_its_points(rng, loss, g, start, known):
    A, b = data(rng)
    A[3] = 0.0
    problem, solver = Problem(A, b, loss, g), MulticlassSDCA()
    state = solver.init(problem, start, rng)
    products, (w, u) = solver.products(problem, state), solver.extract(problem, state)
    assert (products is not None) is known
    if products is not None:
        np.testing.assert_array_equal(products.z, problem.scores(w))
        np.testing.assert_array_equal(products.v, problem.correlation(u))
    solver.run_epoch(problem, state)
    assert solver.products(problem, state) is None
