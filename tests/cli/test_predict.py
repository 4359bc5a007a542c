"""``fenchel predict``: the same numbers as the estimator, for every format of new data."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from fenchel import Classifier, Regressor


def columns(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [row[name] for row in rows] for name in rows[0]}


def floats(values):
    return np.array([float(value) for value in values])


def test_two_classes(run, files):
    model, out = files.folder / "model.npz", files.folder / "scores.csv"
    assert run("fit", files.binary, "--l1", "0.01", "--out", model).code == 0
    done = run("predict", model, files.binary, "--out", out)
    assert (done.code, done.out, done.err) == (0, "", "")
    got = columns(out.read_text())
    assert list(got) == ["score", "label", "probability_-1", "probability_1"]
    X, y = load_svmlight_file(str(files.binary))
    expected = Classifier(l1=0.01, l2=0.0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(floats(got["score"]), expected.decision_function(X))
    np.testing.assert_array_equal(floats(got["label"]), expected.predict(X))
    np.testing.assert_array_equal(floats(got["probability_1"]), expected.predict_proba(X)[:, 1])


def test_many_classes(run, files):
    model = files.folder / "model.npz"
    assert run("fit", files.multiclass, "--loss", "squared_hinge", "--l2", "0.1", "--out", model).code == 0
    got = columns(run("predict", model, files.multiclass).out)
    assert list(got) == ["score_0", "score_1", "score_2", "label"]
    X, y = load_svmlight_file(str(files.multiclass))
    expected = Classifier("squared_hinge", l2=0.1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(floats(got["label"]), expected.predict(X))
    np.testing.assert_array_equal(floats(got["score_2"]), expected.decision_function(X)[:, 2])


def test_the_classes_of_one_problem(run, files):
    model = files.folder / "model.npz"
    assert run("fit", files.multiclass, "--l1", "0.01", "--out", model).code == 0
    got = columns(run("predict", model, files.multiclass).out)
    names = ["0", "1", "2"]
    assert list(got) == [*(f"score_{k}" for k in names), "label", *(f"probability_{k}" for k in names)]
    X, y = load_svmlight_file(str(files.multiclass))
    expected = Classifier(l1=0.01, l2=0.0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(floats(got["label"]), expected.predict(X))
    for k in range(3):
        np.testing.assert_array_equal(floats(got[f"score_{k}"]), expected.decision_function(X)[:, k])
        np.testing.assert_array_equal(floats(got[f"probability_{k}"]), expected.predict_proba(X)[:, k])


def test_two_classes_with_coefficients_each(run, files):
    model = files.folder / "model.npz"
    assert run("fit", files.binary, "--loss", "softmax", "--l2", "0.1", "--out", model).code == 0
    assert run("certify", model, files.binary).code == 0
    got = columns(run("predict", model, files.binary).out)
    assert list(got) == ["score", "label", "probability_-1", "probability_1"]
    expected = Classifier("softmax", l2=0.1, random_state=0).fit(files.X, files.labels)
    np.testing.assert_allclose(floats(got["probability_1"]), expected.predict_proba(files.X)[:, 1], rtol=1e-9)


def test_regression(run, files):
    model = files.folder / "model.npz"
    assert run("fit", files.regression, "--loss", "squared", "--l2", "0.1", "--out", model).code == 0
    got = columns(run("predict", model, files.regression).out)
    X, y = load_svmlight_file(str(files.regression))
    expected = Regressor(l2=0.1, random_state=0).fit(X, y)
    np.testing.assert_array_equal(floats(got["prediction"]), expected.predict(X))


def test_text_labels_come_back(run, files):
    data, model = files.folder / "table.csv", files.folder / "model.npz"
    words = np.where(files.labels > 0, "ja", "nein, nie")
    rows = [f'{a:.17g},{b:.17g},"{word}"' for (a, b), word in zip(files.X[:, :2], words, strict=True)]
    data.write_text("\n".join(["a,b,word", *rows]) + "\n")
    assert run("fit", data, "--l2", "0.1", "--out", model).code == 0
    assert run("certify", model, data).code == 0
    got = columns(run("predict", model, data).out)
    assert set(got["label"]) == {"ja", "nein, nie"}
    expected = Classifier(l2=0.1, random_state=0).fit(files.X[:, :2], words)
    assert got["label"] == expected.predict(files.X[:, :2]).tolist()


@pytest.mark.parametrize("header", ["b,extra,a", "a,b"])
def test_a_table_is_read_by_the_names_of_its_columns(run, files, header):
    data, model, new = (files.folder / name for name in ("table.csv", "model.npz", "new.csv"))
    rows = [f"{a:.17g},{b:.17g},{y:g}" for (a, b), y in zip(files.X[:, :2], files.labels, strict=True)]
    data.write_text("\n".join(["a,b,y", *rows]) + "\n")
    assert run("fit", data, "--l2", "0.1", "--out", model).code == 0
    values = {"a": "0.5", "b": "-2", "extra": "text"}
    new.write_text(header + "\n" + ",".join(values[name] for name in header.split(",")) + "\n")
    got = columns(run("predict", model, new).out)
    expected = Classifier(l2=0.1, random_state=0).fit(files.X[:, :2], files.labels)
    assert floats(got["score"]) == pytest.approx(expected.decision_function([[0.5, -2.0]]), rel=1e-12)


def test_a_table_without_a_column_is_an_error(run, files):
    data, model, new = (files.folder / name for name in ("table.csv", "model.npz", "new.csv"))
    data.write_text("a,b,y\n1,2,0\n3,1,1\n")
    new.write_text("a,c\n1,2\n")
    assert run("fit", data, "--l2", "0.1", "--out", model).code == 0
    done = run("predict", model, new)
    assert done.code == 2
    assert "no column 'b'" in done.err


def test_svmlight_text_may_be_narrower_or_wider(run, files):
    model, new = files.folder / "model.npz", files.folder / "new.svm"
    assert run("fit", files.binary, "--l2", "0.1", "--out", model).code == 0
    whole = floats(columns(run("predict", model, files.binary).out)["score"])
    wide = np.hstack([files.X, np.ones((60, 3))])
    dump_svmlight_file(wide, files.labels, str(new), zero_based=False)
    done = run("predict", model, new)
    assert done.code == 0
    assert done.err.startswith("note: ")
    np.testing.assert_array_equal(floats(columns(done.out)["score"]), whole)
    dump_svmlight_file(files.X[:, :2], files.labels, str(new), zero_based=False)
    narrow = run("predict", model, new)
    assert (narrow.code, narrow.err) == (0, "")


def test_many_rows_are_written_in_blocks(run, files, monkeypatch):
    model = files.folder / "model.npz"
    assert run("fit", files.multiclass, "--l2", "0.1", "--out", model).code == 0
    whole = run("predict", model, files.multiclass).out
    monkeypatch.setattr("fenchel.cli.predict._BLOCK", 7)
    assert run("predict", model, files.multiclass).out == whole


def test_an_unusable_value_writes_nothing(run, files):
    model, new, out = (files.folder / name for name in ("model.npz", "new.npz", "scores.csv"))
    assert run("fit", files.binary, "--l2", "0.1", "--out", model).code == 0
    np.savez(new, X=np.where(files.X[-1, -1] == files.X, np.nan, files.X))
    assert run("predict", model, new, "--out", out).code == 2
    assert not out.exists()


def test_dense_data_of_another_width_are_an_error(run, files):
    model, new = files.folder / "model.npz", files.folder / "new.npz"
    assert run("fit", files.binary, "--l2", "0.1", "--out", model).code == 0
    np.savez(new, X=np.ones((3, 4)))
    done = run("predict", model, new)
    assert done.code == 2
    assert "4 columns, but the model has 5 features" in done.err
