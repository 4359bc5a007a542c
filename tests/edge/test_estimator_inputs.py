"""One matrix in every container that users have: the same fit, and the container untouched."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import cases_estimators as data
from fenchel import InvalidInputError, LogisticRegression

INDEX_PARTS = [("indices",), ("indptr",), ("indices", "indptr")]


def _fit(X: Any, y: Any, **parameters: Any) -> Any:
    return LogisticRegression(l2=0.01, **parameters).fit(X, y)


@pytest.mark.parametrize("parts", INDEX_PARTS)
@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix])
def test_wide_indices_change_nothing(storage: Any, parts: tuple[str, ...]) -> None:
    S, y = data.sparse_data()
    narrow, wide = storage(S), storage(S)
    for part in parts:
        setattr(wide, part, getattr(wide, part).astype(np.int64))
    kept = [wide.data.copy(), wide.indices.copy(), wide.indptr.copy()]
    expected, found = _fit(narrow, y), _fit(wide, y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.decision_function(wide), expected.decision_function(narrow))
    for array, copy in zip([wide.data, wide.indices, wide.indptr], kept, strict=True):
        assert array.dtype == copy.dtype
        np.testing.assert_array_equal(array, copy)


def _read_only(X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    X.setflags(write=False)
    return X


def _unsorted(S: Any) -> Any:
    S = S.copy()
    for row in range(S.shape[0]):
        inside = slice(S.indptr[row], S.indptr[row + 1])
        S.indices[inside] = S.indices[inside][::-1].copy()
        S.data[inside] = S.data[inside][::-1].copy()
    S.has_sorted_indices = False
    return S


def _read_only_csr(S: Any) -> Any:
    S = S.copy()
    for array in (S.data, S.indices, S.indptr):
        array.setflags(write=False)
    return S


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "dense C": lambda S: S.toarray(),
    "dense Fortran": lambda S: np.asfortranarray(S.toarray()),
    "strided": lambda S: np.repeat(S.toarray(), 2, axis=1)[:, ::2],
    "reversed": lambda S: S.toarray()[::-1][::-1],
    "csc": lambda S: S.tocsc(),
    "coo": lambda S: S.tocoo(),
    "coo array": lambda S: sp.coo_array(S),
    "read-only": lambda S: _read_only(S.toarray()),
    "read-only csr": _read_only_csr,
    "unsorted": _unsorted,
    "pandas": lambda S: pd.DataFrame(S.toarray(), columns=[f"x{j}" for j in range(50)]),
    "pandas sparse": lambda S: pd.DataFrame.sparse.from_spmatrix(S),
    "polars": lambda S: pl.DataFrame(S.toarray(), schema=[f"x{j}" for j in range(50)]),
    "big-endian": lambda S: S.toarray().astype(">f8"),
    "big-endian csr": lambda S: sp.csr_array((S.data.astype(">f8"), S.indices, S.indptr), shape=S.shape),
    "list": lambda S: S.toarray().tolist(),
}


def _content(X: Any) -> list[bytes]:
    if sp.issparse(X):
        names = ("data", "row", "col") if X.format == "coo" else ("data", "indices", "indptr")
        return [getattr(X, name).tobytes() for name in names]
    return [np.asarray(X).tobytes()]


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(container: str) -> None:
    S, y = data.sparse_data()
    reference = _fit(S, y, tol=1e-10)
    X = CONTAINERS[container](S)
    before = _content(X)
    model = _fit(X, y, tol=1e-10)
    assert model.certificate_.primal == pytest.approx(reference.certificate_.primal, abs=1e-9)
    np.testing.assert_allclose(model.decision_function(X), reference.decision_function(S), atol=1e-4)
    model.predict(X)
    assert _content(X) == before


def test_names_of_features() -> None:
    S, y = data.sparse_data()
    for container in ("pandas", "polars"):
        model = _fit(CONTAINERS[container](S), y)
        assert model.feature_names_in_[:2].tolist() == ["x0", "x1"]
    renamed = CONTAINERS["pandas"](S).rename(columns={"x3": "other"})
    with pytest.raises(ValueError, match="feature names"):
        model.predict(renamed)


def test_float32_memory_map(tmp_path: Path) -> None:
    S, y = data.sparse_data()
    S.toarray().astype(np.float32).tofile(tmp_path / "X")
    X = np.memmap(tmp_path / "X", dtype=np.float32, mode="r", shape=S.shape)
    model = _fit(X, y)
    assert model.certificate_.primal == pytest.approx(_fit(S, y).certificate_.primal, abs=1e-5)
    assert model.predict(X).dtype == y.dtype


def test_duplicate_entries_are_summed() -> None:
    S, y = data.sparse_data()
    repeated = sp.csr_matrix(
        (
            np.concatenate([S.data, np.tile(S.data[:20], 20), np.zeros(5)]),
            np.concatenate([S.indices, np.tile(S.indices[:20], 20), np.arange(5, dtype=np.int32)]),
            np.append(S.indptr[:-1], S.nnz + 405),
        ),
        shape=S.shape,
    )
    summed = repeated.copy()
    summed.sum_duplicates()
    before = _content(repeated)
    model, reference = _fit(repeated, y), _fit(summed, y)
    assert _content(repeated) == before
    assert model.certificate_.primal == pytest.approx(reference.certificate_.primal, abs=1e-9)


@pytest.mark.parametrize("storage", ["csr", "csc"])
@pytest.mark.parametrize("index", [50_000_000, -7])
def test_index_out_of_range_is_an_error(storage: str, index: int) -> None:
    S, y = data.sparse_data()
    S = S.asformat(storage)
    model = _fit(S, y)
    S.indices[3] = index
    with pytest.raises(InvalidInputError, match="index"):
        _fit(S, y)
    with pytest.raises(InvalidInputError, match="index"):
        model.predict(S)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("container", ["dense C", "csc", "pandas"])
def test_values_that_are_not_finite(container: str, value: float) -> None:
    S, y = data.sparse_data()
    S.data[7] = value
    with pytest.raises(InvalidInputError, match=r"X has (NaN|inf) at row \d+, column \d+"):
        _fit(CONTAINERS[container](S), y)


@pytest.mark.slow
def test_sparse_is_never_made_dense() -> None:
    rng = np.random.default_rng(0)
    size, stored = 200_000, 1_000_000
    places = rng.integers(0, size, (2, stored))
    S = sp.csr_array((rng.standard_normal(stored), tuple(places)), shape=(size, size))
    y = rng.integers(0, 2, size)
    entries = S.nnz * 12
    tracemalloc.start()
    try:
        model = LogisticRegression(l2=0.1, tol=0.1, max_passes=5).fit(S, y)
        model.predict(S)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.status_.solved
    assert peak < 10 * entries
