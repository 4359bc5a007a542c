"""Paths of strengths: every point is a solve of its own, and every certificate that of the whole problem."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import draw, matrix
from fenchel import (
    InvalidInputError,
    MaxPasses,
    PathLimits,
    Problem,
    RelativeGap,
    Status,
    UnsupportedProblemError,
    path,
    solve,
)
from fenchel.driver.path_known import Estimate, KnownCorrelations
from fenchel.driver.recall import Recall
from fenchel.driver.run import Point
from fenchel.losses import EqualityConstraint, Hinge, Logistic, MultiSquared, Softmax, Squared, SquaredHinge
from fenchel.regularizers import L1, Box, ElasticNet, GroupL2, L1Ball, L2Ball, NonNegative, NoPenalty, Ridge
from fenchel.regularizers.scaled import scaled
from fenchel.regularizers.standardized import Standardized
from fenchel.solvers.coordinate.primal_cd import PrimalCD

CLOSE = RelativeGap(1e-9) | MaxPasses(20_000)
D = 30
WEIGHTS = np.where(np.arange(D) % 7 == 0, 0.0, 1.0 + np.arange(D) % 3)
CASES = [
    (Squared(), L1(1.0), True),
    (Squared(), L1(1.0, weights=WEIGHTS), True),
    (Squared(), ElasticNet(0.5, 0.5), False),
    (Squared(), NonNegative(l1=1.0), True),
    (Squared(), Box(-0.05, 0.1, l1=1.0, l2=0.1), True),
    (Squared(), Box(np.where(np.arange(D) % 5 == 0, 0.1, -1.0), 2.0, l1=1.0), False),
    (Logistic(), L1(1.0), True),
    (Logistic(), Standardized(ElasticNet(0.9, 0.1), 0.5 + np.arange(D) % 4), True),
    (SquaredHinge(), L1(1.0), True),
    (Hinge(), ElasticNet(0.5, 0.5), False),
]
each_case = pytest.mark.parametrize(("loss", "g", "intercept"), CASES, ids=lambda item: repr(item)[:40])
OTHERS = [
    (Squared(), Ridge(1.0), True),
    (Logistic(), Ridge(1.0, weights=1.0 + np.arange(D) % 3), True),
    (Squared(), GroupL2(1.0, groups=np.arange(D) // 3), True),
    (MultiSquared(), GroupL2(1.0), True),
    (Softmax(), ElasticNet(0.9, 0.1), True),
    (Softmax(), L1(1.0), False),
]


def problem_of(rng, loss, g, intercept, n=40, kind="sparse", weight="none") -> Problem:
    return draw(rng, loss, g, n=n, d=D, kind=kind, intercept=intercept, weight=weight)


def at(problem: Problem, strength: float) -> Problem:
    """The problem at a strength, built anew."""
    g = scaled(problem.regularizer, strength)
    A = problem.design.base if problem.fit_intercept else problem.design
    return Problem(A, problem.b, problem.loss, g, problem.sample_weight, problem.fit_intercept)


def check(problem: Problem, result, rule_gap: float) -> None:
    """Every claim is that of ``certify`` on the whole problem, and holds against a closer solve."""
    for point in result.points:
        whole = at(problem, point.strength)
        again = whole.certify(point.w, point.certificate.dual_point)
        scale = max(abs(again.primal), abs(again.dual))
        assert point.certificate.primal == pytest.approx(again.primal, rel=1e-12)
        assert point.certificate.dual <= again.dual + 1e-12 * scale
        assert again.relative_gap <= rule_gap * (1 + 1e-9) + 1e-12
        best = solve(whole, stopping=CLOSE).certificate
        assert point.certificate.dual <= best.primal + 1e-11 * scale
        assert point.certificate.primal >= best.dual - 1e-11 * scale
        assert point.certificate.primal - best.primal <= rule_gap * scale + 1e-11 * scale


@each_case
@pytest.mark.parametrize("kind", ["sparse", "correlated"])
def test_every_point_is_the_solution_of_its_problem(rng, loss, g, intercept, kind):
    problem = problem_of(rng, loss, g, intercept, kind=kind)
    rule_gap = 1e-7
    result = path(problem, 12, 0.02, stopping=RelativeGap(rule_gap) | MaxPasses(20_000))
    assert len(result) == 12
    assert result.solved
    assert not result.interrupted
    # Where all features pull against their bounds zero is the solution at every strength.
    np.testing.assert_allclose(result.strengths[0], problem.zero_solution_strength() or 1.0)
    np.testing.assert_allclose(result.strengths[1:] / result.strengths[:-1], 0.02 ** (1 / 11))
    check(problem, result, rule_gap)


@pytest.mark.parametrize(("loss", "g", "intercept"), OTHERS, ids=lambda item: repr(item)[:40])
def test_problems_that_are_solved_whole(rng, loss, g, intercept):
    problem = problem_of(rng, loss, g, intercept)
    result = path(problem, 5, 0.1, stopping=RelativeGap(1e-6) | MaxPasses(20_000))
    assert result.solved
    assert result.coefficients.shape == (5, D, *problem.b.shape[1:])
    assert result.intercepts.shape == (5, *problem.b.shape[1:])
    check(problem, result, 1e-6)


@pytest.mark.parametrize("weight", ["none", "zeros"])
def test_a_loose_gap_claims_no_more_than_is_true(rng, weight):
    """Candidates at a rough dual point are wrong more often; the passes find what is missing."""
    for g in (L1(1.0), ElasticNet(0.8, 0.2)):
        problem = problem_of(rng, Logistic(), g, True, n=60, kind="correlated", weight=weight)
        check(problem, path(problem, 8, 0.01, stopping=RelativeGap(5e-2) | MaxPasses(1000)), 5e-2)


def test_far_strengths_make_the_strong_rule_fail(rng):
    """From one strength to a hundredth of it the rule keeps all; with few steps some features are missing."""
    A = matrix(rng, "correlated", 50, 200)
    problem = Problem(A, rng.normal(size=50), Squared(), L1(1.0))
    result = path(problem, strengths=problem.zero_solution_strength() * np.array([0.9, 0.52, 0.3]))
    assert result.solved
    check(problem, result, 1e-6)


def test_the_first_point_is_zero_with_the_best_intercept(rng):
    problem = problem_of(rng, Logistic(), L1(1.0), True)
    first = path(problem, 3, 0.5).points[0]
    assert first.nonzeros == 0
    assert first.explained == pytest.approx(0.0, abs=1e-9)
    share = np.mean(problem.b > 0)
    assert first.w[-1] == pytest.approx(np.log(share / (1 - share)), abs=1e-6)


@pytest.mark.parametrize(("loss", "kind"), [(Squared(), "correlated"), (Logistic(), "sparse")])
def test_no_bound_depends_on_what_is_known(rng, loss, kind, monkeypatch):
    """What is known saves passes and changes no claim: without it the same bounds come out of passes."""
    A = matrix(rng, kind, 100, 300) * 10.0 ** -rng.integers(0, 3, size=300)
    b = rng.choice([-1.0, 1.0], size=100)
    problem = Problem(sp.csc_array(A), b, loss, L1(1.0), fit_intercept=True)
    rule = RelativeGap(1e-6) | MaxPasses(20_000)
    saved = path(problem, 60, 0.5, stopping=rule)
    at = KnownCorrelations.at
    monkeypatch.setattr(KnownCorrelations, "at", lambda known, u: Estimate(at(known, u).v, 1e300))
    looked = path(problem, 60, 0.5, stopping=rule)
    assert np.all(looked.certifying_passes >= 1)
    assert np.count_nonzero(saved.certifying_passes < 0.2) > 20
    check(problem, saved, 1e-6)
    check(problem, looked, 1e-6)
    for one, two in zip(saved.certificates, looked.certificates, strict=True):
        assert one.primal == pytest.approx(two.primal, rel=2e-6)


def test_an_estimate_is_within_its_distance(rng):
    """At any dual point, near those that are known or not; exact in their span."""
    norms_met = 0
    for _ in range(200):
        problem = draw(rng, Squared(), L1(1.0), n=15, d=20, weight="zeros", intercept=True)
        known = KnownCorrelations(problem.sample_weight)
        scale = 10.0 ** rng.integers(-3, 4)
        points = [rng.normal(size=15) * scale for _ in range(rng.integers(1, 4))]
        for point in points:
            known.add(point, problem.correlation(point))
        near = points[-1] * rng.normal() + points[max(len(points) - 2, 0)] * rng.normal()
        for u in (rng.normal(size=15) * scale, near + 1e-3 * scale * rng.normal(size=15), near):
            v, distance = known.at(u)
            error = np.abs(problem.correlation(u) - v)
            assert np.all(error <= distance * problem.column_norms)
            norms_met += np.count_nonzero(error > 0.1 * distance * problem.column_norms)
        assert distance <= 1e-10 * scale
    assert norms_met > 100


def test_points_that_are_alike_count_once(rng):
    problem = draw(rng, Squared(), L1(1.0), n=15, d=20)
    known, u = KnownCorrelations(problem.sample_weight), rng.normal(size=15)
    for point in (u, u * (1.0 + 1e-13)):
        known.add(point, problem.correlation(point))
    new = u + 0.1 * rng.normal(size=15)
    v, distance = known.at(new)
    assert np.all(np.abs(problem.correlation(new) - v) <= distance * problem.column_norms)
    np.testing.assert_allclose(np.abs(v).max(), np.abs(problem.correlation(u)).max(), rtol=0.5)


def test_a_certificate_is_recalled_for_its_own_points_alone(rng):
    problem = problem_of(rng, Logistic(), L1(0.01), True)
    w, u, recall = rng.normal(size=D + 1), rng.normal(size=40), Recall()
    (first,) = recall([(problem, Point(w, u))])
    for point in (Point(w.copy(), u), Point(w, u.copy()), Point(w, first.dual_point)):
        assert recall([(problem, point)])[0] is first
    for point in (Point(w + 1.0, u), Point(w, u + 1e-3), Point(w, None)):
        (other,) = recall([(problem, point)])
        assert other is not first
        assert other.gap == problem.certify(point.w, point.u).gap
    w[0] += 1.0
    assert recall([(problem, Point(w, u))])[0] is not first


def test_a_start_brings_its_products_and_its_certificate_is_known(rng):
    """Where nothing is free; else the gradient at the point is not what a solver begins with."""
    problem, w, recall = problem_of(rng, Logistic(), L1(0.01), False), rng.normal(size=D), Recall()
    start = recall.start(problem, w)
    np.testing.assert_array_equal(start.u, problem.loss.gradient(problem.scores(w), problem.b))
    np.testing.assert_array_equal(start.products.z, problem.scores(w))
    np.testing.assert_array_equal(start.products.v, problem.correlation(start.u))
    (first,), (again,) = (recall([(problem, Point(w.copy(), u))]) for u in (start.u, start.u.copy()))
    assert first is again
    assert first.gap == problem.certify(w).gap
    free = recall.start(problem_of(rng, Logistic(), L1(0.01), True), rng.normal(size=D + 1))
    assert free.u is None
    assert free.products is None


def test_weights_are_repeated_rows(rng):
    A, b, s = matrix(rng, "gaussian", 30, 8), rng.normal(size=30), rng.integers(0, 4, size=30)
    weighted = Problem(A, b, Squared(), L1(1.0), sample_weight=s, fit_intercept=True)
    repeated = Problem(np.repeat(A, s, axis=0), np.repeat(b, s), Squared(), L1(1.0), fit_intercept=True)
    rule = RelativeGap(1e-12) | MaxPasses(20_000)
    one, two = path(weighted, 10, 0.05, stopping=rule), path(repeated, 10, 0.05, stopping=rule)
    np.testing.assert_allclose(one.strengths, two.strengths, rtol=1e-10)
    np.testing.assert_allclose(one.coefficients, two.coefficients, atol=1e-6)
    np.testing.assert_allclose(one.intercepts, two.intercepts, atol=1e-6)
    np.testing.assert_allclose(one.explained, two.explained, atol=1e-8)


def test_the_path_is_that_of_scikit_learn(rng):
    from sklearn.linear_model import enet_path

    A, b = matrix(rng, "gaussian", 50, 20), rng.normal(size=50)
    result = path(Problem(A, b, Squared(), ElasticNet(0.7, 0.3)), 20, 1e-2, stopping=CLOSE)
    alphas = np.abs(A.T @ b).max() / (50 * 0.7) * np.geomspace(1.0, 1e-2, 20)
    coefficients = enet_path(A, b, l1_ratio=0.7, alphas=alphas, tol=1e-12, max_iter=100_000)[1]
    np.testing.assert_allclose(result.strengths, alphas, rtol=1e-10)
    np.testing.assert_allclose(result.coefficients, coefficients.T, atol=1e-6)


def test_explained_deviance_grows(rng):
    result = path(problem_of(rng, Logistic(), L1(1.0), True), 15, 0.01)
    assert all(one <= two + 1e-6 for one, two in pairwise(result.explained))
    assert 0.0 < result.explained[-1] <= 1.0


def test_limits_end_the_path(rng):
    problem = problem_of(rng, Squared(), L1(1.0), False, n=10)
    limited = path(problem, 100, 1e-6, limits=PathLimits(explained=0.9))
    assert len(limited) < 100
    assert limited.explained[-1] > 0.9 >= limited.explained[-2]
    assert "above 0.9" in limited.message
    few = path(problem, 100, 1e-6, limits=PathLimits(explained=1.0, gain=0.0, nonzeros=3))
    assert few.nonzeros[-1] > 3 >= few.nonzeros[-2]
    assert "more than 3" in few.message
    flat = path(problem, 100, 1e-8, limits=PathLimits(explained=1.0, gain=1e-4))
    assert len(flat) < 100
    assert flat.explained[-1] - flat.explained[-2] < 1e-4 * flat.explained[-1]


def test_a_callback_ends_the_path(rng):
    result = path(problem_of(rng, Squared(), L1(1.0), True), 10, callback=lambda point: point.nonzeros >= 2)
    assert result.nonzeros[-1] >= 2
    assert all(count < 2 for count in result.nonzeros[:-1])
    assert "callback" in result.message


def test_ctrl_c_gives_the_strengths_that_are_done(rng, monkeypatch):
    problem, epochs, epoch = problem_of(rng, Logistic(), L1(1.0), True), [], PrimalCD.run_epoch

    def interrupted(self, problem, state):
        epochs.append(1)
        if len(epochs) == 12:
            raise KeyboardInterrupt
        epoch(self, problem, state)

    monkeypatch.setattr(PrimalCD, "run_epoch", interrupted)
    result = path(problem, 20, 1e-3, solver="primal_cd")
    assert result.interrupted
    assert 0 < len(result) < 20
    assert result.solved
    check(problem, result, 1e-6)


def test_ctrl_c_in_a_callback_gives_the_strengths_that_are_done(rng):
    def interrupt(point):
        if point.nonzeros > 3:
            raise KeyboardInterrupt

    result = path(problem_of(rng, Squared(), L1(1.0), True), 20, 1e-3, callback=interrupt)
    assert result.interrupted
    assert result.nonzeros[-1] > 3


def test_a_time_limit_of_zero_does_nothing(rng):
    result = path(problem_of(rng, Squared(), L1(1.0), True), 20, time_limit=0.0)
    assert len(result) == 0
    assert "time limit" in result.message


def test_a_limit_on_passes_leaves_true_gaps(rng):
    problem = problem_of(rng, Logistic(), L1(1.0), True, n=60, kind="correlated")
    result = path(problem, 10, 1e-3, solver="sdca", stopping=RelativeGap(1e-14) | MaxPasses(1))
    assert not result.solved
    assert Status.MAX_PASSES in result.statuses
    for point in result.points:
        again = at(problem, point.strength).certify(point.w, point.certificate.dual_point)
        assert point.certificate.dual <= again.dual + 1e-12 * abs(again.primal)
        assert point.certificate.primal == pytest.approx(again.primal, rel=1e-12)


def test_strengths_that_are_given_are_sorted(rng):
    result = path(problem_of(rng, Squared(), L1(1.0), False), strengths=[0.01, 0.1, 0.05])
    assert result.strengths.tolist() == [0.1, 0.05, 0.01]


def test_a_start_of_the_path_starts_a_solve(rng):
    problem = problem_of(rng, Logistic(), L1(1.0), True)
    result = path(problem, 5, 0.1)
    again = solve(at(problem, float(result.strengths[3])), start=result.start(3))
    assert again.passes == 0.0


def test_nothing_to_explain(rng):
    result = path(Problem(matrix(rng, "gaussian", 10, 3), np.zeros(10), Squared(), L1(1.0)), 3)
    assert not result.coefficients.any()
    assert result.explained.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("g", [NoPenalty(), L2Ball(1.0), Box(0.0, 1.0), L1Ball(1.0)])
def test_what_has_no_strength_is_refused(rng, g):
    with pytest.raises(UnsupportedProblemError, match="no strength"):
        path(problem_of(rng, Squared(), g, False))


def test_a_constraint_has_no_path(rng):
    problem = Problem(matrix(rng, "gaussian", 5, 9), rng.normal(size=5), EqualityConstraint(), Ridge(1.0))
    with pytest.raises(UnsupportedProblemError, match="EqualityConstraint is a constraint"):
        path(problem, strengths=[1.0])


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"n_strengths": 0}, "n_strengths"),
        ({"ratio": 1.0}, "ratio"),
        ({"strengths": [0.1, -1.0]}, "strengths"),
        ({"strengths": []}, "strengths"),
        ({"solver": "best"}, "solver"),
    ],
)
def test_bad_arguments(rng, arguments, match):
    with pytest.raises(InvalidInputError, match=match):
        path(problem_of(rng, Squared(), L1(1.0), False), **arguments)


def test_with_regularizer_is_the_problem_made_anew(rng):
    for g in (ElasticNet(0.2, 0.1), Box(-1.0, 1.0, l1=0.1), Ridge(0.3), L1(0.1)):
        problem = problem_of(rng, Logistic(), L1(1.0, weights=WEIGHTS), True, weight="zeros")
        w, u = 0.1 * rng.normal(size=D + 1), rng.normal(size=40)
        _ = problem.trivial_bound, problem.coordinate_form, problem.whole_lines
        changed = problem.with_regularizer(g)
        fresh = Problem(problem.design.base, problem.b, Logistic(), g, problem.sample_weight, True)
        assert changed.certify(w, u).gap == fresh.certify(w, u).gap
    with pytest.raises(InvalidInputError, match="weights"):
        problem.with_regularizer(L1(1.0, weights=[1.0]))


def test_the_strength_of_a_group_penalty_is_the_smallest_with_the_zero_solution(rng):
    problem = problem_of(rng, Squared(), GroupL2(1.0, groups=np.arange(D) // 3), True)
    largest = problem.zero_solution_strength()
    for factor, zero in ((1.0, True), (0.95, False)):
        groups = GroupL2(factor * largest, groups=np.arange(D) // 3)
        result = solve(problem.with_regularizer(groups), stopping=RelativeGap(1e-10))
        assert (not result.w[:-1].any()) is zero
