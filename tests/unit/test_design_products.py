"""Products, sums and columns of every kind of design, against plain NumPy in float64."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.design import DenseDesign, InterceptDesign, SparseDesign, as_design, blocks

N, D = 23, 17

STORAGES = {
    "dense C": lambda a: np.ascontiguousarray(a),
    "dense F": lambda a: np.asfortranarray(a),
    "dense strided": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "dense reversed": lambda a: a[::-1].copy()[::-1],
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "coo": sp.coo_array,
}


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def entries(request):
    rng = np.random.default_rng(0)
    array = rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.3)
    array[4] = 0.0
    array[:, 6] = 0.0
    return array.astype(request.param)


@pytest.fixture(params=[1 << 19, 7], ids=["one block", "many blocks"])
def _block_size(request, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", request.param)


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


@pytest.fixture(params=[False, True], ids=["plain", "intercept"])
def pair(request, storage, entries, _block_size):
    """A design, and the float64 matrix that it must behave like."""
    design, matrix = as_design(storage(entries)), entries.astype(np.float64)
    if request.param:
        return InterceptDesign(design), np.column_stack([matrix, np.ones(N)])
    return design, matrix


@pytest.mark.parametrize("outputs", [(), (3,)], ids=["vector", "matrix"])
def test_products(pair, outputs):
    design, matrix = pair
    rng = np.random.default_rng(1)
    w = rng.standard_normal((matrix.shape[1], *outputs))
    u = rng.standard_normal((N, *outputs))
    assert design.shape == matrix.shape
    for product, expected in ((design.matvec(w), matrix @ w), (design.rmatvec(u), matrix.T @ u)):
        assert product.dtype == np.float64
        np.testing.assert_allclose(product, expected, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("density", [0.0, 0.15, 1.0])
def test_products_with_several_vectors(pair, density):
    """Each equals the product with its vector alone, and does not change with those beside it."""
    design, matrix = pair
    rng = np.random.default_rng(1)
    w, u = (np.where(rng.random((4, m)) < density, rng.normal(size=(4, m)), 0.0) for m in matrix.shape[::-1])
    for product in (design.matvecs, design.sparse_matvecs):
        np.testing.assert_allclose(product(w), w @ matrix.T, rtol=1e-13, atol=1e-14)
        np.testing.assert_array_equal(product(w)[1:3], product(w[1:3]))
    for product in (design.rmatvecs, design.sparse_rmatvecs):
        np.testing.assert_allclose(product(u), u @ matrix, rtol=1e-13, atol=1e-14)
        np.testing.assert_array_equal(product(u)[1:3], product(u[1:3]))


def test_weighted_sums(pair):
    design, matrix = pair
    rng = np.random.default_rng(2)
    s, c = rng.random(N), rng.random(matrix.shape[1])
    np.testing.assert_allclose(design.column_sums(s), s @ matrix, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(design.column_square_sums(s), s @ matrix**2, rtol=1e-13)
    np.testing.assert_allclose(design.row_square_sums(c), matrix**2 @ c, rtol=1e-13)
    np.testing.assert_allclose(design.row_squares, np.sum(matrix**2, axis=1), rtol=1e-13)


@pytest.mark.parametrize("equal", [False, True])
@pytest.mark.parametrize("samples", [[0], [5, 2, 7], range(N)], ids=["one", "some", "all"])
def test_products_of_rows(pair, equal, samples):
    """Equal weights, and all rows, have quicker ways of their own."""
    design, matrix = pair
    c = np.full(matrix.shape[1], 0.3) if equal else np.random.default_rng(3).random(matrix.shape[1])
    rows = np.array(samples, dtype=np.int64)
    expected = (matrix[rows] * c) @ matrix[rows].T
    np.testing.assert_allclose(design.row_gram(rows, c), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(design.row_square_sums(c), matrix**2 @ c, rtol=1e-13)


def test_products_of_all_rows_are_made_once(pair):
    design, matrix = pair
    np.testing.assert_allclose(design.row_products, matrix @ matrix.T, rtol=1e-12, atol=1e-13)
    assert design.row_products is design.row_products


def test_rounded_products_are_near(pair):
    design, matrix = pair
    lengths = np.sqrt(np.sum(matrix**2, axis=1))
    error = np.abs(design.rounded_row_products - matrix @ matrix.T)
    assert np.all(error <= 2e-7 * np.outer(lengths, lengths) + 1e-13)
    assert design.rounded_row_products is design.rounded_row_products


@pytest.mark.parametrize("shape", [(3, 400), (400, 3)], ids=["long rows", "long columns"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_squared_lengths_of_long_lines(shape, order):
    """They are those that the check of the values has kept."""
    matrix = np.asarray(np.random.default_rng(4).standard_normal(shape), order=order)
    design, (n, d) = as_design(matrix), shape
    np.testing.assert_allclose(design.row_square_sums(np.ones(d)), (matrix**2).sum(axis=1), rtol=1e-13)
    np.testing.assert_allclose(design.column_square_sums(np.ones(n)), (matrix**2).sum(axis=0), rtol=1e-13)


@pytest.mark.parametrize("chosen", [[], [0], [3, 16, 3], [16, 0]])
def test_selected_columns(pair, chosen):
    design, matrix = pair
    coordinates = np.array(chosen, dtype=np.int64)
    columns = design.select_columns(coordinates)
    assert columns.dtype == np.float64
    np.testing.assert_array_equal(columns, matrix[:, coordinates])


def test_last_column_is_the_intercept(storage, entries):
    design = InterceptDesign(as_design(storage(entries)))
    columns = design.select_columns(np.array([D, 2, D]))
    np.testing.assert_array_equal(columns[:, [0, 2]], np.ones((N, 2)))
    np.testing.assert_array_equal(columns[:, 1], entries[:, 2])


def test_counts_add_up_to_one_pass(pair):
    design, matrix = pair
    counts = design.column_counts
    assert counts.dtype == np.int64
    assert counts.sum() == design.n_entries
    base = design.base if isinstance(design, InterceptDesign) else design
    if isinstance(base, DenseDesign):
        np.testing.assert_array_equal(counts, np.full(matrix.shape[1], N))
    else:
        np.testing.assert_array_equal(counts, np.count_nonzero(matrix, axis=0))


def test_float32_products_accumulate_in_float64():
    # In float32 the small entries would vanish beside the large one.
    row = np.full(10_001, 2.0**-12, dtype=np.float32)
    row[0] = 2.0**20
    expected = 2.0**20 + 10_000 * 2.0**-12
    for matrix in (row[None, :], sp.csr_array(row[None, :]), sp.csc_array(row[None, :])):
        assert as_design(matrix).matvec(np.ones(10_001))[0] == expected
    for matrix in (row[:, None], sp.csr_array(row[:, None]), sp.csc_array(row[:, None])):
        assert as_design(matrix).rmatvec(np.ones(10_001))[0] == expected


def test_large_float32_squares_stay_finite():
    for matrix in (np.full((1, 1), 1e30, dtype=np.float32), sp.csr_array(np.full((1, 1), 1e30, np.float32))):
        assert as_design(matrix).column_square_sums(np.ones(1))[0] == pytest.approx(1e60, rel=1e-6)


def test_operand_of_wrong_length_is_refused(pair):
    design, matrix = pair
    with pytest.raises(ValueError, match=r"length|shape|mismatch|match"):
        design.matvec(np.ones(matrix.shape[1] + 1))
    with pytest.raises(ValueError, match=r"length|shape|mismatch|match"):
        design.rmatvec(np.ones(N + 1))


def test_blocks_of_lines_cover_every_line_once(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", 4)
    indptr = np.array([0, 0, 1, 9, 9, 9, 11, 12, 14])
    ranges = list(blocks.line_blocks(indptr))
    assert [start for start, _ in ranges] == [0, *(stop for _, stop in ranges[:-1])]
    assert ranges[-1][1] == 8
    assert all(indptr[stop] - indptr[start] <= 4 or stop == start + 1 for start, stop in ranges)


def test_kinds_of_design(entries):
    assert isinstance(as_design(entries), DenseDesign)
    assert isinstance(as_design(sp.csr_matrix(entries)), SparseDesign)
