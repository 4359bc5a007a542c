"""The command that tells whether two classes are separable."""

import numpy as np
import pytest


@pytest.fixture
def files(tmp_path):
    """A table that a plane separates, and one with two equal rows of different classes."""
    separable, equal = tmp_path / "separable.csv", tmp_path / "equal.csv"
    separable.write_text("a,b,label\n0,0,no\n1,0,no\n0,1,no\n1,1,yes\n")
    equal.write_text("a,b,label\n0,0,no\n1,2,no\n0,1,yes\n1,2,yes\n")
    return separable, equal


def test_verdicts(run, files):
    separable, equal = files
    done = run("separable", separable)
    assert (done.code, done.err) == (0, "")
    assert "0.353553 to 0.353553 (p = 2)" in done.out
    assert done.out.rstrip().endswith("separable: the direction has every row on its side")
    done = run("separable", equal)
    assert done.code == 0
    assert "rows 1 and 3 are equal" in done.out
    assert done.out.rstrip().endswith("not separable: rows of both classes, weighted, cancel exactly")


def test_json_and_file(run, files, tmp_path):
    content = run("separable", files[0], "--json", "--out", tmp_path / "found.npz").json
    assert content["separable"] is True
    assert (content["verdict"], content["proof"], content["norm"]) == ("separable", "direction", 2.0)
    saved = np.load(tmp_path / "found.npz")
    assert np.linalg.norm(saved["direction"]) == pytest.approx(1.0)
    margins = np.array([-1, -1, -1, 1]) * (
        np.array([[0, 0], [1, 0], [0, 1], [1, 1]]) @ saved["direction"] + saved["intercept"]
    )
    assert margins.min() == pytest.approx(content["margin_lower"])
    content = run("separable", files[1], "--json", "--no-intercept", "--norm", "1.5").json
    assert (content["separable"], content["proof"]) == (False, "cancellation")
    assert (content["margin_lower"], content["margin_upper"], content["rows_with_weight"]) == (0.0, 0.0, 2)


def test_bad_arguments(run, files, tmp_path):
    assert run("separable", tmp_path / "none.csv").code == 2
    failed = run("separable", files[0], "--norm", "3")
    assert failed.code == 2
    assert "separability cannot use p=3.0" in failed.err
