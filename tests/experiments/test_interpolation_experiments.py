"""The small versions of the experiments on interpolation and dual coordinate ascent."""

import json
from importlib.util import find_spec

from experiments.interpolation import accelerated_sdca
from experiments.runner import discover, run_experiment


def summary_of(name, tmp_path):
    folder = run_experiment(discover()[name], full=False, results=tmp_path)
    return json.loads((folder / "summary.json").read_text()), {path.name for path in folder.glob("*.png")}


def plots_of(names):
    return set(names) if find_spec("matplotlib") else set()


def test_accelerated_sdca(tmp_path):
    summary, plots = summary_of("interpolation_accelerated_sdca", tmp_path)
    assert plots == plots_of(["passes.png"])
    assert len(summary["rows"]) == 2 * len(accelerated_sdca.LOSSES)
    for row in summary["rows"]:
        assert set(row["passes"]) == set(accelerated_sdca.SOLVERS)
        assert row["passes"]["SDCA, Newton"] is not None
    momentum, adaptive, _ = summary["claims"]
    assert momentum["reproduced"]
    assert adaptive["reproduced"]
