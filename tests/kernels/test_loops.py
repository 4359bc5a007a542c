"""The innermost loops at every level that this CPU runs, and the choice of a level."""

import subprocess
import sys

import numpy as np
import pytest

from fenchel._kernels import simd
from fenchel._kernels.products import along_named
from fenchel._kernels.prox_newton import ScaledColumns
from fenchel._kernels.views import DenseLines, SparseLines
from fenchel.errors import InvalidInputError


def sparse_lines(rng, counts, length, dtype):
    """Lines with the given numbers of entries, at positions in any order."""
    indices = [rng.choice(length, size=count, replace=False) for count in counts]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    data = rng.normal(size=starts[-1]).astype(dtype)
    return SparseLines(data, np.concatenate(indices).astype(np.int32), starts, len(counts), length)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_named_lines(rng, level, dtype):
    counts, length = np.arange(40), 50
    lines, x = sparse_lines(rng, counts, length, dtype), rng.normal(size=length)
    A = np.zeros((len(counts), length))
    for row, start, stop in zip(A, lines.indptr, lines.indptr[1:], strict=False):
        row[lines.indices[start:stop]] = lines.data[start:stop]
    named = rng.permutation(len(counts))
    np.testing.assert_allclose(along_named(lines, named, x), A[named] @ x, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("copy", [np.float32, np.float64])
@pytest.mark.parametrize("storage", ["dense", "sparse"])
@pytest.mark.parametrize("length", [1, 31, 33, 2100])
def test_scaled_columns(rng, level, storage, copy, length):
    m = 9
    if storage == "dense":
        A = rng.normal(size=(m, length))
        lines = DenseLines(A, m, length)
    else:
        lines = sparse_lines(rng, np.minimum(np.arange(m), length), length, np.float64)
        A = np.zeros((m, length))
        for row, start, stop in zip(A, lines.indptr, lines.indptr[1:], strict=False):
            row[lines.indices[start:stop]] = lines.data[start:stop]
    named = np.arange(m)
    columns = ScaledColumns.copy(lines, named, np.ones(length), copy)
    v, factor = rng.normal(size=length).astype(copy), rng.normal(size=m)
    # Sums of single precision round like the square root of their length.
    close = {"rtol": 1e-12, "atol": 1e-12} if copy == np.float64 else {"rtol": 1e-5, "atol": 1e-4}
    np.testing.assert_allclose(columns.along(named, v), A @ v, **close)
    expected = v + factor @ A
    columns.across(named, factor, v)
    np.testing.assert_allclose(v, expected, **close)


def test_what_is_behind_the_last_entry_is_not_read(rng, level):
    x = np.array([1.0, np.nan, 2.0])
    lines = SparseLines(
        np.array([3.0, np.inf, 1.0]), np.array([0, 1, 2], dtype=np.int32), np.array([0, 1, 2, 3]), 3, 3
    )
    assert along_named(lines, np.array([0, 2]), x).tolist() == [3.0, 2.0]


def test_the_level_is_one_that_runs(runnable):
    assert runnable[0] == "baseline"
    assert simd.choose_level(None) in runnable
    assert simd.choose_level("") == simd.choose_level(None)


@pytest.mark.parametrize("asked", ["sse9", "AVX2"])
def test_unknown_levels_are_refused(asked):
    message = (
        rf"^FENCHEL_SIMD='{asked}' cannot be used: it is not the name of a level\. Here it can be baseline"
    )
    with pytest.raises(InvalidInputError, match=message):
        simd.choose_level(asked)


def test_the_environment_chooses_the_level(monkeypatch):
    monkeypatch.setenv("FENCHEL_SIMD", "baseline")
    code = "from fenchel._kernels import simd; print(simd.used_level())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "baseline\n"
