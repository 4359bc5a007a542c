"""Standard deviations of the columns, also where a difference of sums would lose all digits."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.design import as_design, column_scales, scaling

BUILDS = [np.array, np.asfortranarray, sp.csr_array, sp.csc_array]


def deviations(matrix, weights):
    """Standard deviations from long double arithmetic."""
    matrix, weights = matrix.astype(np.longdouble), weights.astype(np.longdouble)
    mean = weights @ matrix / weights.sum()
    return np.sqrt(weights @ (matrix - mean) ** 2 / weights.sum()).astype(np.float64)


@pytest.mark.parametrize("build", BUILDS)
def test_matches_the_definition(build):
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((40, 7)) * (rng.random((40, 7)) < 0.3)
    weights = rng.random(40)
    scales = column_scales(as_design(build(matrix)), weights)
    np.testing.assert_allclose(scales, deviations(matrix, weights), rtol=1e-12)


@pytest.mark.parametrize("build", BUILDS)
def test_mean_far_above_the_deviation(build, monkeypatch):
    monkeypatch.setattr(scaling, "BLOCK_ENTRIES", 80)
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((40, 5)) + np.array([1e2, 1e5, -1e8, 1e11, 0.0])
    weights = rng.random(40)
    scales = column_scales(as_design(build(matrix)), weights)
    np.testing.assert_allclose(scales, deviations(matrix, weights), rtol=1e-10)


@pytest.mark.parametrize("build", BUILDS)
def test_constant_columns_have_scale_exactly_zero(build):
    matrix = np.column_stack([np.full(30, 0.1), np.zeros(30), np.full(30, -1e9 / 3), np.arange(30.0)])
    matrix[0] = 5.0
    weights = np.random.default_rng(2).random(30)
    weights[0] = 0.0
    scales = column_scales(as_design(build(matrix)), weights)
    np.testing.assert_array_equal(scales[:3], 0.0)
    assert scales[3] > 0


def test_without_centring_it_is_the_root_mean_square():
    matrix = np.array([[3.0, 1.0], [4.0, 1.0]])
    scales = column_scales(as_design(matrix), np.ones(2), centred=False)
    np.testing.assert_allclose(scales, [np.sqrt(12.5), 1.0], rtol=1e-15)


def test_float32_and_the_scale_of_the_weights():
    matrix = np.random.default_rng(3).standard_normal((50, 4)).astype(np.float32) + np.float32(1000)
    weights = np.random.default_rng(4).random(50)
    expected = deviations(matrix, weights)
    for factor in (1e-8, 1.0, 1e8):
        np.testing.assert_allclose(column_scales(as_design(matrix), factor * weights), expected, rtol=1e-12)
