"""``fenchel path``: what it computes, prints and saves."""

import numpy as np
import pytest

from fenchel import Problem, path
from fenchel.losses import Logistic, Squared
from fenchel.regularizers import ElasticNet

POINT = {
    "strength",
    "status",
    "nonzeros",
    "explained",
    "primal",
    "dual",
    "gap",
    "relative_gap",
    "passes",
    "seconds",
}


def test_the_json_has_the_documented_fields(run, files):
    done = run("path", files.binary, "--n-strengths", 5, "--json")
    assert (done.code, done.err) == (0, "")
    assert set(done.json) == {"command", "data", "message", "interrupted", "solved", "points"}
    assert [set(point) for point in done.json["points"]] == [POINT] * 5
    assert done.json["solved"]
    assert all(point["relative_gap"] <= 1e-6 for point in done.json["points"])
    assert done.json["points"][0]["nonzeros"] == 0


def test_the_file_holds_the_path_and_its_proofs(run, files):
    out = files.folder / "path.npz"
    options = ["--loss", "squared", "--l1-ratio", 0.5, "--n-strengths", 6, "--ratio", 0.05, "--out", out]
    assert run("path", files.regression, *options, "--quiet").out == ""
    with np.load(out) as file:
        stored = dict(file)
    problem = Problem(files.X, files.targets, Squared(), ElasticNet(0.5, 0.5), fit_intercept=True)
    np.testing.assert_allclose(stored["strengths"], path(problem, 6, 0.05).strengths, rtol=1e-6)
    for k, strength in enumerate(stored["strengths"]):
        whole = problem.with_regularizer(ElasticNet(0.5 * strength, 0.5 * strength))
        w = np.append(stored["coefficients"][k], stored["intercepts"][k])
        again = whole.certify(w, stored["dual_points"][k])
        assert again.primal == pytest.approx(stored["primal"][k], rel=1e-6)
        assert again.relative_gap <= 2e-6
    assert stored["solved"].all()


def test_the_table_has_one_row_a_strength(run, files):
    done = run("path", files.multiclass, "--n-strengths", 3, "--ratio", 0.3)
    assert done.code == 0
    assert "all strengths are done" in done.out
    assert "explained" in done.out
    assert done.out.count(" s\n") == 3


def test_stop_early(run, files):
    done = run("path", files.regression, "--loss", "squared", "--ratio", 1e-8, "--stop-early", "--json")
    assert len(done.json["points"]) < 100
    assert "explained deviance" in done.json["message"]


def test_a_time_limit_of_zero_leaves_nothing(run, files):
    done = run("path", files.binary, "--time-limit", 0)
    assert (done.code, done.out) == (0, "")
    assert "time limit" in done.err


def test_the_path_is_that_of_the_library(run, files):
    done = run("path", files.binary, "--n-strengths", 4, "--ratio", 0.1, "--json", "--no-intercept")
    result = path(Problem(files.X, files.labels, Logistic(), ElasticNet(1.0, 0.0)), 4, 0.1)
    found = [point["primal"] for point in done.json["points"]]
    np.testing.assert_allclose(found, [item.primal for item in result.certificates], rtol=2e-6)


def test_a_plot(run, files):
    pytest.importorskip("matplotlib")
    image = files.folder / "path.png"
    assert run("path", files.binary, "--n-strengths", 4, "--plot", image, "--quiet").code == 0
    assert image.read_bytes().startswith(b"\x89PNG")
    done = run("path", files.binary, "--n-strengths", 4, "--plot", files.folder / "path.nothing")
    assert done.code == 2
    assert done.err.startswith("error: --plot")


def test_a_plot_without_matplotlib(run, files, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr("fenchel.plotting.import_module", absent)
    done = run("path", files.binary, "--n-strengths", 2, "--plot", files.folder / "path.png")
    assert done.code == 2
    assert "fenchel[plot]" in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--loss", "squared_hinge"], "no form for all"),
        (["--l1-ratio", "2"], "share of the l1 part"),
        (["--ratio", "0"], "ratio"),
        (["--out", "missing/path.npz"], "does not exist"),
    ],
)
def test_errors_are_one_line(run, files, options, words):
    done = run("path", files.multiclass, *options)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1
