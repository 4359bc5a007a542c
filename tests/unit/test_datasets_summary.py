"""The summary of a dataset, and the bundled demos."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from fenchel.datasets import Dataset, describe, load_demo, summary
from fenchel.design import blocks
from fenchel.errors import InvalidInputError

MATRIX = np.array([[1.0, 0.0, -2.0], [0.0, 0.0, 0.0], [0.5, 0.0, 3.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize("build", [np.array, np.asfortranarray, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("block", [1 << 19, 3])
def test_counts_and_range(build, block, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_ENTRIES", block)
    found = describe(Dataset(build(MATRIX), np.array([1, 0, 1, 1]), None, "tiny"))
    assert found["sparse"] == (not isinstance(build(MATRIX), np.ndarray))
    expected = {
        "name": "tiny",
        "n": 4,
        "d": 3,
        "nnz": 5,
        "density": 5 / 12,
        "dtype": "float64",
        "non_finite": 0,
        "value_range": (-2.0, 3.0),
        "empty_rows": 1,
        "empty_columns": 1,
        "target": "binary",
        "class_counts": {0: 1, 1: 3},
    }
    assert {key: found[key] for key in expected} == expected
    json.dumps({**found, "class_counts": list(found["class_counts"].items())})


def test_explicit_zeros_do_not_count():
    matrix = sp.csr_array(MATRIX)
    matrix.data[0] = 0.0
    assert describe(Dataset(matrix, None, None, "z"))["nnz"] == 4


def test_implicit_zeros_belong_to_the_range():
    assert describe(Dataset(sp.csr_array(np.diag([2.0, 3.0])), None, None, "p"))["value_range"] == (0.0, 3.0)
    assert describe(Dataset(sp.csr_array(np.full((2, 2), 2.0)), None, None, "f"))["value_range"] == (2.0, 2.0)


def test_non_finite_values_are_counted_and_left_out():
    for build in (np.array, sp.csr_array):
        found = describe(Dataset(build([[np.nan, 1.0], [np.inf, -1.0]]), None, None, "bad"))
        assert found["non_finite"] == 2
        assert found["value_range"] == (-1.0, 1.0)
    assert describe(Dataset(np.array([[np.nan]]), None, None, "bad"))["value_range"] is None


def test_other_types_of_values():
    found = describe(Dataset(np.array([[0, 255]], dtype=np.uint8), None, None, "image"))
    assert (found["dtype"], found["value_range"]) == ("uint8", (0.0, 255.0))
    assert describe(Dataset(np.array([[True, False]]), None, None, "flags"))["value_range"] == (0.0, 1.0)


@pytest.mark.parametrize(
    ("y", "kind", "counts"),
    [
        ([1.0, 1.0, 1.0, 1.0], "constant", {1: 4}),
        ([0.5, 0.25, 0.5, 0.5], "binary", {0.25: 1, 0.5: 3}),
        ([1, 2, 3, 1], "multiclass", {1: 2, 2: 1, 3: 1}),
        (["a", "b", "a", "c"], "multiclass", {"a": 2, "b": 1, "c": 1}),
        (np.array(["a", 1.5, "a", None], dtype=object), "multiclass", {"1.5": 1, "None": 1, "a": 2}),
        ([True, False, True, True], "binary", {False: 1, True: 3}),
        ([0.1, 0.2, 0.3, 0.4], "regression", None),
        ([0.0, 1.0, np.nan, 2.0], "regression", None),
        (np.ones((4, 2)), "multi-output", None),
    ],
)
def test_kinds_of_target(y, kind, counts):
    found = describe(Dataset(MATRIX, np.asarray(y), None, "t"))
    assert (found["target"], found["class_counts"]) == (kind, counts)


def test_many_whole_numbers_are_a_measurement():
    y = np.arange(100) % 40
    assert summary.describe(Dataset(np.ones((100, 1)), y, None, "t"))["target"] == "regression"
    assert summary.describe(Dataset(np.ones((100, 1)), y % 10, None, "t"))["target"] == "multiclass"


@pytest.mark.parametrize(
    ("name", "shape", "kind"),
    [
        ("breast_cancer", (569, 30), "binary"),
        ("digits", (1797, 64), "multiclass"),
        ("diabetes", (442, 10), "regression"),
    ],
)
def test_demos(name, shape, kind):
    data = load_demo(name)
    assert data.X.shape == shape
    assert len(data.feature_names) == shape[1]
    assert describe(data)["target"] == kind


def test_unknown_demo():
    with pytest.raises(InvalidInputError, match="breast_cancer, diabetes, digits"):
        load_demo("iris")
