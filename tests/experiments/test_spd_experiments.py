"""The small versions of the experiments on SPD1 and SPD1-VR, on generated data."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.__main__ import app
from experiments.runner import discover, run_experiment
from experiments.spd import methods, problems, table2, turning_point
from fenchel.losses import Logistic


def summary_of(name, tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    folder = run_experiment(discover()[name], full=False, results=results)
    return json.loads((folder / "summary.json").read_text()), {path.name for path in folder.glob("*.png")}


@pytest.fixture(scope="module", params=["spd_figure1", "spd_figure2", "spd_figure3"])
def figure(request, tmp_path_factory):
    return summary_of(request.param, tmp_path_factory)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return summary_of("spd_table2", tmp_path_factory)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    return summary_of("spd_turning_point", tmp_path_factory)


def test_every_method_has_a_curve_that_falls(figure):
    summary, plots = figure
    assert len(summary["data"]) == 3
    assert len(plots) == (3 if find_spec("matplotlib") else 0)
    pairs = {(curve["problem"], curve["method"]) for curve in summary["curves"]}
    assert len(pairs) == 3 * len(methods.METHODS)
    for curve in summary["curves"]:
        objective = np.array(curve["relative_objective"])
        assert np.all(objective >= 0)
        assert np.all(np.diff(objective) <= 1e-12)
        assert np.all(np.diff(curve["passes"]) > 0)


def test_costs_are_read_off_the_curves(figure):
    summary, _ = figure
    for row in summary["costs"]:
        (curve,) = [
            curve
            for curve in summary["curves"]
            if (curve["problem"], curve["method"]) == (row["problem"], row["method"])
        ]
        reached = min(curve["relative_objective"]) <= row["accuracy"]
        assert reached == (row["passes"] is not None)
    assert len(methods.lines(summary)) == 2 + 3 * len(methods.METHODS)


def test_table_has_every_method_and_the_paper_beside_it(table):
    summary, plots = table
    assert plots == ({"seconds_per_pass.png"} if find_spec("matplotlib") else set())
    assert len(summary["rows"]) == len(table2.PAPER) * len(table2.LOSSES) * len(methods.METHODS)
    for row in summary["rows"]:
        assert row["seconds_per_pass"] > 0
        assert row["nanoseconds_per_entry"] == pytest.approx(1e9 * row["seconds_per_pass"] / row["entries"])
        if row["method"] == "svrg":
            assert row["over_svrg"] == 1.0
    text = "\n".join(table2.lines(summary))
    assert "105.500" in text
    assert "2.34" in text


def test_sweep_says_where_it_turns(sweep):
    summary, plots = sweep
    assert plots == ({"turning_point.png"} if find_spec("matplotlib") else set())
    assert len(summary["turns"]) == 2 * 2 * len(turning_point.THEIRS)
    assert len(summary["rows"]) == 2 * 2 * len(turning_point.SOLVERS)
    assert "needs less from this kappa on" in "\n".join(turning_point.lines(summary))


def test_it_turns_where_all_larger_condition_numbers_are_won():
    def row(kappa, method, passes):
        return {"n": 1, "d": 2, "kappa": kappa, "method": method, "passes": passes, "seconds": None}

    won = [
        row(10.0, "spd1_vr", 5.0),
        row(10.0, "svrg", 4.0),
        row(10.0, "saga", 4.0),
        row(100.0, "spd1_vr", 9.0),
        row(100.0, "saga", 10.0),
    ]
    assert turning_point._turn(won, "passes", "saga") == 100.0
    assert turning_point._turn(won[:2], "passes", "svrg") is None
    never = [row(10.0, "spd1_vr", 5.0), row(10.0, "svrg", None)]
    assert turning_point._turn(never, "passes", "svrg") == 10.0


def test_synthetic_data_follow_the_planted_vector(rng):
    data = problems.synthetic(400, 30, 1e-3, rng)
    problem = data.problem(Logistic())
    assert problem.design.shape == (400, 30)
    assert problem.coordinate_form.l2[0] == 1e-3
    w = np.linalg.lstsq(data.A, data.b, rcond=None)[0]
    assert np.mean(np.sign(data.A @ w) == data.b) > 0.85


def test_full_sizes_need_the_files(monkeypatch, tmp_path):
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="FENCHEL_DATA"):
        list(problems.real(full=True))


def test_command_line_lists_them():
    listed = CliRunner().invoke(app, ["list"]).output
    for name in ("spd_figure1", "spd_figure2", "spd_figure3", "spd_table2", "spd_turning_point"):
        assert f"{name}: " in listed
