"""The small versions of the experiments on interpolation and dual coordinate ascent."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from experiments.interpolation import accelerated_sdca, figure1, figure2
from experiments.interpolation.mistakes import like_stored
from experiments.interpolation.problems import KINDS, draw, sparse_exponent
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
        assert row["passes"]["SDCA, as it is"] is not None
    momentum, adaptive, _ = summary["claims"]
    assert momentum["reproduced"]
    assert adaptive["reproduced"]


@pytest.mark.parametrize("module", [figure1, figure2], ids=["figure1", "figure2"])
def test_figures(tmp_path, module):
    name = module.EXPERIMENT.name
    summary, plots = summary_of(name, tmp_path)
    assert plots == plots_of([f"{name.removeprefix('interpolation_')}.png"])
    assert [row["method"] for row in summary["rows"]] == list(module.METHODS)
    for row in summary["rows"]:
        for side in ("train", "test"):
            levels = [row[side][key] for key in ("least", "lower", "median", "upper", "most")]
            assert np.all(np.diff(levels, axis=0) >= 0.0)
    ours = {row["method"]: row["train"]["median"] for row in summary["rows"]}
    best = "accelerated" if module is figure1 else "Newton, rescaled"
    assert ours[best][-1] < ours[best][0]
    # What another program has counted belongs to methods that are there.
    assert set(module.STORED) <= set(module.METHODS)


def test_real(tmp_path, monkeypatch):
    """Without the files: one generated set."""
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path / "none"))
    summary, plots = summary_of("interpolation_real", tmp_path)
    assert plots == plots_of(["margins.png"])
    assert [row["norm"] for row in summary["rows"]] == ["2", "1.5", "1+1/log d"]
    for row in summary["rows"]:
        lower, upper = row["margin"]
        assert 0.0 < lower <= upper
        assert lower >= 0.99 * upper
        assert 0.0 <= row["test_error"] <= 1.0
    assert summary["rows"][2]["l1_over_l2"] < summary["rows"][0]["l1_over_l2"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_data_of_the_paper(kind):
    data = draw(kind, np.random.default_rng(0), 200, 300)
    assert data.A.shape == data.test_A.shape == (200, 300)
    assert set(np.unique(data.b)) == {-1.0, 1.0}
    # Both classes are kept, and columns fade by their index.
    assert 0.2 < np.mean(data.b > 0) < 0.8
    exponent = np.log(data.A[:, :4].std() / data.A[:, 100:].std()) / np.log(60.0)
    assert exponent == pytest.approx(0.75 if kind == "l2" else 0.5, abs=0.15)
    assert data.p == (2.0 if kind == "l2" else sparse_exponent(300))
    assert data.mistakes(np.zeros(300)) == (200, 200)


def test_counts_are_compared_up_to_chance():
    rows = [{"method": "one", "passes": [1, 5], "train": {"first": [100, 9]}, "test": {"first": [120, 80]}}]
    near = like_stored({"rows": rows}, {"one": {1: (120, 110), 5: (4, 75), 10: (0, 0)}})
    far = like_stored({"rows": rows}, {"one": {1: (220, 110), 5: (4, 75)}})
    assert (near.measured, near.reproduced) == ("4 of 4", True)
    assert (far.measured, far.reproduced) == ("3 of 4", False)
