"""SDCA by the matrix of the rows, for dense data with few rows under a ridge."""

import numpy as np
import pytest

import cases
from cases_solvers import targets
from fenchel import SDCA, MaxPasses, Problem, RelativeGap, Start, solve
from fenchel.losses import Hinge, Logistic, SquaredHinge
from fenchel.regularizers import ElasticNet, Ridge
from fenchel.solvers.coordinate import sdca
from fenchel.solvers.coordinate.row_matrix import matrix_is_possible, matrix_pays

LOSSES = [case.loss for case in cases.LOSSES if case.loss.compiled]
STORAGES = {
    "rows": np.ascontiguousarray,
    "columns": np.asfortranarray,
    "single": lambda A: A.astype(np.float32),
    "strided": lambda A: np.repeat(A, 2, axis=1)[:, ::2],
}


def few_rows(rng, loss, l2, storage="rows", n=30, d=90, weights=True):
    """Rows that are alike, one of zeros, and one without weight."""
    A = rng.normal(size=(n, d)) + rng.normal(size=d)
    A[3] = 0.0
    s = rng.random(n) + 0.5 if weights else np.ones(n)
    s[5] = 0.0 if weights else 1.0
    return Problem(STORAGES[storage](A), targets(rng, loss, n), loss, Ridge(l2), sample_weight=s)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("l2", [1.0, 1e-3])
@pytest.mark.parametrize("storage", STORAGES)
def test_one_matrix_closes_the_gap(rng, loss, l2, storage):
    problem = few_rows(rng, loss, l2, storage)
    result = solve(problem, "sdca", stopping=RelativeGap(1e-9) | MaxPasses(5_000))
    assert result.status.solved
    assert result.state.by_matrix
    assert problem.certify(result.w, result.u).relative_gap <= 1e-9


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_dual_value_never_falls(rng, loss, monkeypatch):
    monkeypatch.setattr("fenchel.solvers.coordinate.row_matrix._ROUNDS", 1)
    problem = few_rows(rng, loss, 1e-2)
    state, values = SDCA().init(problem, Start(), rng), []
    for _ in range(6):
        SDCA().run_epoch(problem, state)
        values.append(problem.dual_value(state.u))
    assert state.by_matrix
    assert np.all(np.diff(values) >= -1e-12 * np.abs(values[:-1]))


@pytest.mark.parametrize("loss", [Hinge(), Logistic(), SquaredHinge()], ids=repr)
def test_newton_steps_end_what_passes_do_not(rng, loss):
    problem = few_rows(rng, loss, 1e-8)
    result = solve(problem, "sdca", stopping=RelativeGap(1e-6) | MaxPasses(20_000))
    assert result.status.solved


def test_passes_that_are_slow_make_way_for_the_matrix(rng, monkeypatch):
    monkeypatch.setattr(sdca, "matrix_pays", lambda problem, ridge: False)
    problem = few_rows(rng, Hinge(), 1e-3)
    result = solve(problem, "sdca", stopping=RelativeGap(1e-9) | MaxPasses(5_000))
    assert result.status.solved
    assert result.state.by_matrix
    assert result.state.epoch > sdca._FIRST_BY_MATRIX


def test_where_the_matrix_pays(rng):
    steep, flat = few_rows(rng, Logistic(), 1e-2), few_rows(rng, Logistic(), 1e4)
    assert matrix_pays(steep, 1e-2)
    assert not matrix_pays(flat, 1e4)
    A = np.array(steep.design.rows.data)
    assert not matrix_is_possible(Problem(A.T, targets(rng, Logistic(), 90), Logistic(), Ridge(1.0)))
    assert not matrix_is_possible(Problem(np.ones((501, 600)), np.ones(501), Logistic(), Ridge(1.0)))


@pytest.mark.parametrize(
    ("solver", "g", "intercept"),
    [
        (SDCA(newton_passes=0.0), Ridge(1e-2), False),
        (SDCA(), Ridge(1e-2), True),
        (SDCA(), ElasticNet(1e-3, 1e-2), False),
        (SDCA(), Ridge(1e-2, weights=np.arange(1.0, 91.0)), False),
    ],
    ids=["plain", "intercept", "l1", "weights"],
)
def test_where_there_is_none(rng, solver, g, intercept):
    given = few_rows(rng, Logistic(), 1e-2)
    problem = Problem(given.design, given.b, Logistic(), g, fit_intercept=intercept)
    result = solve(problem, solver, stopping=RelativeGap(1e-3) | MaxPasses(5_000))
    assert result.status.solved
    assert not result.state.by_matrix


def test_a_run_goes_on_bit_for_bit(rng, tmp_path):
    problem, never = few_rows(rng, Hinge(), 1e-4), RelativeGap(0.0)
    path = tmp_path / "half.npz"
    part = solve(problem, "sdca", stopping=never | MaxPasses(8), checkpoint=path)
    whole = solve(problem, "sdca", stopping=never | MaxPasses(40))
    rest = solve(problem, "sdca", stopping=never | MaxPasses(40), resume=path)
    assert part.state.by_matrix
    np.testing.assert_array_equal(rest.w, whole.w)
    np.testing.assert_array_equal(rest.u, whole.u)


def test_few_rows_end_with_the_certificate_of_their_first_epoch(rng):
    problem = few_rows(rng, Logistic(), 1e2)
    assert not matrix_pays(problem, 1e2)
    solver = SDCA()
    state = solver.init(problem, Start(), rng)
    assert solver.products(problem, state) is not None
    solver.run_epoch(problem, state)
    assert solver.products(problem, state) is None
    assert not state.by_matrix
    assert state.entries_read == 2 * problem.n_features * np.count_nonzero(state.step)
    result = solve(problem, "sdca", stopping=RelativeGap(1e-3))
    assert len(result.trace) == 2
    assert result.certificate.relative_gap == problem.certify(result.w, result.u).relative_gap


def test_proximal_steps_on_few_rows_have_the_scores_of_their_points(rng):
    """Kinks and few columns: steps that want scores are told them, and close the gap."""
    problem = few_rows(rng, Hinge(), 1e-3, n=30, d=40)
    result = solve(problem, SDCA(newton_passes=1.0), stopping=RelativeGap(1e-9) | MaxPasses(20_000))
    assert result.status.solved
