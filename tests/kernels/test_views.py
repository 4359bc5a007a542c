"""The views refuse what the kernels would trust."""

import numpy as np
import pytest

from fenchel._kernels.views import DenseLines, SparseLines
from fenchel.errors import InvalidInputError


def sparse_arguments(**changes):
    """Two stored lines of length 3: (1, 0, 2) and (0, 3, 0)."""
    arguments = {
        "data": np.array([1.0, 2.0, 3.0]),
        "indices": np.array([0, 2, 1], dtype=np.int32),
        "indptr": np.array([0, 2, 3]),
        "n_lines": 2,
        "length": 3,
    }
    return arguments | changes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_lines", "length", "ones"), [(2, 3, False), (3, 3, True), (2, 4, True)])
def test_lines_accept_every_intercept(dtype, n_lines, length, ones):
    changes = {"data": np.ones(3, dtype), "n_lines": n_lines, "length": length, "ones": ones}
    SparseLines(**sparse_arguments(**changes))
    DenseLines(np.ones((2, 3), dtype), n_lines, length, ones)


def test_lines_of_no_entries():
    empty = sparse_arguments(data=np.empty(0), indices=np.empty(0, np.int32), indptr=np.array([0, 0, 0]))
    SparseLines(**empty)
    DenseLines(np.empty((2, 0)), 2, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": np.ones(3, dtype=np.int64)}, "data is int64 of shape"),
        ({"data": np.ones(3, dtype=np.float16)}, "data is float16 of shape"),
        ({"data": np.ones(3, dtype=">f8")}, "data is >f8 of shape"),
        ({"data": np.ones(6)[::2]}, "not C-contiguous"),
        ({"data": [1.0, 2.0, 3.0]}, "data is a list"),
        ({"data": np.ones(4)}, "3 indices for 4 entries"),
        ({"indices": np.array([0, 2, 1])}, "indices is int64 of shape"),
        ({"indices": np.array([0, 3, 1], dtype=np.int32)}, r"indices span 0..3, outside 0..2"),
        ({"indices": np.array([0, -1, 1], dtype=np.int32)}, r"indices span -1..1, outside 0..2"),
        ({"indices": np.array([0, 3, 1], dtype=np.int32), "length": 4, "ones": True}, r"outside 0..2"),
        ({"indptr": np.array([0, 2, 3], dtype=np.int32)}, "indptr is int32 of shape"),
        ({"indptr": np.array([0, 2, 2])}, "indptr does not ascend"),
        ({"indptr": np.array([0, 4, 3])}, "indptr does not ascend"),
        ({"indptr": np.array([1, 2, 3])}, "indptr does not ascend"),
        ({"indptr": np.empty(0, dtype=np.int64)}, "indptr describes -1 lines"),
        ({"n_lines": 3}, "indptr describes 2 lines, but n_lines is 3"),
        ({"n_lines": 4, "ones": True}, "indptr describes 2 lines, but n_lines is 4"),
        ({"length": 2**31}, "length is 2147483648"),
        ({"length": -1}, "length is -1"),
    ],
)
def test_sparse_lines_refuse(changes, message):
    with pytest.raises(InvalidInputError, match=message):
        SparseLines(**sparse_arguments(**changes))


@pytest.mark.parametrize(
    ("data", "n_lines", "length", "ones", "message"),
    [
        (np.ones((2, 3), dtype=np.int64), 2, 3, False, "data is int64 of shape"),
        (np.asfortranarray(np.ones((2, 3))), 2, 3, False, "not C-contiguous"),
        (np.ones(6), 2, 3, False, "data is float64 of shape"),
        (np.ones((2, 3)), 3, 2, False, r"data has shape \(2, 3\); expected \(3, 2\)"),
        (np.ones((2, 3)), 3, 4, True, r"expected \(2, 4\) or \(3, 3\)"),
    ],
)
def test_dense_lines_refuse(data, n_lines, length, ones, message):
    with pytest.raises(InvalidInputError, match=message):
        DenseLines(data, n_lines, length, ones)
