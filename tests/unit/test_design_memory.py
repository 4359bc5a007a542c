"""Peak memory: sparse input stays sparse, float32 input stays float32."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.design import InterceptDesign, as_design


def peak_bytes(action):
    """Return the bytes that ``action`` held at most, beyond what was there before."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def use(matrix):
    design = InterceptDesign(as_design(matrix))
    n, d = design.shape
    design.rmatvec(design.matvec(np.ones(d)))
    design.column_square_sums(np.ones(n))
    return design.rows, design.columns, design.column_counts


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("storage", ["csr", "csc", "coo", "csr with int64 indices"])
def test_wide_sparse_matrix_costs_less_than_ten_copies(dtype, storage):
    n = d = 200_000
    stored = 1_000_000
    rng = np.random.default_rng(0)
    places = rng.integers(0, n, stored), rng.integers(0, d, stored)
    matrix = sp.coo_array((np.ones(stored, dtype=dtype), places), shape=(n, d))
    if storage != "coo":
        matrix = matrix.asformat(storage[:3])
    if storage.endswith("int64 indices"):
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    entry_bytes = stored * (np.dtype(dtype).itemsize + 4)
    assert peak_bytes(lambda: use(matrix)) < 10 * entry_bytes


@pytest.mark.parametrize("order", ["C", "F"])
def test_float32_products_convert_a_block_at_a_time(order):
    matrix = np.ones((4000, 2000), dtype=np.float32, order=order)

    def products():
        design = as_design(matrix)
        design.rmatvec(design.matvec(np.ones(2000)))

    assert peak_bytes(products) < matrix.nbytes / 2


def test_float64_products_copy_nothing():
    matrix = np.ones((2000, 1000))

    def products():
        design = as_design(matrix)
        design.rmatvec(design.matvec(np.ones(1000)))

    assert peak_bytes(products) < matrix.nbytes / 20
