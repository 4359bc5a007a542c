"""Named rows of named columns, in every storage."""

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.design import InterceptDesign, as_design

STORAGES = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "float32": lambda A: A.astype(np.float32),
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("columns", [[], [0], [1, 2, 5], [5], [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("rows", [[], [3], [0, 2, 6], list(range(9))])
def test_submatrix_is_that_of_the_dense_matrix(rng, storage, intercept, columns, rows):
    A = np.round(rng.normal(size=(9, 5 + (not intercept))), 2) * (rng.random((9, 5 + (not intercept))) < 0.6)
    A = A.astype(np.float32).astype(np.float64)
    design = as_design(STORAGES[storage](A))
    if intercept:
        design, A = InterceptDesign(design), np.column_stack([A, np.ones(9)])
    i, j = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
    part, expected = design.submatrix(i, j), A[np.ix_(i, j)]
    assert part.shape == expected.shape
    np.testing.assert_array_equal(part.select_columns(np.arange(j.size)), expected)
    u, w = rng.normal(size=i.size), rng.normal(size=j.size)
    np.testing.assert_allclose(part.matvec(w), expected @ w, atol=1e-14)
    np.testing.assert_allclose(part.rmatvec(u), expected.T @ u, atol=1e-14)
    assert part.rows.n_lines == i.size
    assert part.rows.length == j.size
    np.testing.assert_array_equal(part.row_counts.sum(), part.n_entries)


@pytest.mark.parametrize("storage", STORAGES)
def test_row_counts(rng, storage):
    A = rng.normal(size=(9, 6)) * (rng.random((9, 6)) < 0.6)
    design = as_design(STORAGES[storage](A))
    expected = (A != 0).sum(axis=1) if sp.issparse(STORAGES[storage](A)) else np.full(9, 6)
    np.testing.assert_array_equal(design.row_counts, expected)
    np.testing.assert_array_equal(InterceptDesign(design).row_counts, expected + 1)
