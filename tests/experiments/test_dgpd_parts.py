"""The parts of the experiments on doubly greedy descent: data sets, ratios, clocks and fits."""

from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.datasets import classes, images
from benchmarks.datasets.labelled import Labelled, indicator, problem_of
from benchmarks.instance import Instance
from benchmarks.peers import Peer
from experiments.clocked import Clocked
from experiments.curves import Curve, of_fits
from experiments.dgpd.peer_fits import OurFit, TheirFit
from experiments.dgpd.speedups import Ratio, geometric_mean, method_of, ratio
from fenchel import SDCA, DGPDPlus, Problem, RelativeGap, solve
from fenchel.errors import UnsupportedProblemError
from fenchel.losses import Squared
from fenchel.regularizers import L1, ElasticNet


def test_strengths_of_the_sum_are_divided_by_the_rows():
    data = Labelled("tiny", "written here", np.eye(4), indicator(np.array([7, 7, 7, 9])))
    assert problem_of(data, 1, (0.4, 0.8)).coordinate_form.l1[0] == pytest.approx(0.1)
    assert problem_of(data, 1, (0.4, 0.8), summed=False).coordinate_form.l2[0] == 0.8
    assert data.classes.tolist() == [0, 1]
    assert data.targets(1).tolist() == [-1.0, -1.0, -1.0, 1.0]


def test_classes_without_rows_are_left_out_and_the_others_spread_by_size():
    members = sp.csc_matrix(np.array([[1, 0, 1, 1], [1, 0, 0, 1], [1, 0, 0, 0]], dtype=bool))
    data = Labelled("tiny", "written here", np.eye(3), members)
    assert data.classes.tolist() == [0, 3, 2]
    assert data.spread(2).tolist() == [0, 2]
    assert data.spread(9).tolist() == [0, 3, 2]


@pytest.mark.parametrize("name", classes.DATA)
def test_small_data_have_both_signs_in_every_class(name, monkeypatch, tmp_path):
    monkeypatch.setenv("FENCHEL_DATA", str(tmp_path))
    data, again = (classes.load(name, False, np.random.default_rng(3)) for _ in range(2))
    assert data.A.shape[0] == data.members.shape[0] <= 2000
    assert abs(data.A - again.A).max() == 0
    assert (data.members != again.members).nnz == 0
    counts = np.diff(data.members.indptr)[data.classes]
    assert np.all(np.diff(counts) <= 0)
    assert 0 < counts[-1] <= counts[0] < data.A.shape[0]
    assert data.dense == name.endswith("-RF")


def test_views_of_an_object_are_nearer_to_each_other_than_to_other_objects():
    _, X, labels = images.aloi_like(20, 5, np.random.default_rng(0))
    assert X.shape == (100, 128)
    assert X.min() == 0.0
    assert np.all(X.max(axis=0) <= 1.0)
    assert 0.2 < np.mean(X > 0) < 0.3
    distances = np.abs(X[:, None] - X[None]).sum(axis=2) + np.diag(np.full(100, np.inf))
    assert np.all(labels[distances.argmin(axis=1)] == labels)


def test_what_a_method_needed_is_its_first_point_below_the_accuracy():
    objective = np.array([1.0, 1e-3, 0.0])
    found = method_of(objective, {"seconds": [0.0, 1.0, 2.0]}, (1e-3, 1e-9))
    assert found == {"seconds": {"needed": {"0.001": 1.0, "1e-09": 2.0}, "spent": 2.0}}
    assert method_of(objective[:1], {"passes": [3.0]}, (0.5,))["passes"]["needed"] == {"0.5": None}


def test_a_ratio_says_when_it_is_a_bound():
    def method(needed):
        return {"seconds": {"needed": {"0.001": needed}, "spent": 8.0 if needed is None else needed}}

    run = {"methods": {"a": method(2.0), "b": method(6.0), "c": method(None), "d": method(None)}}
    assert ratio(run, "seconds", 1e-3, ("b", "c"), "a") == Ratio(3.0)
    assert ratio(run, "seconds", 1e-3, ("c", "d"), "a") == Ratio(4.0, "at least")
    assert ratio(run, "seconds", 1e-3, ("a", "d"), "c") == Ratio(0.25, "at most")
    assert ratio(run, "seconds", 1e-3, ("c",), "d") is None
    assert Ratio(50.0, "at most").proven == 0.0
    assert str(Ratio(4.0, "at least")) == "at least 4.0"


def test_the_mean_of_ratios_keeps_their_bound():
    assert geometric_mean([Ratio(2.0), Ratio(8.0)]).value == pytest.approx(4.0)
    assert geometric_mean([Ratio(2.0), Ratio(8.0, "at least")]).bound == "at least"
    assert geometric_mean([Ratio(2.0, "at most"), Ratio(8.0, "at least")]).bound == "about"


def problem_with(regularizer):
    rng = np.random.default_rng(0)
    return Problem(rng.standard_normal((30, 5)), rng.standard_normal(30), Squared(), regularizer)


def test_a_clocked_solver_takes_the_same_steps():
    problem = problem_with(ElasticNet(0.1, 0.1))
    clocked = Clocked(SDCA())
    plain = solve(problem, SDCA(), stopping=RelativeGap(1e-8), rng=1)
    timed = solve(problem, clocked, stopping=RelativeGap(1e-8), rng=1)
    np.testing.assert_array_equal(plain.w, timed.w)
    assert len(clocked.marks) == len(timed.trace)
    assert np.all(np.diff(clocked.marks) >= 0)


def test_a_clocked_solver_refuses_what_its_solver_refuses():
    with pytest.raises(UnsupportedProblemError, match="l2 part on every coordinate"):
        solve(problem_with(L1(0.1)), Clocked(DGPDPlus()))


def test_fits_are_judged_by_the_bound_and_the_clock_that_is_given():
    problem = problem_with(ElasticNet(0.1, 0.1))
    best = solve(problem, stopping=RelativeGap(1e-12))
    ticks = iter([0.0, 1.0, 1.0, 3.0, 3.0, 30.0])
    curve = of_fits(
        Curve("", "zero, then the optimum"),
        problem,
        lambda effort: best.w if effort == 4 else np.zeros(5),
        passes_per_iteration=2.0,
        target=1e-9,
        seconds=100.0,
        clock=lambda: next(ticks),
        lower_bound=best.certificate.dual,
    )
    assert curve.seconds == [1.0, 2.0, 27.0]
    assert curve.passes == [2.0, 4.0, 8.0]
    at_zero = problem.primal_value(np.zeros(5))
    assert curve.relative_gap[:2] == pytest.approx([1.0 - best.certificate.dual / at_zero] * 2)
    assert curve.relative_gap[2] <= 1e-9


def test_a_fit_of_ours_meets_the_tolerance_of_its_effort():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 8))
    instance = Instance(A, np.where(A[:, 0] > 0, 1.0, -1.0), "squared_hinge", 0.01, 0.01)
    problem = instance.fenchel_problem()
    fit = OurFit(problem, "auto", 10.0)
    bound = solve(problem, stopping=RelativeGap(1e-12)).certificate.dual
    w = fit(100)
    assert problem.primal_value(w) - bound <= 1e-5 * problem.primal_value(w)
    assert fit.clock() == fit.spent >= 0.0
    np.testing.assert_array_equal(fit.last, w)


class Endless(Peer):
    """A library that never comes back."""

    name = module = "sys"
    served: ClassVar[dict[str, tuple[str, ...]]] = {}

    def _coefficients(self, A, instance, tolerance):
        while True:
            pass


@pytest.mark.filterwarnings("ignore")
def test_a_fit_that_does_not_end_is_ended_and_counts_with_its_limit():
    instance = Instance(np.eye(4), np.array([1.0, -1.0, 1.0, -1.0]), "logistic", 0.1, 0.0)
    fit = TheirFit(Endless(), instance, 1.0)
    assert fit(1).tolist() == [0.0] * 4
    assert fit.clock() == 1.0
