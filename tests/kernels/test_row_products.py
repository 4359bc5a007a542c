"""Products of all pairs of rows by single precision equal their twin, and are as near to A A' as they say."""

import numpy as np
import pytest

from fenchel._kernels.row_products import row_products
from fenchel.errors import InvalidInputError
from fenchel.reference.row_products import row_products as twin


def lengths_of(A: np.ndarray) -> np.ndarray:
    return np.sqrt(np.sum(A.astype(np.float64) ** 2, axis=1))


@pytest.mark.parametrize(
    "shape", [(1, 1), (2, 7), (3, 8), (4, 511), (5, 512), (7, 513), (12, 1100), (13, 40)]
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_kernel_is_its_twin(rng, level, shape, dtype):
    A = (rng.normal(size=shape) + 1.0).astype(dtype)
    lengths = lengths_of(A)
    found, size = row_products(A, lengths), np.outer(lengths, lengths)
    expected = twin(A, lengths)
    assert np.abs((found - expected) / size).max() <= 2e-7  # float32 in another order
    assert np.abs((found - A.astype(np.float64) @ A.astype(np.float64).T) / size).max() <= 2e-7
    np.testing.assert_array_equal(found, found.T)


def test_rows_of_any_size(rng):
    A = rng.normal(size=(9, 700)) * np.exp(rng.normal(scale=60.0, size=(9, 1)))
    A[4] = 0.0
    lengths = lengths_of(A)
    size = np.outer(lengths, lengths)
    error = np.abs(row_products(A, lengths) - A @ A.T)
    assert np.all(error <= 2e-7 * size)
    assert np.all(error[4] == 0.0)


def test_other_arrays_are_refused(rng):
    A = rng.normal(size=(4, 6))
    for wrong in (A.T, A.astype(int), A[0]):
        with pytest.raises(InvalidInputError, match="A is"):
            row_products(wrong, np.ones(4))
    with pytest.raises(InvalidInputError, match="lengths"):
        row_products(A, np.ones(5))
