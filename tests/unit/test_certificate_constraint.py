"""Certificates where the loss is a constraint: best multiples, relaxed bounds, and the ranks of points."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import CONSTRAINTS, ConstraintCase
from cases_solvers import draw
from fenchel import Infeasible, InvalidInputError, MaxPasses, Problem, RelativeGap, Status, solve
from fenchel.driver.stopping import Progress
from fenchel.losses import (
    EqualityConstraint,
    IntervalConstraint,
    LowerBoundConstraint,
    MarginConstraint,
    SquaredDistance,
)
from fenchel.problem.certificate import Certificate
from fenchel.problem.multiples import feasible_multiple
from fenchel.problem.relaxed import paired
from fenchel.regularizers import L1, ElasticNet, RelativeEntropy, Ridge, SquaredLp
from fenchel.solvers.base import Solver, State

each_case = pytest.mark.parametrize("case", CONSTRAINTS, ids=str)
NORMS = (Ridge(0.5), SquaredLp(1.5, 2.0), SquaredLp(1.1))
each_norm = pytest.mark.parametrize("g", NORMS, ids=repr)
PENALTIES = (*NORMS, RelativeEntropy(), ElasticNet(0.3, 0.2), L1(0.7))
each_penalty = pytest.mark.parametrize("g", PENALTIES, ids=repr)
seeds = st.integers(0, 10**9)


def feasible_points(rng: np.random.Generator, case: ConstraintCase, g) -> tuple[Problem, np.ndarray]:
    """A problem whose constraints hold at a known point, and that point."""
    n, d = 5, 8
    shape = (d, 3) if case.loss.vector_output else (d,)
    w = rng.normal(size=shape)
    A = rng.normal(size=(n, d))
    if isinstance(g, RelativeEntropy):
        w = np.abs(w) / np.abs(w).sum()
    if case.loss.task == "classification":
        b = np.sign(A @ w)
        w = w / np.abs(A @ w).min()
        if isinstance(g, RelativeEntropy):
            A, w = A * w.sum(), w / w.sum()
    else:
        b = A @ w
    weight = np.where(np.arange(n) == 1, 0.0, rng.random(n) + 0.1)
    return Problem(A, b, case.loss, g, sample_weight=weight), w


@each_case
@each_penalty
@given(seed=seeds, reach=st.sampled_from([0.0, 1e-3, 1.0, 1e3]))
def test_bounds_hold_at_every_pair_of_points(case, g, seed, reach):
    """With the sets enlarged so that w fits, no point of the enlarged problem is better than the gap says."""
    rng = np.random.default_rng(seed)
    problem, known = feasible_points(rng, case, g)
    if np.any(problem.loss.distance(problem.scores(known), problem.b)[problem.sample_weight > 0] > 1e-9):
        return  # a simplex: the known point is not feasible
    u = problem.loss.dual_domain(problem.b).project(reach * rng.normal(size=problem.b.shape))
    w = known + rng.choice([0.0, 1e-6, 1.0]) * rng.normal(size=known.shape)
    if isinstance(g, RelativeEntropy):
        w = np.abs(w) / np.abs(w).sum()
    certificate = problem.certify(w, u)
    optimum = problem.regularizer.value(known)
    slack = 1e-11 * (1.0 + optimum + certificate.primal)
    assert certificate.primal == problem.regularizer.value(w)
    assert problem.dual_value(u) <= certificate.dual + slack
    assert certificate.dual <= optimum + slack
    # A point between w and the known one is within every enlarged set, and so is w.
    for share in (0.0, 0.3, 1.0):
        between = share * w + (1.0 - share) * known
        assert certificate.primal - certificate.gap <= problem.regularizer.value(between) + slack


@each_norm
@given(seed=seeds, factor=st.sampled_from([1e-12, 0.1, 1.0, 7.0, 1e12]))
def test_the_best_multiple_of_a_dual_point(g, seed, factor):
    """For half a squared norm it is A^2 / (4 g*), with A the linear term, whatever the size of u."""
    rng = np.random.default_rng(seed)
    problem = draw(rng, MarginConstraint(), g, n=6, d=9)
    u = factor * problem.loss.dual_domain(problem.b).project(rng.normal(size=6))
    linear = -problem.mean_conjugate(u)
    conjugate = problem.conjugate(-problem.correlation(u))
    certificate = problem.certify(problem.zeros(), u)
    expected = linear**2 / (4.0 * conjugate) if linear > 0.0 else 0.0
    assert certificate.dual == pytest.approx(expected, rel=1e-12)
    assert problem.dual_value(certificate.dual_point) == pytest.approx(certificate.dual, rel=1e-12)


def test_the_best_multiple_at_the_end_of_a_domain(rng):
    """An l1 norm has a conjugate that is an indicator: the best multiple is the largest that it admits."""
    problem = draw(rng, EqualityConstraint(), L1(0.7), n=6, d=9)
    u = rng.normal(size=6)
    u *= -np.sign(problem.mean_conjugate(u))
    certificate = problem.certify(problem.zeros(), u)
    v = problem.correlation(certificate.dual_point)
    assert np.abs(v).max() == pytest.approx(0.7, rel=1e-9)
    assert certificate.dual == pytest.approx(-problem.mean_conjugate(certificate.dual_point), rel=1e-12)


def test_a_free_intercept_needs_balanced_weights(rng):
    """The dual point sums to zero, and the bound is below the optimum of the problem with an intercept."""
    A, b = rng.normal(size=(8, 20)), np.where(np.arange(8) < 3, 1.0, -1.0)
    problem = Problem(A, b, MarginConstraint(), Ridge(1.0), fit_intercept=True)
    certificate = problem.certify(problem.zeros(), -b)
    assert abs(np.sum(certificate.dual_point)) <= 1e-12 * np.abs(certificate.dual_point).sum()
    assert certificate.dual > 0.0
    w = np.linalg.lstsq(np.column_stack([A, np.ones(8)]), 3.0 * b, rcond=None)[0]
    assert np.isfinite(problem.primal_value(w))
    assert certificate.dual <= problem.primal_value(w)


# Multiples of a primal point


@each_norm
def test_margins_that_are_positive_are_scaled_to_one(g, rng):
    problem = draw(rng, MarginConstraint(), g, n=4, d=9)
    rows = problem.design.matvecs(np.eye(9)).T
    w = np.linalg.lstsq(rows, problem.b * (1.0 + rng.random(4)), rcond=None)[0]
    expected = feasible_multiple(problem, w)
    for factor in (0.01, 1.0, 50.0, -1.0):
        scaled = feasible_multiple(problem, factor * w)
        assert np.min(problem.b * problem.scores(scaled)) == pytest.approx(1.0, rel=1e-12)
        np.testing.assert_allclose(scaled, expected, rtol=1e-12)
    misled = np.linalg.lstsq(rows, problem.b * [1.0, -1.0, 1.0, 1.0], rcond=None)[0]
    assert feasible_multiple(problem, misled) is misled


def test_intervals_bound_the_multiple_on_both_sides():
    A = np.eye(3)
    problem = Problem(A, [2.0, -4.0, 0.0], IntervalConstraint(1.0), Ridge(1.0))
    np.testing.assert_allclose(feasible_multiple(problem, np.array([1.0, -2.0, 0.0])), [1.5, -3.0, 0.0])
    for w in ([1.0, -9.0, 0.0], [1.0, 2.0, 0.0], [1.0, 0.0, 0.0]):
        np.testing.assert_array_equal(feasible_multiple(problem, np.array(w)), w)
    # Zero is feasible, and the least of all.
    nothing = Problem(A, [-2.0, -4.0, 0.0], LowerBoundConstraint(), Ridge(1.0))
    np.testing.assert_array_equal(feasible_multiple(nothing, np.ones(3)), np.zeros(3))
    # Rows of weight zero ask for nothing.
    ignored = Problem(A, [2.0, -4.0, 0.0], IntervalConstraint(1.0), Ridge(1.0), sample_weight=[1.0, 0.0, 1.0])
    np.testing.assert_allclose(feasible_multiple(ignored, np.array([0.5, 1.0, 0.0])), [1.0, 2.0, 0.0])


def test_a_multiple_that_leaves_the_simplex_is_not_taken():
    problem = Problem(np.eye(2), [0.9, 0.2], LowerBoundConstraint(), RelativeEntropy())
    w = np.array([0.6, 0.4])
    assert feasible_multiple(problem, w) is w


# Rules and ranks


def progress(primal: float, dual: float, relative_violation: float) -> Progress:
    certificate = Certificate(
        primal, dual, relative_violation=relative_violation, distances=np.array([relative_violation])
    )
    return Progress(1.0, 1, 0.0, certificate, 0)


def test_a_gap_without_feasibility_does_not_solve():
    assert RelativeGap(0.1)(progress(1.0, 1.0, 0.5)) is None
    assert RelativeGap(0.1)(progress(1.0, 1.0, 0.1)) is Status.SOLVED
    assert RelativeGap(0.1)(progress(1.0, 0.5, 0.0)) is None


def test_infeasible_beyond_a_limit():
    assert Infeasible(2.0)(progress(9.0, 2.1, 0.5)) is Status.INFEASIBLE
    assert Infeasible(2.0)(progress(9.0, 2.0, 0.5)) is None
    assert not Status.INFEASIBLE.solved
    with pytest.raises(InvalidInputError, match=r"^limit=-1 is not a number of at least 0\."):
        Infeasible(-1)


def test_a_small_value_with_a_large_violation_is_not_better():
    near, far = progress(2.0, 1.9, 1e-3).certificate, progress(0.1, 1.9, 0.9).certificate
    assert near.rank < far.rank
    # One row of many on the wrong side is better than zero, whose gap is that of all rows.
    wrong, zero = progress(2.0, 1.9, 1.2).certificate, progress(0.0, 1.9, 1.0)
    zero = replace(zero.certificate, relaxation=3.8)
    assert wrong.rank < zero.rank
    plain = [Certificate(2.0, 1.9), Certificate(0.1, -5.0)]
    assert min(plain, key=lambda certificate: certificate.rank) is plain[1]


@dataclass
class ScriptState(State):
    step: int = 0


@dataclass(frozen=True)
class Script(Solver[ScriptState]):
    """Gives the pairs that it was told to."""

    name: ClassVar[str] = "script"
    requires: ClassVar[tuple] = ()
    pairs: tuple = ()

    def init(self, problem, start, rng):
        return ScriptState(rng, 0)

    def run_epoch(self, problem, state):
        state.step += 1
        state.entries_read += problem.design.n_entries

    def extract(self, problem, state):
        w, u = self.pairs[min(state.step, len(self.pairs) - 1)]
        return np.array(w), np.array(u)


def test_the_driver_keeps_the_best_pair_and_certifies_it():
    """min |w|^2 / 2 with w = (1, 1): the least value, 0, comes with the largest violation."""
    problem = Problem(np.eye(2), [1.0, 1.0], EqualityConstraint(), Ridge(1.0))
    good, zero = ([1.0, 0.999], [-2.0, -2.0]), ([0.0, 0.0], [0.0, 0.0])
    overshot = ([1.0, 1.0], [-200.0, 0.0])
    result = solve(problem, Script((zero, good, zero)), stopping=MaxPasses(3))
    np.testing.assert_array_equal(result.w, good[0])
    assert result.certificate.violation == pytest.approx(1e-3)
    assert result.certificate.dual == pytest.approx(1.0)
    assert result.trace[0].certificate.relative_violation == 1.0
    # The dual point of one epoch certifies the primal point of another.
    result = solve(problem, Script((zero, good, overshot)), stopping=RelativeGap(1e-6) | MaxPasses(3))
    np.testing.assert_array_equal(result.w, overshot[0])
    assert result.status is Status.SOLVED
    assert result.certificate.gap <= 1e-12
    assert "constraints broken" not in result.message
    again = problem.certify(result.w, result.u)
    assert (again.primal, again.gap) == (result.certificate.primal, result.certificate.gap)


def test_the_driver_scales_margins_and_proves_infeasibility():
    problem = Problem(np.eye(2), [1.0, -1.0], MarginConstraint(), Ridge(1.0))
    result = solve(problem, Script((([4.0, -2.0], [-1.0, 1.0]),)), stopping=MaxPasses(1))
    np.testing.assert_array_equal(result.w, [2.0, -1.0])
    assert result.certificate.primal == problem.primal_value(result.w) == 2.5
    assert result.certificate.dual == pytest.approx(1.0)
    contradiction = Problem([[1.0], [1.0]], [1.0, -1.0], MarginConstraint(), Ridge(1.0))
    pairs = ((([0.0], [-10.0, 10.0])), (([0.0], [-1.0, 1.0])))
    result = solve(contradiction, Script(pairs), stopping=Infeasible(1e6) | MaxPasses(9))
    assert result.status is Status.INFEASIBLE
    assert contradiction.dual_value(result.u) > 1e6
    assert "constraints broken by 1.0e+00" in result.message


def test_the_slack_version_has_an_ordinary_gap(rng):
    problem = draw(rng, SquaredDistance(EqualityConstraint(), 3.0), SquaredLp(1.5), n=6, d=3)
    certificate = problem.certify(rng.normal(size=3), rng.normal(size=6))
    assert certificate.violation == certificate.relaxation == 0.0
    assert certificate.distances.size == 0
    assert 0.0 < certificate.gap < np.inf


def test_pairing_recomputes_the_relaxation(rng):
    problem = draw(rng, EqualityConstraint(), Ridge(1.0), n=6, d=9)
    points = [(rng.normal(size=9), rng.normal(size=6)) for _ in range(2)]
    first, second = (problem.certify(*pair) for pair in points)
    mixed, direct = paired(problem, first, second), problem.certify(points[0][0], points[1][1])
    assert (mixed.primal, mixed.dual, mixed.violation) == (direct.primal, direct.dual, direct.violation)
    assert mixed.relaxation == pytest.approx(direct.relaxation, rel=1e-14)
