"""The small version of the experiment on Frank-Wolfe methods, on generated data."""

import json

import pytest

from experiments.frank_wolfe import table3
from experiments.runner import discover, run_experiment


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    folder = run_experiment(discover()["frank_wolfe_table3"], full=False, results=results)
    return json.loads((folder / "summary.json").read_text())


def test_every_method_has_a_row_that_counts(summary):
    rows = summary["rows"]
    assert [row["method"] for row in rows] == list(table3.METHODS)
    assert all(row["gradient_calls"] > 0 and row["lmo_calls"] > 0 for row in rows)
    assert all(-1e-11 <= row["suboptimality"] <= row["gap"] + 1e-11 for row in rows)


def test_full_gradients_are_counted_as_n(summary):
    for row in summary["rows"]:
        if row["method"] in ("fw", "pairwise", "pairwise, no model"):
            assert row["gradient_calls"] == row["n"] * row["lmo_calls"]


def test_pairwise_steps_certify_with_fewer_calls(summary):
    calls = {row["method"]: row["gradient_calls"] for row in summary["rows"] if row["reached"]}
    assert calls["pairwise"] <= min(calls.values())


def test_the_table_has_a_line_a_row(summary):
    assert len(table3.lines(summary)) == 1 + len(summary["rows"])
