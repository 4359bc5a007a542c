"""The small versions of the experiments on doubly greedy descent, on bundled and generated data."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
from typer.testing import CliRunner

from benchmarks.datasets import classes
from experiments.__main__ import app
from experiments.dgpd import figure1, figure1_claims, peers, table2
from experiments.runner import discover, run_experiment
from experiments.suboptimality import needed


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


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    return summary_of("dgpd_peers", tmp_path_factory)


def test_every_class_of_the_table_is_certified(table):
    summary, plots = table
    assert plots == ({"nonzeros.png"} if find_spec("matplotlib") else set())
    assert [row["data"] for row in summary["rows"][::2]] == list(classes.DATA)
    for row in summary["rows"]:
        assert row["worst_gap"] <= 1e-3
        assert row["n_counted"] == min(5, row["n_classes"])


def test_coefficients_are_zero_exactly_where_lambda_is_too_large_for_any(table):
    for row in table[0]["rows"]:
        assert (row["primal_any"] == 0) == (row["lambda_of_zero"] <= 0.1)
        assert row["primal"] <= row["primal_any"] <= row["n_features"]
        assert 0 < row["dual"] <= row["dual_any"] <= row["n_samples"]
        if row["strengths"] == "of the sum":
            assert row["primal"] > 0


def test_the_table_prints_the_figures_of_the_paper(table):
    text = "\n".join(table2.lines(table[0]["rows"]))
    for printed in ("1730, 2000", "1733, 1208", "891, 1428", "1032, 782", "1123, 1447", "610, 655"):
        assert printed in text


def test_a_side_is_sparse_up_to_a_fifth():
    row = {"data": "tiny", "n_features": 100, "n_samples": 100, "primal": 20.0, "primal_any": 20}
    rows = [row | {"strengths": "of the sum", "dual": dual} for dual in (20.0, 21.0)]
    rows.append(row | {"strengths": "of the mean", "dual": 100.0})
    assert [claim.reproduced for claim in table2.claims(rows)] == [True, False, True]


def test_every_curve_falls(figure):
    summary, plots = figure
    assert [run["data"] for run in summary["runs"]] == list(classes.DATA)
    assert plots == ({"lambda_0.1_mu_0.01.png"} if find_spec("matplotlib") else set())
    for run in summary["runs"]:
        assert list(run["methods"]) == list(figure1.SOLVERS)
        for method in run["methods"].values():
            objective = np.array(method["curve"]["objective"])
            assert np.all(objective >= 0)
            assert np.all(np.diff(objective) <= 0)
            assert np.all(np.diff(method["curve"]["passes"]) >= 0)
            assert np.all(np.diff(method["curve"]["seconds"]) >= 0)
            assert method["passes"]["spent"] == method["curve"]["passes"][-1]


def test_the_active_sets_come_near_the_optimum(figure):
    for run in figure[0]["runs"]:
        objective = run["methods"]["dgpd_plus"]["curve"]["objective"]
        assert objective[-1] <= 1e-2 < objective[0]
        assert 0 < run["nonzero_primal"] <= run["n_features"]
        assert 0 < run["nonzero_dual"] <= run["n_samples"]


def test_every_claim_of_the_figure_has_a_measurement(figure):
    claims = figure[0]["claims"]
    assert all(claim["measured"] for claim in claims)
    text = " ".join(claim["statement"] for claim in claims)
    for part in ("30 times", "all cases", "ten times", "dense data", "fewer iterations", "spdc"):
        assert part in text


def test_thinning_keeps_the_ends_and_never_rises():
    objective = np.array([1.0, 0.99, 0.5, 0.49, 0.1, 0.1])
    assert figure1._thinned(objective) == [0, 2, 4, 5]
    assert figure1._thinned(np.zeros(2)) == [0, 1]


def test_peers_reach_the_target_or_are_reported(compared):
    summary, plots = compared
    assert plots == ({"gap.png"} if find_spec("matplotlib") else set())
    assert len(summary["runs"]) == len(peers.SMALL_DATA) * len(peers.OBJECTIVES)
    objectives = {objective.name: objective for objective in peers.OBJECTIVES}
    for run in summary["runs"]:
        objective = objectives[run["objective"]]
        assert set(run["methods"]) | set(run["absent"]) == {*objective.solvers, *objective.peers}
        assert not set(run["absent"]) & set(objective.solvers)
        for method in run["methods"].values():
            assert np.all(np.diff(method["curve"]["relative_gap"]) <= 0)
            needed = method["seconds"]["needed"]["0.001"]
            assert (needed is not None) == (method["relative_gap"] <= 1e-3)
    for peer in ("liblinear", "liblinear-dual"):
        gaps = [
            run["methods"][peer]["relative_gap"]
            for run in summary["runs"]
            if run["objective"] == "l2 squared hinge"
        ]
        assert max(gaps) <= 1e-3


def test_absent_peers_are_named(compared):
    absent = {name for run in compared[0]["runs"] for name in run["absent"]}
    assert absent == {name for name in ("celer", "skglm", "cyanure") if find_spec(name) is None}


def test_what_a_method_needed_is_its_first_point_below_the_accuracy():
    curve = {"seconds": [0.0, 1.0, 2.0], "relative_objective": [1.0, 1e-3, 0.0]}
    assert needed(curve, "seconds", 1e-3) == 1.0
    assert needed(curve | {"relative_objective": [1.0, 0.5, 0.1]}, "seconds", 1e-3) is None


def test_full_sizes_need_the_files(monkeypatch, tmp_path):
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path))
    for name in ("Mnist-RF", "Mnist-RB", "RCV1 topic sets", "news20", "clinc150", "delicious"):
        with pytest.raises(FileNotFoundError, match="FENCHEL_DATA"):
            classes.load(name, True, np.random.default_rng(0))


def test_command_line_lists_them():
    listed = CliRunner().invoke(app, ["list"]).output
    for name in ("dgpd_table2: ", "dgpd_figure1: ", "dgpd_peers: "):
        assert name in listed


def claimed(runs):
    return {claim.statement: claim for claim in figure1_claims.claims(runs, (1e-3,))}


def run_of(seconds, **changes):
    """One problem on which every method needed the seconds given, None for more than 10."""
    methods = {
        name: {axis: {"needed": {"0.001": value}, "spent": value or 10.0} for axis in ("seconds", "passes")}
        for name, value in seconds.items()
    }
    run = {"data": "Mnist-RB", "dense": False, "class_rank": 0, "class_rows": 5, "lambda": 0.1, "mu": 0.01}
    return run | {"nonzero_dual": 3, "methods": methods} | changes


SECONDS = {"dgpd_plus": 0.1, "dgpd_active_set": None, "primal_rcd": None, "sdca": 4.0, "spdc": 8.0}


def test_the_claims_follow_from_the_seconds():
    slow = run_of(SECONDS | {"sdca": 0.05}, data="Mnist-RF", dense=True)
    found = claimed([run_of(SECONDS), slow])
    thirty = found["dgpd_plus up to 30 times faster than every baseline, to 0.001"]
    assert thirty.reproduced
    assert thirty.measured.startswith("40.0 on Mnist-RB")
    assert "primal_rcd 100.0, sdca 40.0, spdc 80.0" in thirty.measured
    always = found["dgpd_plus faster than every baseline in all cases, to 0.001"]
    assert not always.reproduced
    assert always.measured == "in 1 of 2 problems; not in 1 of Mnist-RF, mu 0.01"
    dense = found["the margin of dgpd_plus is larger on dense data, to 0.001"]
    assert dense.measured == "geometric mean 0.5 on dense, 40.0 on sparse data; Mnist-RF 0.5, Mnist-RB 40.0"
    assert not dense.reproduced
    never = found["dgpd_active_set up to 30 times faster than every baseline, to 0.001"]
    assert not never.reproduced


def test_a_larger_strength_is_compared_with_the_smaller_one_alone():
    runs = [run_of(SECONDS), run_of(SECONDS, mu=1.0, nonzero_dual=4), run_of(SECONDS, mu=0.1, nonzero_dual=1)]
    found = claimed(runs)
    assert found["a larger mu makes the dual denser, 0.01 against 1"].measured == "in 1 of 1 pairs"
    assert not any("lambda makes" in statement for statement in found)
