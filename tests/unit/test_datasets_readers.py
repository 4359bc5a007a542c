"""Every file format, its options, and one clear line for everything that can be wrong with a file."""

import bz2
import gzip
import lzma
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fenchel.datasets import describe, load_data, table
from fenchel.design import as_design
from fenchel.errors import InvalidInputError

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
TEXT = b"+1 1:0.5 3:2 # comment\n-1 2:1\n+1 3:-1e-3\n"
MATRIX = np.array([[0.5, 0, 2], [0, 1, 0], [0, 0, -1e-3]])


def refuse(path, *words, **options):
    """Check that reading fails with one line that names the file and holds the words."""
    with pytest.raises(InvalidInputError) as caught:
        load_data(path, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in (str(path), *words):
        assert word in message


# --- svmlight -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "compress"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
)
@pytest.mark.parametrize("named", [True, False])
def test_svmlight_plain_and_compressed(tmp_path, ending, compress, named):
    path = tmp_path / ("tiny.svm" + (ending if named else ""))
    path.write_bytes(compress(TEXT))
    data = load_data(path)
    np.testing.assert_array_equal(data.X.toarray(), MATRIX)
    np.testing.assert_array_equal(data.y, [1, -1, 1])
    assert (data.name, data.feature_names) == ("tiny", None)


def test_svmlight_width(tmp_path):
    path = tmp_path / "tiny"
    path.write_bytes(TEXT)
    assert load_data(str(path), n_features=7).X.shape == (3, 7)
    refuse(path, "svmlight", n_features=2)


@pytest.mark.parametrize(
    "content",
    [b"hello world\n", b"1 1:x\n", b"1,2 1:1\n", b"1 3:1 2:1\n", b"1 -5:1\n", b"\xff\xfe\x00", b"1 1:1 2\n"],
)
def test_malformed_svmlight(tmp_path, content):
    path = tmp_path / "bad.svm"
    path.write_bytes(content)
    refuse(path, "not readable as svmlight text", "index:value")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("damage", ["cut", "garbled"])
def test_damaged_compression(tmp_path, compress, damage):
    path = tmp_path / "bad.svm"
    content = bytearray(compress(TEXT * 50))
    content = content[:-9] if damage == "cut" else content[:14] + b"\xa5" * 8 + content[22:]
    path.write_bytes(content)
    refuse(path, "not readable as svmlight text")


def test_svmlight_has_no_choice_of_target(tmp_path):
    path = tmp_path / "tiny.svm"
    path.write_bytes(TEXT)
    refuse(path, "Leave target out", target="y")


def test_missing_file(tmp_path):
    refuse(tmp_path / "nowhere.svm", "no such file")
    refuse(tmp_path, "no such file")


# --- archives -----------------------------------------------------------------------------------


@pytest.mark.parametrize("build", [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.bsr_array])
def test_scipy_archive(tmp_path, build):
    path = tmp_path / "m.npz"
    sp.save_npz(path, build(MATRIX))
    data = load_data(path)
    np.testing.assert_array_equal(data.X.toarray(), MATRIX)
    assert data.y is None
    assert describe(data)["target"] == "none"
    refuse(path, "drop", drop=0)
    refuse(path, "no member 'labels'", target="labels")


def test_scipy_archive_with_target(tmp_path):
    csr, path = sp.csr_array(MATRIX), tmp_path / "m.npz"
    np.savez(
        path,
        format=b"csr",
        shape=csr.shape,
        data=csr.data,
        indices=csr.indices,
        indptr=csr.indptr,
        y=[1, 0, 1],
    )
    np.testing.assert_array_equal(load_data(path).y, [1, 0, 1])


def test_dense_archive(tmp_path):
    path = tmp_path / "m.npz"
    np.savez(path, X=MATRIX.astype(np.float32), y=np.array([[1], [0], [2]]), other=np.array(["a", "b", "c"]))
    data = load_data(path)
    assert data.X.dtype == np.float32
    np.testing.assert_array_equal(data.y, [1, 0, 2])
    assert load_data(path, target="other").y.tolist() == ["a", "b", "c"]
    dropped = load_data(path, drop=0)
    np.testing.assert_array_equal(dropped.y, [1, 2])
    np.testing.assert_array_equal(dropped.X, MATRIX[[0, 2]].astype(np.float32))
    assert load_data(path, target="other", drop="b").y.tolist() == ["a", "c"]


def test_archive_of_parts_without_values_holds_ones(tmp_path):
    path = tmp_path / "m.npz"
    np.savez_compressed(
        path, indices=np.array([0, 2, 1]), indptr=np.array([0, 2, 3]), shape=[2, 3], y=[-1, 1]
    )
    data = load_data(path)
    np.testing.assert_array_equal(data.X.toarray(), [[1, 0, 1], [0, 1, 0]])
    np.testing.assert_array_equal(load_data(path, drop=-1).X.toarray(), [[0, 1, 0]])


@pytest.mark.parametrize(
    ("members", "word"),
    [
        ({"A": MATRIX}, "found the members A"),
        ({"X": MATRIX, "y": [1, 2]}, "3 rows, but the target has 2"),
        ({"X": np.ones(3)}, "two dimensions"),
        ({"X": np.array([[1, None]], dtype=object)}, "not readable"),
        ({"indices": [0, 9], "indptr": [0, 1, 2], "shape": [2, 3], "y": [0, 1]}, "index 9"),
        ({"indices": [0, -1], "indptr": [0, 1, 2], "shape": [2, 3], "y": [0, 1]}, "index -1"),
        ({"indices": [0, 1], "indptr": [0, 2, 1, 2], "shape": [3, 3]}, "decreases"),
        ({"indices": [0, 1], "indptr": [0, 2], "shape": [3, 3]}, ""),
        ({"indices": [0, 1], "indptr": [0, 1, 2], "shape": [2], "y": [0, 1]}, ""),
        ({"format": "csr", "indices": [0, 1], "indptr": [0, 1, 5], "shape": [2, 2], "data": [1, 2]}, ""),
        ({"format": "strange", "data": [1]}, ""),
    ],
)
def test_malformed_archives(tmp_path, members, word):
    path = tmp_path / "bad.npz"
    np.savez(path, **members)
    refuse(path, word, drop=1)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"plain text"])
def test_files_that_are_no_archive(tmp_path, content):
    path = tmp_path / "bad.npz"
    path.write_bytes(content)
    refuse(path, "not readable as an .npz archive")


def test_archive_of_another_width(tmp_path):
    path = tmp_path / "m.npz"
    np.savez(path, X=MATRIX, y=[1, 0, 1])
    assert load_data(path, n_features=3).X.shape == (3, 3)
    refuse(path, "n_features=4", n_features=4)


# --- tables -------------------------------------------------------------------------------------

FRAME = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "flag": [True, False], "kind": ["x", "y"]})


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".CSV", ".parquet"])
def test_tables(tmp_path, ending):
    path = tmp_path / f"t{ending}"
    if ending == ".parquet":
        FRAME.to_parquet(path)
    else:
        FRAME.to_csv(path, index=False)
    data = load_data(path)
    assert data.feature_names == ("a", "b", "flag")
    np.testing.assert_array_equal(data.X.astype(float), [[1, 0.5, 1], [2, np.nan, 0]])
    assert data.y.tolist() == ["x", "y"]
    with pytest.raises(InvalidInputError, match="NaN at row 1, column 1"):
        as_design(data.X)
    refuse(path, "column 'kind'", "not numbers", target="a")
    refuse(path, "no column 'z'", "a, b, flag, kind", target="z")


def test_table_with_target_by_name(tmp_path):
    path = tmp_path / "t.csv"
    FRAME[["a", "b"]].to_csv(path, index=False)
    data = load_data(path, target="a", drop=2)
    assert data.feature_names == ("b",)
    np.testing.assert_array_equal(data.X, [[0.5]])


@pytest.mark.parametrize("content", [b"", b"a\n1\n", b'a,b\n1,2,3\n4,5\n"', b"a,b\n1,2\n3,4,5\n"])
def test_malformed_csv(tmp_path, content):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    refuse(path)


def test_malformed_parquet(tmp_path):
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1 not really")
    refuse(path, "not readable as .parquet")


@pytest.mark.parametrize(
    ("ending", "package"), [(".csv", "pandas"), (".parquet", "pandas"), (".parquet", "pyarrow")]
)
def test_missing_optional_package(tmp_path, monkeypatch, ending, package):
    def without(name):
        if name == package:
            raise ImportError(name)
        return import_module(name)

    path = tmp_path / f"t{ending}"
    path.write_bytes(b"a,b\n1,2\n")
    monkeypatch.setattr(table, "import_module", without)
    refuse(path, f"needs {package}", "pip install", ".npz")


# --- real files ---------------------------------------------------------------------------------


def real(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not at {SHARED}")
    return path


def test_a9a_and_its_test_split():
    train = describe(load_data(real("a9a.svm.bz2"), n_features=123))
    assert (train["n"], train["d"], train["nnz"]) == (32_561, 123, 451_592)
    assert train["class_counts"] == {-1: 24_720, 1: 7_841}
    test = load_data(real("a9a.t.svm.bz2"), n_features=123)
    assert test.X.shape == (16_281, 123)
    assert test.name == "a9a"


def test_mushrooms():
    summary = describe(load_data(real("mushrooms.svm.bz2")))
    assert (summary["n"], summary["d"], summary["nnz"]) == (8_124, 112, 170_604)
    assert summary["class_counts"] == {1: 3_916, 2: 4_208}


def test_rcv1_binary_view():
    data = load_data(real("rcv1_topics.npz"), target="y_binary", drop=0)
    summary = describe(data)
    assert (summary["n"], summary["d"], summary["nnz"]) == (23_749, 47_236, 1_783_774)
    assert summary["class_counts"] == {-1: 11_920, 1: 11_829}
    assert summary["dtype"] == "float32"
    norms = as_design(data.X).row_square_sums(np.ones(47_236))
    np.testing.assert_allclose(norms, 1.0, atol=1e-4)


def test_dorothea_has_values_of_one():
    data = load_data(real("dorothea.npz"))
    summary = describe(data)
    assert (summary["n"], summary["d"], summary["nnz"]) == (800, 88_119, 727_760)
    assert summary["class_counts"] == {-1: 722, 1: 78}
    assert summary["value_range"] == (0.0, 1.0)
    assert as_design(data.X).matvec(np.ones(88_119)).sum() == 727_760
