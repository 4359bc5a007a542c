"""Random binning: the kernel it stands for, the shape of its output, and what it refuses."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from fenchel import InvalidInputError, LinearSVC, RandomBinning


@pytest.fixture
def points() -> np.ndarray[Any, Any]:
    return np.random.default_rng(3).normal(size=(200, 4))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([RandomBinning(n_grids=10)])
def test_check_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_products_approximate_the_laplacian_kernel(scale: float) -> None:
    X = np.random.default_rng(0).normal(size=(6, 3))
    features = RandomBinning(n_grids=20_000, scale=scale, random_state=0).fit_transform(X)
    kernel = np.exp(-np.abs(X[:, None] - X[None]).sum(axis=2) / scale)
    assert np.abs((features @ features.T).toarray() - kernel).max() < 2e-2


def test_samples_of_the_fit_have_one_entry_a_grid(points: np.ndarray[Any, Any]) -> None:
    transformer = RandomBinning(n_grids=30, random_state=0)
    features = transformer.fit_transform(points)
    assert features.format == "csr"
    assert features.indices.dtype == features.indptr.dtype == np.int32
    assert features.has_canonical_format
    assert (np.diff(features.indptr) == 30).all()
    assert (features.data == 1 / np.sqrt(30)).all()
    assert (features.getnnz(axis=0) > 0).all()
    # The columns of a row lie in one grid each.
    grids = np.searchsorted(transformer.offsets_, features.indices, side="right").reshape(200, 30)
    assert (grids == np.arange(1, 31)).all()
    assert len(transformer.get_feature_names_out()) == features.shape[1]
    assert transformer.get_feature_names_out()[0] == "randombinning0"


def test_columns_are_the_boxes(points: np.ndarray[Any, Any]) -> None:
    transformer = RandomBinning(n_grids=5, random_state=0).fit(points)
    features = transformer.transform(points)
    for grid in range(5):
        boxes = np.floor((points - transformer.shifts_[grid]) / transformer.widths_[grid])
        _, expected = np.unique(boxes, axis=0, return_inverse=True)
        found = features.indices.reshape(200, 5)[:, grid]
        same = expected.ravel()[:, None] == expected.ravel()
        np.testing.assert_array_equal(found[:, None] == found, same)


def test_boxes_that_the_fit_has_not_seen_have_no_column(points: np.ndarray[Any, Any]) -> None:
    transformer = RandomBinning(n_grids=50, random_state=0).fit(points)
    features = transformer.transform(np.vstack([points[:3], np.full((1, 4), 1e6), points[:1] + 0.3]))
    counts = np.diff(features.indptr)
    assert (counts[:3] == 50).all()
    assert counts[3] == 0
    assert 0 < counts[4] < 50
    np.testing.assert_array_equal(features[:3].toarray(), transformer.transform(points)[:3].toarray())


def test_random_state_decides_the_grids(points: np.ndarray[Any, Any]) -> None:
    one, two = (RandomBinning(20, random_state=7).fit_transform(points) for _ in range(2))
    assert (one != two).nnz == 0
    other = RandomBinning(20, random_state=8).fit_transform(points)
    assert other.shape != one.shape or (one != other).nnz > 0


def test_float32_stays(points: np.ndarray[Any, Any]) -> None:
    features = RandomBinning(20, random_state=0).fit_transform(points.astype(np.float32))
    assert features.dtype == np.float32


def test_pipeline_with_a_linear_model_bends_its_boundary() -> None:
    X = np.random.default_rng(0).normal(size=(400, 2))
    y = (X**2).sum(axis=1) > 1.4
    pipeline = make_pipeline(RandomBinning(200, scale=2.0, random_state=0), LinearSVC(l2=1e-3, tol=1e-3))
    assert pipeline.fit(X[:300], y[:300]).score(X[300:], y[300:]) > 0.85
    assert pipeline[-1].certificate_.relative_gap <= 1e-3


def test_memory_is_that_of_the_result() -> None:
    n_samples, n_grids = 5000, 200
    X = np.random.default_rng(0).normal(size=(n_samples, 20))
    tracemalloc.start()
    RandomBinning(n_grids, scale=5.0, random_state=0).fit_transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 48 * n_samples * n_grids


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"n_grids": 0}, "n_grids=0"),
        ({"n_grids": 2.5}, "n_grids=2.5"),
        ({"scale": 0.0}, "scale=0.0"),
        ({"scale": float("nan")}, "scale=nan"),
        ({"scale": 1e-20}, "more than 2\\^53 bins"),
    ],
)
def test_parameters_that_are_refused(
    parameters: dict[str, Any], text: str, points: np.ndarray[Any, Any]
) -> None:
    with pytest.raises(InvalidInputError, match=text):
        RandomBinning(**parameters).fit(points)


def test_sparse_data_are_refused(points: np.ndarray[Any, Any]) -> None:
    with pytest.raises(InvalidInputError, match=r"Pass X.toarray\(\)"):
        RandomBinning().fit(sp.csr_matrix(points))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fit_transform_is_fit_and_transform_with_every_box_hashed_once(
    points: np.ndarray[Any, Any], dtype: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = points.astype(dtype)
    expected = RandomBinning(n_grids=7, random_state=3).fit(points).transform(points)
    hashed, hashes = [], RandomBinning._hashes
    monkeypatch.setattr(
        RandomBinning, "_hashes", lambda self, X, grid: hashed.append(grid) or hashes(self, X, grid)
    )
    found = RandomBinning(n_grids=7, random_state=3).fit_transform(points)
    assert hashed == list(range(7))
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
