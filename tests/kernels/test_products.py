"""Products with lines, and parts of them, against NumPy on the same matrix."""

import numpy as np
import pytest

from cases_kernels import BAD_VECTORS, D, N, both_lines, make_case
from fenchel._kernels import products
from fenchel.errors import InvalidInputError
from fenchel.losses import Squared

STORAGES = ["dense", "sparse"]


@pytest.fixture(params=STORAGES)
def storage(request):
    return request.param


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["plain", "intercept"])
def case(request, rng, storage, dtype):
    return make_case(rng, Squared(), storage=storage, dtype=dtype, intercept=request.param)


def sparse_vector(rng, size):
    return rng.normal(size=size) * (rng.random(size) < 0.5)


@pytest.mark.parametrize("squared", [False, True])
def test_along_and_across(rng, case, squared):
    A = case.A**2 if squared else case.A
    w, u = sparse_vector(rng, A.shape[1]), sparse_vector(rng, N)
    for product, expected in (
        (products.along(case.rows, w, squared=squared), A @ w),
        (products.across(case.columns, w, squared=squared), A @ w),
        (products.along(case.columns, u, squared=squared), u @ A),
        (products.across(case.rows, u, squared=squared), u @ A),
    ):
        np.testing.assert_allclose(product, expected, rtol=1e-12, atol=1e-13)


def test_dots(rng, case):
    A = case.A
    for lines, matrix in ((case.rows, A), (case.columns, A.T)):
        x = rng.normal(size=matrix.shape[1])
        np.testing.assert_allclose(products.dots(lines, x), matrix @ x, rtol=1e-12, atol=1e-13)


def test_squares(case):
    for lines, matrix in ((case.rows, case.A), (case.columns, case.A.T)):
        np.testing.assert_allclose(products.squares(lines), (matrix**2).sum(axis=1), rtol=1e-12, atol=1e-13)


def test_lines_with_factor_zero_are_not_read(rng, storage):
    A = rng.normal(size=(N, D))
    A[2] = np.nan
    rows, _ = both_lines(A, storage, rng)
    u = rng.normal(size=N)
    u[2] = 0.0
    kept = np.arange(N) != 2
    np.testing.assert_allclose(products.across(rows, u), u[kept] @ A[kept], rtol=1e-12)
    expected = A[kept].T @ (u[kept, None] * A[kept])
    np.testing.assert_allclose(products.gram(rows, u), expected, rtol=1e-12, atol=1e-13)


def test_gram(rng, case):
    h, c = sparse_vector(rng, N), sparse_vector(rng, case.A.shape[1])
    expected = case.A.T @ (h[:, None] * case.A)
    np.testing.assert_allclose(products.gram(case.rows, h), expected, rtol=1e-12, atol=1e-12)
    expected = (case.A * c) @ case.A.T
    np.testing.assert_allclose(products.gram(case.columns, c), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("named", [[], [3], [8, 0, 2, 3]], ids=str)
def test_gram_named(rng, case, named):
    named, x = np.array(named, dtype=np.int64), rng.normal(size=N)
    expected = case.A[:, named].T @ (x[:, None] * case.A[:, named])
    found = products.gram_named(case.columns, named, x)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


@pytest.mark.parametrize("positions", [[], [3], [8, 0, 2, 3]], ids=str)
@pytest.mark.parametrize("intercept", [False, True])
def test_gram_part(rng, dtype, intercept, positions):
    case = make_case(rng, Squared(), storage="sparse", dtype=dtype, intercept=intercept)
    positions, h = np.array(positions, dtype=np.int64), sparse_vector(rng, N)
    X = case.A[:, positions]
    found = products.gram_part(case.rows, h, positions)
    np.testing.assert_allclose(found, X.T @ (h[:, None] * X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found, found.T)


def test_gram_part_reads_no_line_of_factor_zero_and_wants_positions_that_are_there(rng):
    A = rng.normal(size=(N, D))
    A[2] = np.nan
    rows, _ = both_lines(A, "sparse", rng)
    h = rng.random(N)
    h[2] = 0.0
    assert np.isfinite(products.gram_part(rows, h, np.arange(D))).all()
    with pytest.raises(InvalidInputError, match="positions"):
        products.gram_part(rows, h, np.array([D]))


@pytest.mark.parametrize(
    ("named", "positions"),
    [([], [1, 2]), ([4], []), ([5, 0, 5], [8, 3, 0]), (range(N), range(D))],
    ids=["no lines", "no positions", "repeated lines", "everything"],
)
def test_part(rng, dtype, named, positions):
    A = (rng.normal(size=(N, D)) * (rng.random((N, D)) < 0.5)).astype(dtype)
    rows, _ = both_lines(A, "sparse", rng)
    named, positions = np.array(named, dtype=np.int64), np.array(positions, dtype=np.int64)
    part = products.part(rows, named, positions)
    assert (part.n_lines, part.length, part.data.dtype) == (named.size, positions.size, dtype)
    dense = np.zeros((named.size, positions.size))
    for line in range(named.size):
        entries = slice(part.indptr[line], part.indptr[line + 1])
        dense[line, part.indices[entries]] = part.data[entries]
    np.testing.assert_array_equal(dense, A[named][:, positions])


def test_part_refuses_what_it_would_trust(rng):
    case = make_case(rng, Squared(), storage="sparse", intercept=True)
    one = np.array([0])
    with pytest.raises(InvalidInputError, match="intercept"):
        products.part(case.rows, one, one)
    rows, _ = both_lines(case.A, "sparse", rng)
    for named, positions in ((np.array([N]), one), (one, np.array([D + 1])), (one, np.array([-1]))):
        with pytest.raises(InvalidInputError, match="outside"):
            products.part(rows, named, positions)


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("product", [products.along, products.across, products.gram])
def test_bad_factors_are_refused(rng, product, bad):
    case = make_case(rng, Squared(), storage="sparse")
    size = D if product is products.along else N
    with pytest.raises(InvalidInputError, match="x is"):
        product(case.rows, BAD_VECTORS[bad](np.ones(size)))
