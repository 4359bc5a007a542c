"""Products with several vectors: the kernels against their twins."""

import numpy as np
import pytest

from cases_kernels import TOLERANCE, N, entries_of, make_case
from fenchel._kernels import block_products as kernels
from fenchel.errors import InvalidInputError
from fenchel.losses import Squared
from fenchel.reference import block_products as twins

each_kind = pytest.mark.parametrize("storage", ["dense", "sparse"])
each_type = pytest.mark.parametrize("dtype", [np.float64, np.float32])
each_intercept = pytest.mark.parametrize("intercept", [False, True])
each_density = pytest.mark.parametrize("density", [0.0, 0.1, 1.0])


def some_vectors(rng: np.random.Generator, count: int, length: int, density: float) -> np.ndarray:
    return np.where(rng.random((count, length)) < density, rng.normal(size=(count, length)), 0.0)


@each_kind
@each_type
@each_intercept
@each_density
def test_products_are_their_twins(rng, storage, dtype, intercept, density):
    case = make_case(rng, Squared(), storage=storage, dtype=dtype, intercept=intercept)
    w, u = (some_vectors(rng, 5, size, density) for size in (case.A.shape[1], N))
    tolerance = TOLERANCE[dtype]
    for lines, A, vectors in ((case.rows, case.A, w), (case.columns, case.A.T, u)):
        found, expected = kernels.products_along(lines, vectors), twins.products_along(A, vectors)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
    for lines, A, vectors in ((case.rows, case.A, u), (case.columns, case.A.T, w)):
        found, entries = kernels.products_across(lines, vectors)
        expected, used = twins.products_across(A, vectors)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
        assert entries == sum(entries_of(lines, line) for line in used)


@each_kind
@each_intercept
def test_a_vector_does_not_feel_the_others(rng, storage, intercept):
    """Whatever stands beside it, and whether all entries of a line's vectors are used or only some."""
    case = make_case(rng, Squared(), storage=storage, intercept=intercept)
    w = np.vstack([some_vectors(rng, 3, case.A.shape[1], 0.1), some_vectors(rng, 9, case.A.shape[1], 1.0)])
    whole, alone = kernels.products_along(case.rows, w), kernels.products_along(case.rows, w[:1])
    np.testing.assert_array_equal(whole[:1], alone)
    whole, alone = kernels.products_across(case.columns, w)[0], kernels.products_across(case.columns, w[:1])
    np.testing.assert_array_equal(whole[:1], alone[0])


def test_wrong_arrays_are_refused(rng):
    case = make_case(rng, Squared(), storage="sparse", intercept=True)
    for product, lines in ((kernels.products_along, case.columns), (kernels.products_across, case.rows)):
        for bad in (np.ones((2, N - 1)), np.ones(N), np.ones((2, N), dtype=np.float32)):
            with pytest.raises(InvalidInputError, match=rf"expected float64 of shape \(k, {N}\)"):
                product(lines, bad)
