"""The one loop: what ends it, what it records, and what it hands back."""

import re
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from cases_solvers import BEST_RESPONSE, CONSTRAINED, ON_ROWS, PRECISE, draw
from fenchel import (
    SDCA,
    InvalidInputError,
    MaxPasses,
    PrimalCD,
    Problem,
    RelativeGap,
    Start,
    Status,
    TimeLimit,
    solve,
)
from fenchel.driver.stopping import Progress
from fenchel.losses import (
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Logistic,
    MarginConstraint,
    MulticlassHinge,
    MultiSquared,
    SmoothedHinge,
    Softmax,
    Squared,
    SquaredDistance,
    SquaredHinge,
)
from fenchel.problem.certificate import Certificate
from fenchel.regularizers import L1, Box, ElasticNet, L1Ball, L2Ball, Ridge
from fenchel.solvers.full.proximal_gradient import ProximalGradient
from fenchel.solvers.registry import SOLVERS, choose_solver, get_solver

each_solver = pytest.mark.parametrize("solver", ON_ROWS)
each_precise = pytest.mark.parametrize("solver", PRECISE)
NEVER = RelativeGap(0.0)


def medium(rng, loss=None, g=None, solver="sdca") -> Problem:
    """60 rows and 21 coordinates, one of them an intercept where the solver serves one.

    A solver that serves neither gets three classes if those are what it serves, an l1 ball, constraints with
    slack or without, or an l1 penalty.
    """
    loss, g = loss or Logistic(), g or ElasticNet(0.01, 0.001)
    for outputs in (loss, Softmax()):
        problem = draw(rng, outputs, g, n=60, d=20, kind="correlated", intercept=True)
        if SOLVERS[solver].unmet(problem) is None:
            return problem
    problem = draw(rng, loss, g, n=60, d=21, kind="correlated")
    if SOLVERS[solver].unmet(problem) is None or not loss.smooth:
        return problem
    ball = draw(rng, Softmax(), L1Ball(2.0, l1=0.01), n=60, d=21, kind="correlated")
    if SOLVERS[solver].unmet(ball) is None and solver not in BEST_RESPONSE:
        return ball
    for constraint in (SquaredDistance(MarginConstraint()), MarginConstraint()):
        sets = draw(rng, constraint, Ridge(0.1), n=60, d=21, kind="correlated")
        if SOLVERS[solver].unmet(sets) is None and solver in CONSTRAINED:
            return sets
    return draw(rng, loss, L1(0.01), n=60, d=20, kind="correlated", intercept=True)


def progress(passes=0.0, seconds=0.0, primal=1.0, dual=0.0, rounding=0.0) -> Progress:
    return Progress(passes, int(passes), seconds, Certificate(primal, dual), 0, rounding)


# Stopping rules


def test_rules():
    assert RelativeGap(0.5)(progress(primal=1.0, dual=0.5)) is Status.SOLVED
    assert RelativeGap(0.4)(progress(primal=1.0, dual=0.5)) is None
    assert RelativeGap(0.0)(progress(primal=1.0, dual=1.0)) is Status.SOLVED
    assert RelativeGap(0.0)(progress(primal=1.0, dual=0.9, rounding=0.2)) is Status.SOLVED
    assert RelativeGap(0.0)(progress(primal=np.nan, dual=0.9)) is None
    assert MaxPasses(3)(progress(passes=3.0)) is Status.MAX_PASSES
    assert MaxPasses(3)(progress(passes=2.9)) is None
    assert TimeLimit(2.0)(progress(seconds=2.0)) is Status.TIME_LIMIT
    assert TimeLimit(2.0)(progress(seconds=1.9)) is None


def test_rules_combine():
    either, both = RelativeGap(0.1) | MaxPasses(3), MaxPasses(3) & RelativeGap(0.1)
    assert either(progress(primal=1.0, dual=1.0)) is Status.SOLVED
    assert either(progress(passes=3)) is Status.MAX_PASSES
    assert either(progress(passes=3, primal=1.0, dual=1.0)) is Status.SOLVED
    assert either(progress()) is None
    assert both(progress(passes=3)) is None
    assert both(progress(primal=1.0, dual=1.0)) is None
    assert both(progress(passes=3, primal=1.0, dual=1.0)) is Status.SOLVED
    three = MaxPasses(1) & (TimeLimit(1.0) | RelativeGap(0.1))
    assert three(progress(passes=1, seconds=1.0)) is Status.TIME_LIMIT


@pytest.mark.parametrize(
    ("rule", "argument", "message"),
    [
        (
            RelativeGap,
            -1.0,
            r"^tolerance=-1\.0 is not a number of at least 0\. Give a relative gap such as 1e-6;",
        ),
        (RelativeGap, float("nan"), r"^tolerance=nan is not a number of at least 0\."),
        (
            MaxPasses,
            "many",
            r"^passes='many' is not a number of at least 0\. Give a number of passes such as",
        ),
        (
            TimeLimit,
            -0.5,
            r"^seconds=-0\.5 is not a number of at least 0\. Give a time in seconds such as 10\.$",
        ),
    ],
)
def test_rules_refuse_bad_numbers(rule, argument, message):
    with pytest.raises(InvalidInputError, match=message):
        rule(argument)


def test_only_solved_is_solved():
    assert [status for status in Status if status.solved] == [Status.SOLVED]


# Ends of a run


@each_solver
def test_max_passes_ends_a_run(rng, solver):
    result = solve(medium(rng, solver=solver), solver, stopping=NEVER | MaxPasses(20))
    assert result.status is Status.MAX_PASSES
    assert result.passes >= 20
    assert result.trace[-2].passes < 20


@each_solver
def test_no_pass_at_all_gives_a_certified_model(rng, solver):
    problem = medium(rng, solver=solver)
    result = solve(problem, solver, stopping=MaxPasses(0))
    assert len(result.trace) == 1
    assert (result.passes, result.entries_read) == (0.0, 0)
    assert result.certificate.gap == pytest.approx(problem.certify(result.w, result.u).gap)


@each_solver
def test_the_time_limit_ends_a_run(rng, solver):
    result = solve(medium(rng, solver=solver), solver, stopping=NEVER & TimeLimit(60) | TimeLimit(0.0))
    assert result.status is Status.TIME_LIMIT
    assert result.message.startswith("stopped early: the time limit was reached (relative gap ")


@each_solver
def test_the_callback_sees_every_record_and_ends_a_run(rng, solver):
    seen = []

    def callback(record):
        seen.append(record)
        return len(seen) == 2

    result = solve(medium(rng, solver=solver), solver, stopping=NEVER | MaxPasses(10_000), callback=callback)
    assert result.status is Status.CALLBACK
    assert seen == result.trace
    assert len(seen) == 2


def test_a_rule_outranks_the_callback(rng):
    result = solve(medium(rng), stopping=MaxPasses(0), callback=lambda record: True)
    assert result.status is Status.MAX_PASSES


@pytest.mark.parametrize("at", [1, 2, 4])
def test_ctrl_c_keeps_the_model(rng, at):
    problem, calls = medium(rng), []

    def callback(record):
        calls.append(record)
        if len(calls) == at:
            raise KeyboardInterrupt

    result = solve(problem, "proximal_gradient", stopping=NEVER | MaxPasses(10_000), callback=callback)
    assert result.status is Status.INTERRUPTED
    assert len(result.trace) == at
    assert result.certificate.primal == problem.primal_value(result.w)
    assert result.certificate.relative_gap <= result.trace[-1].certificate.relative_gap * (1 + 1e-9)


def test_ctrl_c_inside_an_epoch_keeps_the_best_points(rng, monkeypatch):
    problem, epochs = medium(rng), []
    epoch = SDCA.run_epoch

    def interrupted(self, problem, state):
        epochs.append(1)
        if len(epochs) == 3:
            state.w[:] = 1e6
            raise KeyboardInterrupt
        epoch(self, problem, state)

    monkeypatch.setattr(SDCA, "run_epoch", interrupted)
    result = solve(problem, "sdca", stopping=NEVER | MaxPasses(10_000))
    assert result.status is Status.INTERRUPTED
    assert len(result.trace) == 3
    assert result.certificate.primal == pytest.approx(result.trace[-1].certificate.primal, rel=1e-15)


def test_an_error_in_the_callback_is_the_callers(rng):
    with pytest.raises(ZeroDivisionError):
        solve(medium(rng), callback=lambda record: 1 / 0)


@pytest.mark.parametrize("loss", [Squared(), Logistic(), Hinge()], ids=repr)
@each_solver
def test_a_matrix_without_entries_ends(loss, solver):
    """No entry is ever read, and the limit on passes still holds."""
    problem = Problem(sp.csr_array((4, 3)), [1.0, -1.0, 1.0, 1.0], loss, Ridge(1.0))
    if SOLVERS[solver].unmet(problem) is not None:
        return
    result = solve(problem, solver, stopping=NEVER | MaxPasses(5))
    assert result.passes <= 5
    assert result.certificate.gap <= 1e-15
    np.testing.assert_array_equal(result.w, np.zeros(3))


def test_epochs_without_reading_count_as_passes(monkeypatch, rng):
    problem = medium(rng)
    monkeypatch.setattr(SDCA, "run_epoch", lambda self, problem, state: None)
    result = solve(problem, "sdca", stopping=NEVER | MaxPasses(7))
    assert [record.passes for record in result.trace] == [float(k) for k in range(8)]
    assert result.entries_read == 0


# What a run records


@each_solver
@pytest.mark.parametrize("loss", [Logistic(), Squared(), Hinge()], ids=repr)
def test_the_trace_is_monotone(rng, solver, loss):
    problem = medium(rng, loss, solver=solver)
    if SOLVERS[solver].unmet(problem) is not None or problem.loss.indicator:
        return  # broken constraints have relaxed certificates, whose values rise
    trace = solve(problem, solver, stopping=RelativeGap(1e-9) | MaxPasses(300)).trace
    for before, after in pairwise(trace):
        assert after.entries_read > before.entries_read
        assert after.passes > before.passes
        assert after.seconds >= before.seconds
        assert after.certificate.primal <= before.certificate.primal
        assert after.certificate.dual >= before.certificate.dual
        assert after.certificate.gap <= before.certificate.gap
    assert all(r.passes == r.entries_read / problem.design.n_entries for r in trace)
    assert all(r.certificate.dual_point.size == 0 for r in trace)


@each_precise
def test_the_result_agrees_with_its_certificate(rng, solver):
    problem = medium(rng, solver=solver)
    result = solve(problem, solver, stopping=RelativeGap(1e-7) | MaxPasses(5000))
    again = problem.certify(result.w, result.u)
    assert result.status.solved
    assert result.certificate.relative_gap <= 1e-7
    assert again.primal == result.certificate.primal
    assert again.dual == pytest.approx(result.certificate.dual, rel=1e-13)
    assert result.trace[-1].nonzeros == np.count_nonzero(result.w[: problem.n_features])
    assert result.solver == solver
    assert result.reason == "it was asked for"


@pytest.mark.parametrize("together", [True, False])
def test_only_points_that_came_apart_are_certified_at_the_end(rng, monkeypatch, together):
    """SDCA's points stand under one certificate; those of a solver without a dual point never do."""
    asked, certify = [], Problem.certify
    monkeypatch.setattr(Problem, "certify", lambda *a: asked.append(a) or certify(*a))
    problem = draw(rng, Logistic(), ElasticNet(0.01, 0.1), n=60, d=20)
    result = solve(problem, "sdca" if together else "proximal_gradient", stopping=RelativeGap(1e-6))
    assert len(asked) == len(result.trace) + (not together)
    again = certify(problem, result.w, result.u)
    assert (again.primal, again.dual) == (result.certificate.primal, result.certificate.dual)


def test_the_problem_and_the_start_are_left_alone(rng):
    for solver in ON_ROWS:
        problem = medium(rng, solver=solver)
        w, u = rng.normal(size=problem.primal_shape), rng.normal(size=problem.b.shape)
        arrays = (w, u, problem.b, problem.sample_weight)
        copies = [array.copy() for array in arrays]
        solve(problem, solver, stopping=MaxPasses(3), start=Start(w, u))
        for array, copy in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, copy)


# Randomness and starts


@each_solver
def test_the_seed_decides_everything(rng, solver):
    problem = medium(rng, solver=solver)

    def w_of(seed):
        return solve(problem, solver, stopping=NEVER | MaxPasses(15), rng=seed).w

    np.testing.assert_array_equal(w_of(3), w_of(3))
    np.testing.assert_array_equal(w_of(3), w_of(np.random.default_rng(3)))
    if solver == "sdca":
        assert np.any(w_of(3) != w_of(4))


@each_precise
@pytest.mark.parametrize("loss", [Logistic(), Squared(), Hinge()], ids=repr)
@pytest.mark.parametrize("g", [L1(0.02), Ridge(0.05)], ids=repr)
def test_a_warm_start_loses_nothing(rng, solver, loss, g):
    problem = medium(rng, loss, g, solver)
    if SOLVERS[solver].unmet(problem) is not None:
        return
    first = solve(problem, solver, stopping=RelativeGap(1e-6) | MaxPasses(20_000))
    again = solve(problem, solver, stopping=MaxPasses(0), start=first)
    assert again.certificate.primal <= first.certificate.primal * (1 + 1e-12)
    assert again.certificate.dual >= first.certificate.dual * (1 - 1e-12)
    assert solve(problem, solver, stopping=RelativeGap(2e-6), start=first).passes == 0.0


@each_precise
def test_a_start_far_away_is_no_obstacle(rng, solver):
    problem = medium(rng, Squared(), Box(-0.2, 0.3, l1=0.01, l2=0.05), solver)
    best = solve(problem, stopping=RelativeGap(1e-10) | MaxPasses(5000)).certificate
    start = Start(w=50.0 * rng.normal(size=problem.primal_shape))
    result = solve(problem, solver, stopping=RelativeGap(1e-8) | MaxPasses(20_000), start=start)
    assert result.certificate.primal == pytest.approx(best.primal, rel=1e-7)


@pytest.mark.parametrize(
    ("name", "shape", "value", "message"),
    [
        ("w", (20,), 0.0, r"^start\.w has shape \(20,\), but this problem needs {needs}\.$"),
        ("w", (1,), 0.0, r"^start\.w has shape \(1,\), but this problem needs {needs}\.$"),
        ("u", (60, 1), 0.0, r"^start\.u has shape \(60, 1\), but this problem needs {needs}\.$"),
        ("w", None, np.nan, r"^start\.w has a value that is not finite\. "),
        ("u", None, np.inf, r"^start\.u has a value that is not finite\. "),
    ],
)
@each_solver
def test_a_start_that_does_not_fit_is_refused(rng, solver, name, shape, value, message):
    problem = medium(rng, solver=solver)
    needs = {"w": problem.primal_shape, "u": problem.b.shape}[name]
    start = Start(**{name: np.full(needs if shape is None else shape, value)})
    with pytest.raises(InvalidInputError, match=message.format(needs=re.escape(str(needs)))):
        solve(problem, solver, start=start)


# The choice of a solver


@pytest.mark.parametrize(
    ("loss", "g", "n", "expected"),
    [
        (Logistic(), L1(0.1), 7, "prox_newton"),
        (Logistic(), Ridge(0.1), 7, "prox_newton"),
        (SquaredHinge(), L1(0.1), 7, "prox_newton"),
        (Hinge(), L1(0.1), 7, "sdca"),
        (Absolute(), Box(0.0, 1.0), 7, "sdca"),
        (MultiSquared(), L1(0.1), 7, "proximal_gradient"),
        (Softmax(), L1(0.1), 7, "multiclass_newton"),
        (MulticlassHinge(), Box(0.0, 1.0), 7, "multiclass_sdca"),
        (Softmax(), L2Ball(1.0), 7, "proximal_gradient"),
        (Softmax(), L1Ball(1.0), 7, "proximal_gradient"),
        (MulticlassHinge(), L1(0.1), 7, "multiclass_sdca"),
        (MulticlassHinge(), L1Ball(1.0, l1=0.1), 7, "mirror_prox"),
        (Squared(), L2Ball(1.0), 7, "proximal_gradient"),
    ],
)
def test_the_automatic_choice(rng, loss, g, n, expected):
    problem = draw(rng, loss, g, n=n, d=4)
    solver, reason = choose_solver(problem)
    assert solver.name == expected
    assert reason


@pytest.mark.parametrize(
    ("loss", "shape", "below", "options", "expected"),
    [
        (SmoothedHinge(), (8, 12), 1000.0, {}, "dgpd_plus"),
        (SquaredHinge(), (8, 12), 1000.0, {}, "dgpd_plus"),
        (EpsilonInsensitive(), (8, 12), 1000.0, {}, "sdca"),
        (Logistic(), (8, 12), 1000.0, {}, "prox_newton"),
        (SmoothedHinge(), (8, 12), 100.0, {}, "prox_newton"),
        (SmoothedHinge(), (12, 8), 1000.0, {}, "dgpd_plus"),
        (SmoothedHinge(), (40, 8), 1000.0, {}, "prox_newton"),
        (SmoothedHinge(), (8, 12), 1000.0, {"intercept": True}, "prox_newton"),
        (SmoothedHinge(), (8, 12), 1000.0, {"l2": 0.0}, "prox_newton"),
    ],
)
def test_active_sets_are_chosen_where_a_weak_l1_part_leaves_the_rows_to_decide(
    rng, loss, shape, below, options, expected
):
    n, d = shape
    draws = {"n": n, "d": d, "intercept": options.get("intercept", False)}
    g = ElasticNet(1.0, options.get("l2", 0.1))
    problem = draw(rng, loss, g, **draws)
    l1 = problem.zero_solution_strength() / below
    weak = Problem(problem.design.base if problem.fit_intercept else problem.design, problem.b, loss,
                   ElasticNet(l1, g.l2), problem.sample_weight, problem.fit_intercept)  # fmt: skip
    assert choose_solver(weak)[0].name == expected


def test_solvers_by_name_and_instance(rng):
    problem = medium(rng)
    assert get_solver("primal_cd", problem)[0] == PrimalCD()
    chosen = SDCA(proximal_weight=0.5)
    assert get_solver(chosen, problem) == (chosen, "it was asked for")
    assert get_solver(ProximalGradient(), problem)[0].name == "proximal_gradient"
    message = rf"^solver='newton' is unknown\. Use 'auto' or one of {re.escape(str(sorted(SOLVERS)))}\.$"
    with pytest.raises(InvalidInputError, match=message):
        solve(problem, "newton")
