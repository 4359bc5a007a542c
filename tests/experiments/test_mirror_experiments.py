"""The small versions of the experiments on mirror descent for several classes."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from experiments.mirror import figure1, real_data, real_sets, table1
from experiments.mirror.following import follow, run_steps
from experiments.mirror.problems import planted, sparse_rows
from experiments.runner import discover, run_experiment
from fenchel import SSM


def summary_of(name, tmp_path):
    folder = run_experiment(discover()[name], full=False, results=tmp_path)
    return json.loads((folder / "summary.json").read_text()), {path.name for path in folder.glob("*.png")}


def plots_of(names):
    return set(names) if find_spec("matplotlib") else set()


def test_table1(tmp_path):
    summary, plots = summary_of("mirror_table1", tmp_path)
    assert plots == plots_of(["seconds.png"])
    assert len(summary["rows"]) == 2 * 2 * 2
    for row in summary["rows"]:
        assert row["seconds"] > 0
        assert row["microseconds_per_step"] == pytest.approx(1e6 * row["seconds"] / row["steps"])
    assert set(table1.PAPER) == {10_000, 20_000}


def test_figure1(tmp_path):
    summary, plots = summary_of("mirror_figure1", tmp_path)
    assert plots == plots_of(["figure1.png"])
    methods = {one["method"]: one for one in summary["methods"]}
    assert methods["SMD, theorem"]["iterations"] == list(figure1.HORIZONS[:6])
    for one in methods.values():
        assert np.all(np.diff(one["iterations"]) > 0)
        for primal, dual in zip(one["primal"], one["dual"], strict=True):
            assert dual <= primal
    assert methods["MP, adaptive"]["primal"][-1] < methods["MP, adaptive"]["primal"][0]


def test_table2(tmp_path):
    summary, plots = summary_of("mirror_table2", tmp_path)
    assert plots == plots_of(["gaps.png"])
    assert [(row["primal"], row["dual"]) for row in summary["rows"]] == [
        ("1x1", "2x1"), ("1x1", "2x2"), ("1x2", "2x1"), ("1x2", "2x2")
    ]  # fmt: skip
    for row in summary["rows"]:
        assert 0 <= row["gap"] < row["halfway"]
        assert row["adaptive_gap"] < row["gap"]


def test_real_data(tmp_path, monkeypatch):
    """Without the files: generated texts, and the digits of scikit-learn."""
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path / "none"))
    summary, plots = summary_of("mirror_real", tmp_path)
    assert plots == plots_of([f"{name}.png" for name in real_sets.SETS])
    fits = [row for row in summary["rows"] if row["method"] in real_data.SOLVERS]
    assert len(fits) == len(real_sets.SETS) * len(real_data.LOSSES) * 2
    for row in fits:
        assert np.all(np.diff(row["gap"]) <= 1e-12)
        assert all(0 <= accuracy <= 1 for accuracy in row["accuracy"])
    for row in summary["rows"]:
        assert (row["relative_gap"] is None) == (row["method"] not in real_data.SMOOTH_SOLVERS)


def test_the_planted_problem(rng):
    """The labels are those of U0 but for the noise, and U0 is in the ball."""
    problem = planted(50, 0.5, rng)
    A = problem.design.select_columns(np.arange(50))
    assert np.mean(A.argmax(axis=1) == problem.b.argmax(axis=1)) > 0.7
    assert problem.regularizer.radius == 0.5 * 50
    sparse = sparse_rows(30, 4, rng)
    np.testing.assert_array_equal(sparse.design.row_counts, 4)
    A = sparse.design.select_columns(np.arange(30))
    largest = np.where(A == 0.0, -np.inf, A).argmax(axis=1)
    np.testing.assert_array_equal(largest, sparse.b.argmax(axis=1))


def test_following(rng):
    """A record is the point itself, and a number of steps is kept where the solver is told it."""
    problem = planted(12, 0.5, rng)
    timed = run_steps(problem, SSM(steps=100), 100, 0)
    assert timed.state.time == 100
    one = follow("ssm", problem, SSM(), np.inf, 0, most=200)
    assert one.iterations[-1] >= 200
    state = run_steps(problem, SSM(), one.iterations[-1], 0).state
    w, _ = SSM().extract(problem, state)
    assert one.primal[-1] == problem.primal_value(w)
