"""The rows and columns that kernels read: their values, their types and when they are copies."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel._kernels.views import DenseLines, SparseLines
from fenchel.design import InterceptDesign, as_design

N, D = 9, 6


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def entries(request):
    rng = np.random.default_rng(3)
    return (rng.standard_normal((N, D)) * (rng.random((N, D)) < 0.4)).astype(request.param)


def dense_from(lines, *, are_columns):
    """Rebuild the matrix of lines, with the implicit ones of the intercept."""
    whole = np.zeros((lines.n_lines, lines.length))
    if lines.ones and are_columns:
        whole[-1] = 1.0
    elif lines.ones:
        whole[:, -1] = 1.0
    if isinstance(lines, DenseLines):
        stored = lines.data
        whole[: stored.shape[0], : stored.shape[1]] = stored
    else:
        for line in range(len(lines.indptr) - 1):
            inside = slice(lines.indptr[line], lines.indptr[line + 1])
            whole[line, lines.indices[inside]] += lines.data[inside]
    return whole


@pytest.mark.parametrize("build", [np.array, np.asfortranarray, sp.csr_array, sp.csc_array, sp.coo_matrix])
@pytest.mark.parametrize("intercept", [False, True])
def test_views_hold_the_matrix(entries, build, intercept):
    design, expected = as_design(build(entries)), entries
    if intercept:
        design, expected = InterceptDesign(design), np.column_stack([entries, np.ones(N)])
    rows, columns = design.rows, design.columns
    assert (rows.n_lines, rows.length) == expected.shape
    assert (columns.n_lines, columns.length) == expected.T.shape
    assert rows.ones == columns.ones == intercept
    np.testing.assert_array_equal(dense_from(rows, are_columns=False), expected)
    np.testing.assert_array_equal(dense_from(columns, are_columns=True), expected.T)
    for lines in (rows, columns):
        assert lines.data.dtype == entries.dtype
        assert lines.data.flags.c_contiguous
        if isinstance(lines, SparseLines):
            assert lines.indices.dtype == np.int32
            assert lines.indptr.dtype == np.int64


@pytest.mark.parametrize(
    ("build", "free", "copied"),
    [
        (np.ascontiguousarray, "rows", "columns"),
        (np.asfortranarray, "columns", "rows"),
        (sp.csr_array, "rows", "columns"),
        (sp.csc_array, "columns", "rows"),
    ],
)
def test_stored_view_is_free_and_the_other_is_built_once(entries, build, free, copied):
    matrix = build(entries)
    stored = matrix.data if sp.issparse(matrix) else matrix
    design = as_design(matrix)
    assert np.shares_memory(getattr(design, free).data, stored)
    assert not np.shares_memory(getattr(design, copied).data, stored)
    assert getattr(design, copied) is getattr(design, copied)
    assert np.shares_memory(getattr(InterceptDesign(design), copied).data, getattr(design, copied).data)


def test_strided_array_is_copied_for_both_views_only(entries):
    design = as_design(np.repeat(entries, 2, axis=1)[:, ::2])
    np.testing.assert_array_equal(design.rows.data, entries)
    np.testing.assert_array_equal(design.columns.data, entries.T)


def test_threads_that_ask_together_get_the_same_lines(entries):
    design = as_design(sp.csr_array(entries))
    with ThreadPoolExecutor(4) as pool:
        views = list(pool.map(lambda _: design.columns, range(16)))
    for view in views:
        np.testing.assert_array_equal(view.data, views[0].data)
