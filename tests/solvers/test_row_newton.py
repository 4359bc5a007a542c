"""Newton steps by rows: samples, single steps, where they begin, and fits of every kind."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import cases_solvers as cases
from fenchel import MaxPasses, Problem, ProxNewton, RelativeGap, Start, solve
from fenchel.losses import Huber, Logistic, SmoothedHinge, Squared, SquaredHinge
from fenchel.regularizers import L1, Box, NoPenalty, Ridge
from fenchel.solvers.prox_newton import gram_matrix as gram_module
from fenchel.solvers.prox_newton import row_newton as row_module
from fenchel.solvers.prox_newton.row_newton import Sample, first_rows, newton_step, sampled
from fenchel.solvers.prox_newton.row_start import after_dual_passes
from fenchel.solvers.ridge import ridge_of_features, row_curvature

LOSSES = [Logistic(), SquaredHinge(), SmoothedHinge(), Squared(), Huber(threshold=0.5)]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
by_matrix_or_not = pytest.mark.parametrize("most_places", [0, 1000], ids=["conjugate gradients", "matrix"])


@pytest.fixture(autouse=True)
def by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few dense features be no exception."""
    monkeypatch.setattr(gram_module, "_FEW", 0)


@pytest.fixture
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the first samples of small problems be less than all of the rows."""
    monkeypatch.setattr(row_module, "_FEWEST", 10)
    monkeypatch.setattr(row_module, "_ROWS_A_COLUMN", 1)


def test_a_sample_is_of_about_the_size_and_stands_for_all(rng):
    h = rng.random(20_000)
    rows, larger = sampled(h, 2_000)
    assert 1_800 < rows.size < 2_200
    assert np.all(np.diff(rows) > 0)
    np.testing.assert_allclose(larger, h[rows] * (20_000 / rows.size))
    everything = sampled(h, 20_000)
    assert everything.rows.size == h.size
    np.testing.assert_array_equal(everything.h, h)


def test_the_first_sample_has_a_tenth_of_the_rows_and_four_a_column(rng):
    def problem(n: int, d: int) -> Problem:
        return Problem(sp.random_array((n, d), density=0.001, rng=rng), np.ones(n), Squared(), Ridge(1.0))

    assert first_rows(problem(30_000, 20)) == 3_000
    assert first_rows(problem(30_000, 2_000)) == 8_000
    assert first_rows(problem(2_000, 20)) == 1_000
    assert first_rows(problem(50, 20)) == 50


@by_matrix_or_not
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("storage", ["csr", "dense"])
def test_a_step_solves_the_model_as_far_as_it_says(rng, monkeypatch, most_places, intercept, storage):
    monkeypatch.setattr(gram_module, "_MOST", most_places)
    A = rng.normal(size=(60, 5)) + 3.0
    A[:, 1:] *= rng.random((60, 4)) < 0.5
    data = sp.csr_array(A) if storage == "csr" else A
    problem = Problem(data, np.ones(60), Squared(), Ridge(0.3), fit_intercept=intercept)
    sample = Sample(np.flatnonzero(rng.random(60) < 0.7), np.empty(0))
    sample = sample._replace(h=rng.random(sample.rows.size))
    slope = rng.normal(size=5 + intercept)
    step, left, entries = newton_step(problem, sample, slope)
    X = np.column_stack([A, np.ones(60)])[sample.rows][:, : slope.size]
    l2 = np.append(np.full(5, 0.3), np.zeros(int(intercept)))
    model = X.T @ (sample.h[:, None] * X) + np.diag(l2)
    np.testing.assert_allclose(model @ step + slope, left, atol=1e-7)
    assert np.linalg.norm(left) <= 0.2 * np.linalg.norm(slope)
    assert entries > 0
    assert (left == 0.0).all() == (most_places > 0)


def test_rows_without_curvature_leave_the_intercept(rng):
    problem = Problem(rng.normal(size=(6, 2)), np.ones(6), Squared(), Ridge(0.5), fit_intercept=True)
    step, _, _ = newton_step(problem, Sample(np.arange(6), np.zeros(6)), np.array([1.0, -2.0, 0.0]))
    np.testing.assert_allclose(step, [-2.0, 4.0, 0.0], rtol=1e-8)


def test_how_strong_a_ridge_is(rng):
    A = rng.normal(size=(30, 4))
    problem = Problem(A, np.ones(30), Logistic(), Ridge(0.1), fit_intercept=True)
    assert ridge_of_features(problem) == 0.1
    squares = (A**2).sum(axis=1).mean() + 1.0
    assert row_curvature(problem, 0.1) == pytest.approx(0.25 * squares / (30 * 0.1))
    assert ridge_of_features(problem.with_regularizer(Ridge(0.1, weights=(1.0, 1.0, 1.0, 2.0)))) == 0.0
    assert ridge_of_features(problem.with_regularizer(L1(0.1))) == 0.0


@every_loss
@pytest.mark.parametrize("intercept", [False, True])
def test_dual_passes_give_a_better_start_or_none(rng, loss, intercept):
    problem = cases.draw(rng, loss, Ridge(0.1), n=50, d=8, weight="zeros", intercept=intercept)
    zero = np.zeros(problem.n_coordinates)
    w, z, entries = after_dual_passes(problem, zero, np.zeros(50))
    assert problem.primal_value(w) <= problem.primal_value(zero)
    np.testing.assert_allclose(z, problem.scores(w), rtol=1e-12, atol=1e-12)
    assert entries > problem.design.n_entries
    weak = problem.with_regularizer(Ridge(1e-6))
    w, _, entries = after_dual_passes(weak, zero, np.zeros(50))
    assert not w.any()
    assert entries == problem.design.n_entries


@every_loss
@by_matrix_or_not
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.usefixtures("small_samples")
def test_the_objective_never_rises(rng, monkeypatch, loss, most_places, intercept):
    """From samples of the rows too; scores and correlations are those of the point."""
    monkeypatch.setattr(gram_module, "_MOST", most_places)
    problem = cases.draw(rng, loss, Ridge(1e-3), n=120, d=6, weight="some", intercept=intercept)
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    assert 0 < state.sample < 120
    for _ in range(12):
        before, size = problem.primal_value(state.w), state.sample
        solver.run_epoch(problem, state)
        assert problem.primal_value(state.w) <= before * (1 + 1e-13)
        assert size <= state.sample <= 120
        np.testing.assert_allclose(state.z, problem.scores(state.w), rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(state.v, problem.correlation(state.u), rtol=1e-10, atol=1e-12)
    assert state.sample == 120
    assert problem.certify(state.w, state.u).relative_gap <= 1e-9


@every_loss
@by_matrix_or_not
@pytest.mark.parametrize("storage", ["csr", "csc", "c", "f"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_storage_does_not_change_the_solution(rng, monkeypatch, loss, most_places, storage, dtype):
    monkeypatch.setattr(gram_module, "_MOST", most_places)
    A = (rng.normal(size=(40, 15)) * (rng.random((40, 15)) < 0.5)).astype(dtype)
    make = {"csr": sp.csr_array, "csc": sp.csc_array, "c": np.ascontiguousarray, "f": np.asfortranarray}
    b, stopping = cases.targets(rng, loss, 40), RelativeGap(1e-12)
    weighted = {"sample_weight": cases.weights(rng, "zeros", 40), "fit_intercept": True}
    expected = solve(
        Problem(A.astype(np.float64), b, loss, Ridge(0.02), **weighted), "primal_cd", stopping=stopping
    )
    found = solve(
        Problem(make[storage](A), b, loss, Ridge(0.02), **weighted), "prox_newton", stopping=stopping
    )
    assert found.status.solved
    # l2/2 |w - w*|^2 is at most the gap, for both.
    np.testing.assert_allclose(found.w, expected.w, atol=2e-5)


@every_loss
def test_weights_of_the_features_and_free_ones(rng, loss):
    regular = Ridge(0.05, weights=(0.0, 1.0, 10.0, 1e-3))
    problem = cases.draw(rng, loss, regular, n=60, d=4, intercept=True)
    result = solve(problem, "prox_newton", stopping=RelativeGap(1e-8) | MaxPasses(2000))
    assert result.status.solved
    assert problem.certify(result.w, result.u).relative_gap <= 1e-8


def test_only_forms_without_kinks_and_bounds_go_by_rows(rng):
    for regular, by_rows in (
        (Ridge(0.1), True),
        (NoPenalty(), True),
        (L1(0.1), False),
        (Box(-1.0, 1.0, l2=0.1), False),
    ):
        problem = cases.draw(rng, Logistic(), regular, n=20, d=4)
        assert (ProxNewton().init(problem, Start(), rng).sample > 0) == by_rows


def test_sparse_rows_are_all_that_is_needed(rng):
    data = sp.random_array((200, 30), density=0.2, rng=rng, format="csr")
    problem = Problem(data, cases.targets(rng, Logistic(), 200), Logistic(), Ridge(0.01), fit_intercept=True)
    assert solve(problem, "prox_newton").status.solved
    assert problem.design.copied_bytes == 0


def test_a_fit_does_not_depend_on_the_generator(rng):
    problem = cases.draw(rng, Logistic(), Ridge(1e-3), n=3_000, d=20, intercept=True)
    assert 0 < first_rows(problem) < 3_000
    one, other = (solve(problem, "prox_newton", rng=seed) for seed in (1, 2))
    np.testing.assert_array_equal(one.w, other.w)
    assert one.passes == other.passes


def test_saturated_rows_far_from_the_optimum(rng):
    """Few positive rows: from zero, steps without damping would send the margins of most rows far off."""
    A = np.abs(rng.normal(size=(400, 30))) * (rng.random((400, 30)) < 0.3)
    b = np.where(rng.random(400) < 0.03, 1.0, -1.0)
    problem = Problem(100.0 * A, b, Logistic(), Ridge(1e-5))
    result = solve(problem, "prox_newton", stopping=RelativeGap(1e-9) | MaxPasses(3000))
    assert result.status.solved
    values = [record.certificate.primal for record in result.trace]
    assert all(new <= old for old, new in pairwise(values))


def test_the_matrix_takes_over_where_conjugate_gradients_are_slow(rng, monkeypatch):
    """Correlated columns under a weak ridge; the rows count as long, so that it is not taken at once."""
    monkeypatch.setattr(gram_module, "_LONGEST_ROWS", 0)
    monkeypatch.setattr(row_module, "_DIRECT", 3)
    monkeypatch.setattr(row_module, "_TOLERANCE", 1e-6)
    A = rng.normal(size=(300, 1)) + 0.1 * rng.normal(size=(300, 20))
    problem = Problem(A, np.ones(300), Squared(), Ridge(1e-6), fit_intercept=True)
    slope = np.append(rng.normal(size=20), 0.0)
    step, left, entries = newton_step(problem, Sample(np.arange(300), np.ones(300)), slope)
    assert (left == 0.0).all()
    assert entries > 4 * problem.design.n_entries
    X = np.column_stack([A, np.ones(300)])
    model = X.T @ X + np.diag(np.append(np.full(20, 1e-6), 0.0))
    np.testing.assert_allclose(model @ step, -slope, atol=1e-6)
