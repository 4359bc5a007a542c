"""The small versions of the experiments on doubly greedy descent, on bundled and generated data."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.__main__ import app
from experiments.dgpd import figure1, problems, table2
from experiments.runner import discover, run_experiment


def summary_of(name, tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FENCHEL_DATA", str(results))
        folder = run_experiment(discover()[name], full=False, results=results)
    return json.loads((folder / "summary.json").read_text()), {path.name for path in folder.glob("*.png")}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return summary_of("dgpd_table2", tmp_path_factory)


@pytest.fixture(scope="module")
def figure(tmp_path_factory):
    return summary_of("dgpd_figure1", tmp_path_factory)


def test_every_class_of_the_table_is_certified(table):
    summary, plots = table
    assert plots == ({"nonzeros.png"} if find_spec("matplotlib") else set())
    assert {row["source"] for row in summary["rows"]} == {"digits of scikit-learn", "generated text"}
    assert [row["data"] for row in summary["rows"][::2]] == list(table2.PAPER)
    for row in summary["rows"]:
        assert row["worst_gap"] <= 1e-3


def test_coefficients_are_zero_exactly_where_lambda_is_too_large_for_any(table):
    for row in table[0]["rows"]:
        assert (row["primal_any"] == 0) == (row["lambda_of_zero"] <= 0.1)
        assert row["primal"] <= row["primal_any"] <= row["n_features"]
        assert 0 < row["dual"] <= row["dual_any"] <= row["n_samples"]
        if row["strengths"] == "of the sum":
            assert row["primal"] > 0


def test_the_table_prints_the_figures_of_the_paper(table):
    text = "\n".join(table2.lines(table[0]))
    assert "1730, 2000" in text
    assert "1733, 1208" in text


def test_every_curve_falls(figure):
    summary, plots = figure
    methods = [(curve["problem"], curve["method"]) for curve in summary["curves"]]
    assert len(set(methods)) == 2 * len(figure1.SOLVERS)
    assert len(plots) == (2 if find_spec("matplotlib") else 0)
    for curve in summary["curves"]:
        objective = np.array(curve["relative_objective"])
        assert np.all(objective >= 0)
        assert np.all(np.diff(objective) <= 1e-12)
        assert np.all(np.diff(curve["passes"]) >= 0)
        assert np.all(np.diff(curve["seconds"]) >= 0)
        assert objective[-1] < objective[0]


def test_the_active_sets_come_near_the_optimum(figure):
    summary, _ = figure
    for curve in summary["curves"]:
        if curve["method"] == "dgpd_plus":
            assert curve["relative_objective"][-1] <= 1e-2
    assert set(summary["speedups"]) == {curve["problem"] for curve in summary["curves"]}
    assert "liblinear" in summary["not_compared"]


def test_what_a_method_needed_is_its_first_point_below_the_accuracy():
    curve = {"seconds": [0.0, 1.0, 2.0], "relative_objective": [1.0, 1e-3, 0.0]}
    assert figure1._needed(curve, "seconds") == 1.0
    assert figure1._needed(curve | {"relative_objective": [1.0, 0.5, 0.1]}, "seconds") is None


def test_full_sizes_need_the_files(monkeypatch, tmp_path):
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path))
    for name in table2.PAPER:
        with pytest.raises(FileNotFoundError, match="FENCHEL_DATA"):
            problems.load(name, True, np.random.default_rng(0))


def test_strengths_of_the_sum_are_divided_by_the_rows():
    data = problems.Labelled("tiny", "written here", np.eye(4), np.array([0, 0, 0, 1]))
    assert problems.problem_of(data, 1, (0.4, 0.8)).coordinate_form.l1[0] == pytest.approx(0.1)
    assert problems.problem_of(data, 1, (0.4, 0.8), summed=False).coordinate_form.l2[0] == 0.8
    assert data.classes.tolist() == [0, 1]


def test_command_line_lists_them():
    listed = CliRunner().invoke(app, ["list"]).output
    assert "dgpd_table2: " in listed
    assert "dgpd_figure1: " in listed
