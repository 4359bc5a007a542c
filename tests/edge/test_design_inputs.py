"""What users pass: every container and type that must work, every input that must fail clearly."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from fenchel.design import InterceptDesign, as_design, as_sample_weight, as_target
from fenchel.errors import InvalidInputError

INDEX_TYPES = [(np.int64, np.int32), (np.int32, np.int64), (np.int64, np.int64)]


@pytest.fixture(scope="module")
def csr():
    return sp.random(300, 50, density=0.1, format="csr", random_state=0)


def results(design):
    """All that a solver or the certificate reads from a design, the intercept included."""
    design = InterceptDesign(design)
    rng = np.random.default_rng(0)
    w, u = rng.standard_normal(design.shape[1]), rng.standard_normal(design.shape[0])
    return np.concatenate(
        [
            design.matvec(w),
            design.rmatvec(u),
            design.column_square_sums(u**2),
            design.row_square_sums(w**2),
        ]
    )


def arrays_of(matrix):
    if not sp.issparse(matrix):
        return [np.asarray(matrix)]
    names = ("row", "col", "data") if matrix.format == "coo" else ("data", "indices", "indptr")
    return [getattr(matrix, name) for name in names]


# --- input that must work -----------------------------------------------------------------------


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array])
@pytest.mark.parametrize(("index_type", "pointer_type"), INDEX_TYPES)
def test_64_bit_indices_change_nothing(csr, container, index_type, pointer_type):
    plain, wide = container(csr), container(csr)
    wide.indices, wide.indptr = wide.indices.astype(index_type), wide.indptr.astype(pointer_type)
    originals = arrays_of(wide)
    copies = [array.copy() for array in originals]
    design = as_design(wide)
    np.testing.assert_array_equal(results(design), results(as_design(plain)))
    lines = design.rows if wide.format == "csr" else design.columns
    assert np.shares_memory(lines.data, wide.data)
    for array, original, copy in zip(arrays_of(wide), originals, copies, strict=True):
        assert array is original
        assert array.dtype == copy.dtype
        np.testing.assert_array_equal(array, copy)


def unsorted(csr):
    matrix = csr.copy()
    for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        matrix.indices[start:stop] = matrix.indices[start:stop][::-1]
        matrix.data[start:stop] = matrix.data[start:stop][::-1]
    return matrix


def repeated(csr):
    """Append to the last row 20 copies of the first 20 stored entries, and 5 zeros."""
    data = np.concatenate([csr.data, csr.data[:20], np.zeros(5)])
    indices = np.concatenate([csr.indices, csr.indices[:20], np.arange(5, dtype=csr.indices.dtype)])
    indptr = csr.indptr.copy()
    indptr[-1] += 25
    return sp.csr_matrix((data, indices, indptr), shape=csr.shape)


CONTAINERS = {
    "dense C": lambda m: m.toarray(),
    "dense F": lambda m: np.asfortranarray(m.toarray()),
    "strided": lambda m: np.repeat(m.toarray(), 2, axis=1)[:, ::2],
    "big-endian": lambda m: m.toarray().astype(">f8"),
    "long double": lambda m: m.toarray().astype(np.longdouble),
    "object": lambda m: m.toarray().astype(object),
    "list": lambda m: m.toarray().tolist(),
    "unaligned": lambda m: _unaligned(m.toarray()),
    "np.matrix": lambda m: m.todense(),
    "pandas": lambda m: pd.DataFrame(m.toarray()),
    "pandas sparse": pd.DataFrame.sparse.from_spmatrix,
    "polars": lambda m: pl.DataFrame(m.toarray()),
    "csc": lambda m: m.tocsc(),
    "coo": lambda m: m.tocoo(),
    "lil": lambda m: m.tolil(),
    "dok": lambda m: m.todok(),
    "bsr": lambda m: m.tobsr((2, 5)),
    "csr array": sp.csr_array,
    "unsorted": unsorted,
    "explicit zeros": lambda m: _with_zeros(m),
}


def _unaligned(array):
    buffer = np.zeros(array.nbytes + 1, dtype=np.uint8)
    view = buffer[1:].view(np.float64).reshape(array.shape)
    view[...] = array
    return view


def _with_zeros(csr):
    matrix = csr.copy()
    matrix.data = matrix.data.copy()
    matrix.data[::7] = 0.0
    return matrix


@pytest.mark.parametrize("container", CONTAINERS)
def test_same_matrix_in_other_containers(csr, container):
    reference = _with_zeros(csr) if container == "explicit zeros" else csr
    expected = results(as_design(reference.toarray()))
    np.testing.assert_allclose(
        results(as_design(CONTAINERS[container](csr))), expected, rtol=1e-12, atol=1e-13
    )


def test_matrix_of_diagonals():
    matrix = sp.dia_array(([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [0, 1]), shape=(3, 3))
    np.testing.assert_array_equal(as_design(matrix).matvec(np.ones(3)), [6.0, 8.0, 3.0])


def test_repeated_entries_are_summed_privately(csr):
    matrix = repeated(csr)
    copies = [array.copy() for array in arrays_of(matrix)]
    summed = matrix.copy()
    summed.sum_duplicates()
    for variant in (
        matrix,
        matrix.tocoo(),
        sp.csc_matrix((matrix.data, matrix.indices, matrix.indptr), (50, 300)),
    ):
        reference = summed.T if variant.shape == (50, 300) else summed
        np.testing.assert_allclose(
            results(as_design(variant)), results(as_design(reference.toarray())), rtol=1e-12, atol=1e-13
        )
    for array, copy in zip(arrays_of(matrix), copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_unsorted_indices_are_used_as_they_are(csr):
    matrix = unsorted(csr)
    lines = as_design(matrix).rows
    assert np.shares_memory(lines.data, matrix.data)
    assert np.shares_memory(lines.indices, matrix.indices)


@pytest.mark.parametrize("build", [sp.csr_array, sp.csc_array, sp.coo_array, lambda m: m.toarray()])
def test_read_only_input(csr, build):
    matrix = build(csr)
    for array in arrays_of(matrix):
        array.flags.writeable = False
    design = as_design(matrix)
    np.testing.assert_allclose(results(design), results(as_design(csr)), rtol=1e-12, atol=1e-13)
    assert design.rows.n_lines == design.columns.length


def test_read_only_float32_memory_map(csr, tmp_path):
    path = tmp_path / "X.dat"
    csr.toarray().astype(np.float32).tofile(path)
    mapped = np.memmap(path, dtype=np.float32, mode="r", shape=csr.shape)
    design = as_design(mapped)
    assert design.rows.data.dtype == np.float32
    assert np.shares_memory(design.rows.data, mapped)
    np.testing.assert_allclose(results(design), results(as_design(csr)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.longdouble])
@pytest.mark.parametrize("build", [np.array, sp.csr_array, sp.csc_array, sp.coo_array])
def test_other_real_types_become_float64(dtype, build):
    matrix = np.array([[0, 1, 0], [1, 0, 1]])
    if build is np.array:
        design = as_design(matrix.astype(dtype))
    else:
        sparse = build(matrix)
        sparse.data = sparse.data.astype(dtype)
        design = as_design(sparse)
    assert design.rows.data.dtype == np.float64
    np.testing.assert_array_equal(design.matvec(np.arange(3.0)), [1.0, 2.0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_kept_and_not_copied(dtype):
    matrix = np.ones((3, 4), dtype=dtype)
    lines = as_design(matrix).rows
    assert lines.data.dtype == dtype
    assert np.shares_memory(lines.data, matrix)


def test_sparse_values_of_foreign_byte_order(csr):
    matrix = csr.copy()
    matrix.data = csr.data.astype(">f8")
    np.testing.assert_array_equal(results(as_design(matrix)), results(as_design(csr)))
    assert matrix.data.dtype == np.dtype(">f8")


def test_numbers_of_other_python_types():
    design = as_design([[Decimal("0.5"), True], [2, np.float32(3)]])
    np.testing.assert_array_equal(design.matvec(np.ones(2)), [1.5, 5.0])


def test_stored_arrays_longer_than_needed(csr):
    matrix = csr.copy()
    matrix.data = np.append(csr.data, np.nan)
    matrix.indices = np.append(csr.indices, 10_000)
    assert as_design(matrix).n_entries == csr.nnz


def test_matrix_without_entries():
    design = as_design(sp.csr_array((3, 2)))
    np.testing.assert_array_equal(design.matvec(np.ones(2)), np.zeros(3))
    assert design.n_entries == 0
    assert design.columns.n_lines == 2


def test_a_design_comes_back_unchanged():
    design = as_design(np.ones((2, 2)))
    assert as_design(design) is design


def test_values_at_the_limit_pass():
    assert as_design([[1e100, -1e100]]).n_entries == 2


# --- input that must fail -----------------------------------------------------------------------

BAD_VALUES = [
    (np.nan, "NaN"),
    (np.inf, "inf"),
    (-np.inf, "-inf"),
    (2e100, r"2e\+100.*Rescale"),
    (-1e300, "Rescale"),
]


@pytest.mark.parametrize(("value", "word"), BAD_VALUES)
@pytest.mark.parametrize("build", [np.array, np.asfortranarray, sp.csr_array, sp.csc_array, sp.coo_array])
def test_bad_values_are_located(build, value, word):
    matrix = np.eye(5)
    matrix[3, 1] = value
    with pytest.raises(InvalidInputError, match=word) as caught:
        as_design(build(matrix), name="data")
    assert str(caught.value).startswith("data has ")
    assert "row 3, column 1" in str(caught.value)


@pytest.mark.parametrize(("value", "word"), BAD_VALUES)
@pytest.mark.parametrize("build", [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize("shape", [(2, 400), (400, 2)], ids=["long rows", "long columns"])
def test_bad_values_in_long_lines_are_located(build, shape, value, word):
    """The squared lengths of long lines prove that values are fit, and are kept."""
    array = np.ones(shape)
    array[1, 1] = value
    with pytest.raises(InvalidInputError, match=word) as caught:
        as_design(build(array))
    assert "row 1, column 1" in str(caught.value)


def test_long_double_out_of_range():
    with pytest.raises(InvalidInputError, match="inf at row 0"):
        as_design(np.array([[np.longdouble("1e1000")]]))


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (np.ones((2, 2), dtype=complex), "not real"),
        (np.array([["a", "b"]]), "not real"),
        (np.array([["1.5"]], dtype=object), "not a real number"),
        (np.array([[1 + 2j]], dtype=object), "not a real number"),
        (np.array([[np.complex64(1)]], dtype=object), "not a real number"),
        (np.array([[object()]], dtype=object), "dtype object"),
        (np.array([[None]], dtype=object), "NaN|dtype object"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "not real"),
        (np.zeros((2, 1), dtype=[("a", float)]), "not real"),
        (np.ma.masked_greater(np.arange(4.0).reshape(2, 2), 2), "masked"),
        ([[1.0], [2.0, 3.0]], "cannot be read as an array"),
        (sp.csr_array(np.ones((2, 2), dtype=complex)), "not real"),
        (np.ones(3), "reshape"),
        (np.float64(1.0), "reshape"),
        (np.ones((2, 2, 2)), "shape"),
        (sp.coo_array(np.ones(3)), "shape"),
        (np.ones((0, 3)), "no samples"),
        (np.ones((3, 0)), "no features"),
        (sp.csr_array((0, 3)), "no samples"),
        (sp.csc_array((3, 0)), "no features"),
    ],
)
def test_unusable_matrices(value, word):
    with pytest.raises(InvalidInputError, match=word):
        as_design(value)


@pytest.mark.parametrize("shape", [(1, 2**31), (2**31, 1)])
def test_dimensions_beyond_32_bits(shape):
    matrix = sp.coo_array(([1.0], ([0], [0])), shape=shape)
    with pytest.raises(InvalidInputError, match="at most 2147483647"):
        as_design(matrix)


def broken(csr, **arrays):
    matrix = csr.copy()
    for name, array in arrays.items():
        setattr(matrix, name, array)
    return matrix


def changed(array, position, value):
    array = array.copy()
    array[position] = value
    return array


@pytest.mark.parametrize("format_", ["csr", "csc"])
@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda m: {"indices": changed(m.indices, 3, 10**8)}, "index 100000000"),
        (lambda m: {"indices": changed(m.indices, 3, -1)}, "index -1"),
        (lambda m: {"indices": m.indices[:-1]}, "entries"),
        (lambda m: {"indices": m.indices.astype(float)}, "dtype float64"),
        (lambda m: {"indices": m.indices[:, None]}, "one dimension"),
        (lambda m: {"data": m.data[:-1]}, "entries"),
        (lambda m: {"data": np.array([])}, "entries"),
        (lambda m: {"indptr": m.indptr[:-1]}, "length"),
        (lambda m: {"indptr": np.append(m.indptr, m.nnz)}, "length"),
        (lambda m: {"indptr": changed(m.indptr, 0, 1)}, "start at 0"),
        (lambda m: {"indptr": changed(m.indptr, 5, 10**7)}, "decreases"),
        (lambda m: {"indptr": changed(m.indptr, 5, -(10**7))}, "decreases"),
        (lambda m: {"indptr": changed(m.indptr, -1, 10**8)}, "indptr asks for"),
        (lambda m: {"indptr": m.indptr.astype(float)}, "dtype float64"),
    ],
)
def test_broken_structure_is_an_error_not_a_crash(csr, format_, change, word):
    matrix = csr.asformat(format_)
    with pytest.raises(InvalidInputError, match=word):
        as_design(broken(matrix, **change(matrix)))


def test_other_broken_formats_are_errors(csr):
    coo, bsr, lil = csr.tocoo(), csr.tobsr((2, 5)), csr.tolil()
    dia = sp.dia_array((np.ones((2, 4)), [0, 1]), shape=(4, 4))
    with pytest.raises(InvalidInputError, match="COO"):
        as_design(broken(coo, row=changed(coo.row, 0, 10**8)))
    with pytest.raises(InvalidInputError, match="COO"):
        as_design(broken(coo, data=coo.data[:-1]))
    with pytest.raises(InvalidInputError, match="BSR"):
        as_design(broken(bsr, indices=changed(bsr.indices, 0, 10**8)))
    with pytest.raises(InvalidInputError, match="DIA"):
        as_design(broken(dia, offsets=dia.offsets[:-1]))
    lil.data[7] = lil.data[7] + [1.0] * 1000
    with pytest.raises(InvalidInputError, match="LIL"):
        as_design(lil)


# --- targets and weights ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 2],
        np.array([0, 1, 2], dtype=">f4"),
        np.array([[0], [1], [2]]),
        pd.Series([0, 1, 2]),
        (0, 1, 2.0),
    ],
)
def test_targets_become_contiguous_float64(y):
    target = as_target(y, 3)
    assert target.dtype == np.float64
    assert target.flags.c_contiguous
    np.testing.assert_array_equal(target, [0.0, 1.0, 2.0])


def test_good_targets_are_not_copied():
    y = np.arange(6.0)
    assert np.shares_memory(as_target(y, 6), y)


def test_several_outputs():
    assert as_target(np.ones((4, 3), order="F"), 4, n_dim=2).shape == (4, 3)
    assert as_target(np.ones(4), 4, n_dim=2).shape == (4, 1)


@pytest.mark.parametrize(
    ("y", "n_dim", "word"),
    [
        ([0.0, np.nan, 1.0], 1, "NaN at row 1"),
        ([0.0, 1e200, 1.0], 1, "Rescale"),
        ([0.0, 1.0], 1, "2 rows"),
        (np.ones((3, 2)), 1, "shape"),
        (np.ones((3, 0)), 2, "shape"),
        (1.0, 1, "shape"),
        (["a", "b", "c"], 1, "not real"),
        (sp.csr_array(np.ones((3, 1))), 1, "sparse"),
        (np.array([[0.0, 1.0], [0.0, 1.0], [0.0, np.inf]]), 2, "row 2, column 1"),
    ],
)
def test_unusable_targets(y, n_dim, word):
    with pytest.raises(InvalidInputError, match=word):
        as_target(y, 3, n_dim=n_dim)


def test_sample_weights():
    np.testing.assert_array_equal(as_sample_weight(None, 2), [1.0, 1.0])
    np.testing.assert_array_equal(as_sample_weight(3, 2), [3.0, 3.0])
    np.testing.assert_array_equal(as_sample_weight([0, 2], 2), [0.0, 2.0])


@pytest.mark.parametrize(
    ("weights", "word"),
    [
        ([1.0, -1.0], "negative"),
        ([0.0, 0.0], "zero for all"),
        ([1.0, np.nan], "NaN"),
        ([1.0, np.inf], "inf"),
        ([1.0], "1 rows"),
        (np.ones((2, 2)), "shape"),
        (sp.csr_array(np.ones((2, 1))), "sparse"),
        ("balanced", "not real"),
    ],
)
def test_unusable_weights(weights, word):
    with pytest.raises(InvalidInputError, match=word):
        as_sample_weight(weights, 2)
