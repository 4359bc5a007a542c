"""Many problems on one design: what each run gives, and what ends all of them."""

from dataclasses import replace

import numpy as np
import pytest

from cases_solvers import draw, targets
from fenchel import (
    DGPDPlus,
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
from fenchel.design import SparseDesign, as_design
from fenchel.driver.loop import certify_together
from fenchel.driver.run import Point
from fenchel.driver.solve_many import Task, block_width, solve_many
from fenchel.losses import Hinge, Logistic, MultiSquared, SmoothedHinge, SquaredHinge
from fenchel.regularizers import L1, ElasticNet, NonNegative

NEVER, CLOSE = RelativeGap(0.0), RelativeGap(1e-8)
CASES = [
    ("auto", Logistic(), ElasticNet(0.01, 0.01), True),
    ("auto", SquaredHinge(), L1(0.02), True),
    ("auto", Logistic(), NonNegative(0.01), True),
    ("sdca", Hinge(), ElasticNet(0.01, 0.05), True),
    ("dgpd_plus", SmoothedHinge(), ElasticNet(0.01, 0.01), False),
    ("dgpd_plus", SquaredHinge(), ElasticNet(0.01, 0.01), False),
    ("proximal_gradient", Logistic(), ElasticNet(0.01, 0.05), False),
]
each_case = pytest.mark.parametrize(("solver", "loss", "g", "intercept"), CASES)
each_kind = pytest.mark.parametrize("kind", ["sparse", "gaussian"])


def family(rng, loss, g, intercept, count=7, kind="sparse") -> list[Problem]:
    first = draw(rng, loss, g, n=60, d=20, kind=kind, intercept=intercept)
    return [first, *(first.with_target(targets(rng, loss, 60)) for _ in range(count - 1))]


def tasks(problems, rule=CLOSE, **more):
    for number, problem in enumerate(problems):
        yield Task(number, problem, stopping=rule, rng=np.random.default_rng(number), **more)


def results(problems, solver="auto", width=None, rule=CLOSE, **more):
    found = solve_many(tasks(problems, rule, **more), solver, width=width)
    by_number = {task.number: result for task, result in found}
    assert sorted(by_number) == list(range(len(problems)))
    return [by_number[number] for number in range(len(problems))]


@each_case
@each_kind
def test_every_result_is_that_of_its_problem_alone(rng, solver, loss, g, intercept, kind):
    problems = family(rng, loss, g, intercept, kind=kind)
    for number, (problem, found) in enumerate(zip(problems, results(problems, solver), strict=True)):
        alone = solve(problem, solver, stopping=RelativeGap(1e-8), rng=number)
        assert found.status is Status.SOLVED
        assert found.solver == alone.solver
        assert found.certificate.primal == pytest.approx(alone.certificate.primal, rel=1e-10)
        np.testing.assert_allclose(found.w, alone.w, atol=1e-8)
        assert found.entries_read == alone.entries_read


@each_case
@each_kind
@pytest.mark.parametrize("width", [1, 3, 7])
def test_the_block_changes_no_bit(rng, solver, loss, g, intercept, kind, width):
    problems = family(rng, loss, g, intercept, kind=kind)
    for one, two in zip(results(problems, solver), results(problems, solver, width), strict=True):
        np.testing.assert_array_equal(one.w, two.w)
        np.testing.assert_array_equal(one.u, two.u)
        assert one.certificate.gap == two.certificate.gap
        assert len(one.trace) == len(two.trace)


@each_case
@each_kind
def test_no_gap_is_optimistic(rng, solver, loss, g, intercept, kind):
    problems = family(rng, loss, g, intercept, kind=kind)
    for problem, found in zip(problems, results(problems, solver, rule=RelativeGap(1e-2)), strict=True):
        again = problem.certify(found.w, found.u)
        assert again.primal == pytest.approx(found.certificate.primal, rel=1e-12)
        assert again.dual == pytest.approx(found.certificate.dual, rel=1e-12)
        best = solve(problem, stopping=RelativeGap(1e-10)).certificate
        slack = 1e-12 * best.primal
        for record in found.trace:
            assert record.certificate.primal >= best.dual - slack
            assert record.certificate.dual <= best.primal + slack
        assert found.certificate.primal - best.primal <= found.certificate.gap + slack


@each_case
@each_kind
def test_certificates_together_are_those_alone(rng, solver, loss, g, intercept, kind):
    problems = family(rng, loss, g, intercept, kind=kind)
    pairs = []
    for problem in problems:
        w = 0.1 * rng.normal(size=problem.n_coordinates) * (rng.random(problem.n_coordinates) < 0.5)
        w[: problem.n_features] = np.abs(w[: problem.n_features])
        pairs += [(problem, Point(w, None)), (problem, Point(w, rng.normal(size=60)))]
    for (problem, point), found in zip(pairs, certify_together(pairs), strict=True):
        alone = problem.certify(point.w, point.u)
        assert found.primal == pytest.approx(alone.primal, rel=1e-13)
        assert found.dual == pytest.approx(alone.dual, rel=1e-10, abs=1e-13)
        assert found.radius == pytest.approx(alone.radius, rel=1e-10)


def test_a_problem_that_ends_makes_room(rng):
    """Tasks are taken only as places become free, and no place is left empty while tasks wait."""
    problems, taken, ended, sizes = family(rng, Logistic(), L1(0.01), True, count=9), [], [], []

    def lazily():
        for number, task in enumerate(tasks(problems)):
            taken.append(number)
            rule = MaxPasses(0) if number % 2 else RelativeGap(1e-8)
            yield replace(task, stopping=rule, callback=lambda progress: sizes.append(len(taken)))

    for task, result in solve_many(lazily(), width=3):
        assert result.status is (Status.MAX_PASSES if task.number % 2 else Status.SOLVED)
        ended.append(task.number)
        assert len(taken) - len(ended) <= 3
        assert len(taken) >= min(3, len(problems))
    assert sorted(ended) == list(range(9))
    assert ended != sorted(ended)
    assert sizes[0] == 3


def test_a_block_reads_the_design_once(rng, monkeypatch):
    problems, counts = family(rng, Logistic(), L1(0.01), True), []
    monkeypatch.setattr(Problem, "certify", None)
    product = SparseDesign.matvecs
    monkeypatch.setattr(SparseDesign, "matvecs", lambda self, w: counts.append(len(w)) or product(self, w))
    found = results(problems, "primal_cd")
    assert counts[:2] == [7, 7]
    # One record a certificate, and the last one of the result.
    assert sum(counts) == sum(len(result.trace) + 1 for result in found)
    assert len(counts) == max(len(result.trace) + 1 for result in found)


def test_a_batch_of_the_solver_is_its_epochs(rng):
    solver = DGPDPlus()
    problems = family(rng, SmoothedHinge(), ElasticNet(0.01, 0.01), False)
    together, alone = (
        [solver.init(problem, Start(), np.random.default_rng(k)) for k, problem in enumerate(problems)]
        for _ in range(2)
    )
    for _ in range(3):
        solver.run_epochs(problems, together)
        for problem, state in zip(problems, alone, strict=True):
            solver.run_epoch(problem, state)
        for one, two in zip(together, alone, strict=True):
            np.testing.assert_array_equal(one.u, two.u)
            np.testing.assert_array_equal(one.v, two.v)
            assert one.entries_read == two.entries_read


def test_starts(rng):
    problems = family(rng, Logistic(), L1(0.01), True)
    first = results(problems)
    pairs = zip(problems, first, strict=True)
    warm = [Task(number, problem, Start(known.w, known.u)) for number, (problem, known) in enumerate(pairs)]
    for task, result in solve_many(warm, "sdca"):
        assert result.passes == 0.0
        assert result.certificate.primal <= first[task.number].certificate.primal * (1 + 1e-12)
        assert result.certificate.dual >= first[task.number].certificate.dual * (1 - 1e-12)
    with pytest.raises(InvalidInputError, match=r"start\.w has shape"):
        list(solve_many([Task(0, problems[0], Start(np.zeros(3)))]))


def test_a_callback_ends_all(rng):
    problems, calls = family(rng, Logistic(), L1(0.01), True), []

    def stop(progress):
        calls.append(progress)
        return len(calls) == 5

    found = results(problems, width=3, rule=NEVER, callback=stop)
    assert {result.status for result in found} == {Status.CALLBACK}
    # The fifth call is for the second of the first three; nobody is asked after it.
    assert len(calls) == 5
    assert [len(result.trace) for result in found] == [3, 2, 2, 1, 1, 1, 1]
    for problem, result in zip(problems, found, strict=True):
        assert problem.certify(result.w, result.u).gap == pytest.approx(result.certificate.gap)


def test_ctrl_c_ends_all(rng, monkeypatch):
    problems, epochs, epoch = family(rng, Logistic(), L1(0.01), True), [], PrimalCD.run_epoch

    def interrupted(self, problem, state):
        epochs.append(1)
        if len(epochs) == 5:
            raise KeyboardInterrupt
        epoch(self, problem, state)

    monkeypatch.setattr(PrimalCD, "run_epoch", interrupted)
    found = results(problems, "primal_cd", width=3, rule=NEVER)
    assert {result.status for result in found} == {Status.INTERRUPTED}
    assert len(epochs) == 5
    assert [len(result.trace) for result in found] == [2, 2, 2, 1, 1, 1, 1]
    assert all(np.isfinite(result.certificate.primal) for result in found)


def test_a_second_ctrl_c_is_not_held_back(rng, monkeypatch):
    def interrupt(progress):
        raise KeyboardInterrupt

    def again(self, problem, state):
        raise KeyboardInterrupt

    problems = family(rng, Logistic(), L1(0.01), True)
    found = solve_many(tasks(problems, NEVER, callback=interrupt), "primal_cd", width=2)
    assert next(found)[1].status is Status.INTERRUPTED
    monkeypatch.setattr(PrimalCD, "extract", again)
    with pytest.raises(KeyboardInterrupt):
        list(found)


def test_limits(rng):
    problems = family(rng, Logistic(), L1(0.01), True)
    for rule, status in ((TimeLimit(0.0), Status.TIME_LIMIT), (MaxPasses(2), Status.MAX_PASSES)):
        found = results(problems, "sdca", width=2, rule=NEVER | rule)
        assert {result.status for result in found} == {status}


def test_outputs_that_are_vectors(rng):
    first = draw(rng, MultiSquared(), L1(0.05), n=30, d=8, kind="sparse", intercept=True)
    problems = [first, first.with_target(targets(rng, MultiSquared(), 30))]
    for problem, found in zip(problems, results(problems, rule=RelativeGap(1e-6)), strict=True):
        assert found.w.shape == problem.primal_shape
        assert found.status is Status.SOLVED


def test_problems_with_other_designs_are_refused(rng):
    problems = [draw(rng, Logistic(), L1(0.1), n=30, d=5) for _ in range(2)]
    with pytest.raises(InvalidInputError, match="several designs"):
        list(solve_many(tasks(problems)))
    assert list(solve_many([])) == []


def test_a_block_is_as_wide_as_its_memory(rng):
    assert block_width(as_design(np.zeros((50, 50)))) == 16
    assert block_width(as_design(np.zeros((100_000, 1)))) == 5
    assert block_width(as_design(np.zeros((1_000_000, 1), dtype=np.float32))) == 1
