"""A loss with vector outputs, on several outputs at once."""

import numpy as np
import pytest

from fenchel.losses import MultiSquared, Squared

N_ROWS, N_OUTPUTS = 7, 3


@pytest.fixture
def arrays(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(N_ROWS, N_OUTPUTS)), rng.normal(size=(N_ROWS, N_OUTPUTS))


def test_sums_over_the_outputs(arrays: tuple[np.ndarray, np.ndarray]) -> None:
    z, b = arrays
    multi, single = MultiSquared(), Squared()
    np.testing.assert_allclose(multi.value(z, b), single.value(z, b).sum(axis=1), rtol=1e-15)
    np.testing.assert_allclose(multi.conjugate(z, b), single.conjugate(z, b).sum(axis=1), rtol=1e-13)
    np.testing.assert_array_equal(multi.gradient(z, b), single.gradient(z, b))
    np.testing.assert_array_equal(multi.curvature(z, b), np.ones_like(z))


@pytest.mark.parametrize("n_rows", [N_OUTPUTS, N_ROWS])
def test_a_step_a_row_is_the_same_for_all_outputs(rng: np.random.Generator, n_rows: int) -> None:
    # As many rows as outputs: the step must not slide along the outputs.
    v, b = rng.normal(size=(2, n_rows, N_OUTPUTS))
    step = rng.uniform(0.1, 10.0, size=n_rows)
    result = MultiSquared().prox_conjugate(v, b, step)
    for i in range(n_rows):
        np.testing.assert_array_equal(result[i], Squared().prox_conjugate(v[i], b[i], step[i]))


def test_domain_is_the_whole_space(arrays: tuple[np.ndarray, np.ndarray]) -> None:
    u, b = arrays
    domain = MultiSquared().dual_domain(b)
    assert domain.contains(1e300 * u).shape == (N_ROWS,)
    assert np.all(domain.contains(1e300 * u))
    np.testing.assert_array_equal(domain.project(u), u)
    np.testing.assert_array_equal(domain.room(u), np.ones_like(u))
