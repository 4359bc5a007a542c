"""The compiled Newton step by rows and its twin do the same, and solve the system."""

import numpy as np
import pytest

from cases_kernels import BAD_VECTORS, TOLERANCE, D, N, make_case
from fenchel._kernels.row_newton import row_newton_step
from fenchel.errors import InvalidInputError
from fenchel.losses import Logistic
from fenchel.reference import row_newton as twins

every_storage = pytest.mark.parametrize("storage", ["dense", "sparse"])
every_type = pytest.mark.parametrize("dtype", [np.float64, np.float32])


@every_storage
@every_type
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("penalty", ["ridge", "none"])
def test_the_step_is_its_twin(rng, storage, dtype, intercept, penalty):
    case = make_case(rng, Logistic(), penalty, storage, dtype, intercept)
    order, d = rng.permutation(N)[:15], D + intercept
    h, slope = rng.random(15) * (rng.random(15) < 0.8), rng.normal(size=d)
    l2 = case.form.l2 * rng.random(d)
    for iterations in (1, 2, 5):
        compiled, twin = slope.copy(), slope.copy()
        step, steps = row_newton_step(case.rows, order, h, l2, iterations, 1e-9, compiled)
        expected = twins.row_newton_step(case.A[order], h, l2, intercept, iterations, 1e-9, twin)
        np.testing.assert_allclose(step, expected[0], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(compiled, twin, rtol=1e-9, atol=1e-9)
        assert steps == expected[1] <= iterations


@every_storage
@every_type
@pytest.mark.parametrize("intercept", [False, True])
def test_the_step_solves_the_system(rng, storage, dtype, intercept):
    """Against a direct solution; with an intercept on columns far from zero."""
    case = make_case(rng, Logistic(), "ridge", storage, dtype, intercept)
    order, h = np.arange(N), rng.random(N)
    slope = rng.normal(size=D + intercept)
    residual = slope.copy()
    step, _ = row_newton_step(case.rows, order, h, case.form.l2, 200, 1e-12, residual)
    hessian = case.A.T @ (h[:, None] * case.A) + np.diag(case.form.l2)
    np.testing.assert_allclose(step, -np.linalg.solve(hessian, slope), rtol=1e-8, atol=1e-9)
    assert np.linalg.norm(residual) <= 1e-12


def test_rows_without_curvature_leave_the_ridge_alone(rng):
    case = make_case(rng, Logistic(), "ridge")
    slope = rng.normal(size=D)
    step, steps = row_newton_step(case.rows, np.arange(N), np.zeros(N), case.form.l2, 5, 1e-12, slope.copy())
    np.testing.assert_allclose(step, -slope / case.form.l2, rtol=TOLERANCE[np.float64])
    assert steps == 1


@pytest.mark.parametrize("spoil", BAD_VECTORS.values(), ids=BAD_VECTORS)
@pytest.mark.parametrize("name", ["h", "l2", "slope"])
def test_bad_arrays_are_refused(rng, spoil, name):
    case = make_case(rng, Logistic(), "ridge")
    arrays = {"h": np.ones(N), "l2": case.form.l2.copy(), "slope": np.ones(D)}
    arrays[name] = spoil(arrays[name])
    with pytest.raises(InvalidInputError):
        row_newton_step(case.rows, np.arange(N), arrays["h"], arrays["l2"], 3, 0.0, arrays["slope"])


def test_a_row_out_of_range_is_refused(rng):
    case = make_case(rng, Logistic(), "ridge")
    with pytest.raises(InvalidInputError):
        row_newton_step(case.rows, np.array([N]), np.ones(1), case.form.l2, 3, 0.0, np.ones(D))
