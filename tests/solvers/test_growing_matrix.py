"""The matrix of ProxNewton grows with its working set, and what a set is made of where it lasts."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel import Problem, ProxNewton
from fenchel._kernels.prox_newton import violations
from fenchel.losses import Logistic, Squared
from fenchel.regularizers import L1
from fenchel.solvers.base import Start
from fenchel.solvers.prox_newton.by_matrix import _hold_matrix, matrix_lasts


def signs(rng, n):
    return np.where(rng.random(n) < 0.5, 1.0, -1.0)


def held(problem, rng, places, root):
    """A state that holds the matrix of some places for some curvatures."""
    state = ProxNewton().init(problem, Start(), rng)
    _hold_matrix(problem, state, places, root)
    return state


@pytest.mark.parametrize(
    ("n", "factor", "lasts"), [(40, 1.07, True), (40, 1.08, False), (20, 1.01, False), (20, 1.0, True)]
)
def test_a_matrix_lasts_while_its_curvatures_change_little_or_not_at_all(rng, n, factor, lasts):
    """By a seventh where the rows are at least four times the features."""
    A = rng.normal(size=(n, 6))
    problem = Problem(A, signs(rng, n), Logistic(), L1(0.01))
    state = ProxNewton().init(problem, Start(), rng)
    assert not matrix_lasts(problem, state)
    ProxNewton().run_epoch(problem, state)
    state.root[:] = state.rows.root / factor
    assert matrix_lasts(problem, state) == lasts
    sparse = Problem(sp.csr_array(A), problem.b, Logistic(), L1(0.01))
    assert not matrix_lasts(sparse, state)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize(("factor", "made_of"), [(1.05, "both"), (1.5, "new")])
def test_a_set_that_grows_keeps_its_part_of_a_matrix_that_lasts(rng, intercept, factor, made_of):
    A = rng.normal(size=(40, 6))
    problem = Problem(A, signs(rng, 40), Logistic(), L1(0.01), fit_intercept=intercept)
    root, places, chosen = rng.random(40) + 0.1, np.array([4, 0, 3]), np.array([4, 3, 1, 5])
    state = held(problem, rng, places, root)
    state.matrix[0] += 1.0  # as a correction has left it
    _hold_matrix(problem, state, chosen, np.sqrt(factor) * root)
    kept = root if made_of == "both" else np.sqrt(factor) * root
    X = kept[:, None] * A[:, chosen]
    expected = X.T @ X
    if intercept:
        expected -= np.outer(X.T @ kept, X.T @ kept) / (kept @ kept)
    expected[0, 0] += made_of == "both"
    np.testing.assert_allclose(state.matrix.reshape(4, 4), expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(state.places, chosen)
    np.testing.assert_array_equal(state.root, kept)


@pytest.mark.parametrize("loss", [Squared(), Logistic()])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_lasting_matrix_is_made_of_all_that_is_needed_at_once(rng, loss, sparse):
    """Labels that nothing explains leave the curvatures of the logistic loss near 1/4."""
    A, b = rng.normal(size=(3000, 300)), signs(rng, 3000)
    largest = np.abs(A.T @ loss.gradient(np.zeros(3000), b)).max() / 3000
    problem = Problem(sp.csr_array(A) if sparse else A, b, loss, L1(0.01 * largest))
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    solver.run_epoch(problem, state)
    support = np.flatnonzero(state.w)
    falls, _ = violations(problem.coordinate_form, state.v, state.w)
    needed = np.union1d(np.flatnonzero(falls > 0.0), support)
    assert 150 < needed.size < 300
    solver.run_epoch(problem, state)
    if sparse:  # long rows: no matrix
        assert state.places.size == 0
    elif loss.constant_curvature:
        assert state.places.size == 300
    else:
        np.testing.assert_array_equal(np.sort(state.places), needed)


def test_a_set_outside_of_which_nothing_violates_is_solved_further(rng):
    A = rng.normal(size=(400, 30))
    problem = Problem(A, signs(rng, 400), Logistic(), L1(1e-3))
    solver = ProxNewton()
    state = solver.init(problem, Start(), rng)
    _, before = violations(problem.coordinate_form, state.v, state.w)
    solver.run_epoch(problem, state)
    _, after = violations(problem.coordinate_form, state.v, state.w)
    assert after <= 0.01 * before
