"""The small version of the first experiment, its runner and its command line."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

from experiments.__main__ import app
from experiments.runner import discover, run_experiment


@pytest.fixture(scope="module", params=["stored", "generated"])
def summary(request, tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "generated":
            patch.setenv("FENCHEL_DATA", str(results))
        folder = run_experiment(discover()["a9a_convergence"], full=False, results=results)
    plotted = {path.name for path in folder.glob("*.png")}
    assert plotted == ({"gap.png"} if find_spec("matplotlib") else set())
    return json.loads((folder / "summary.json").read_text())


def test_every_method_is_there(summary):
    methods = {(curve["problem"], curve["method"]) for curve in summary["curves"]}
    for penalty in ("l1", "elastic net", "l2"):
        assert {(penalty, "primal_cd"), (penalty, "sdca"), (penalty, "saga")} <= methods
    assert ("l1", "liblinear") in methods


def test_gaps_fall_to_a_small_value(summary):
    for curve in summary["curves"]:
        gaps = np.array(curve["relative_gap"])
        assert np.all(gaps >= 0)
        assert np.all(np.diff(gaps) <= 1e-12)
        assert gaps[-1] < 1e-2, curve["method"]


def test_passes_and_seconds_never_fall_on_our_traces(summary):
    for curve in summary["curves"]:
        if curve["method"] in ("primal_cd", "sdca"):
            assert np.all(np.diff(curve["passes"]) >= 0)
            assert np.all(np.diff(curve["seconds"]) >= 0)


def test_command_line_lists_it_and_refuses_others():
    runner = CliRunner()
    assert "a9a_convergence: " in runner.invoke(app, ["list"]).output
    assert runner.invoke(app, ["run", "no_such"]).exit_code == 2
