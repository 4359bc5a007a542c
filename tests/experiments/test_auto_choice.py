"""The choice of "auto" against the stored seconds of our solvers; nothing is fitted or timed here."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.choice.measured import FILE, SOLVERS, Measured, read, write
from benchmarks.choice.skeleton import choice, skeleton
from benchmarks.choice.table import BOUND, PAGE, choices, text
from benchmarks.choice.timing import measure
from benchmarks.instance import mean_squared_row
from benchmarks.problems import matching
from benchmarks.suite import FAMILIES, OWN_FAMILIES, suite
from fenchel.solvers.registry import choose_solver

RECORDS = read()
MADE = [
    name
    for data in ("wide", "text")
    for name in (f"{data}-l1-logistic-100", f"{data}-elastic-net-squared-hinge-1000", f"{data}-l2-hinge-1")
]


@pytest.fixture(scope="module")
def found():
    return choices(RECORDS)


def test_auto_is_never_much_slower_than_the_best_of_ours(found):
    slow = {(one.record.problem, one.record.gap): one.slowdown for one in found if one.slowdown > BOUND}
    assert not slow


def test_the_tables_of_the_documentation_are_those_of_the_measurements(found):
    assert text(found) == PAGE.read_text(encoding="utf-8"), "run python -m benchmarks auto"


def test_the_measured_problems_are_of_the_suite():
    names = {problem.name for problem in suite(FAMILIES + OWN_FAMILIES)}
    keys = [(record.problem, record.gap) for record in RECORDS]
    assert len(set(keys)) == len(keys) > 50
    assert {name for name, _ in keys} <= names
    for record in RECORDS:
        assert record.seconds.keys() <= set(SOLVERS)
        assert record.ended < record.seconds.keys()


@pytest.mark.parametrize("name", MADE)
def test_a_skeleton_has_what_the_data_have(name):
    (problem,) = matching([name], suite(FAMILIES + OWN_FAMILIES))
    instance = problem.load(Path())
    real = instance.fenchel_problem()
    largest = real.zero_solution_strength() * instance.l1 if instance.l1 else 0.0
    record = Measured(
        *(name, 1e-3, instance.loss, *instance.A.shape, real.design.n_entries),
        *(mean_squared_row(instance.A), instance.l1, instance.l2, largest, {}),
    )
    bare = skeleton(record)
    assert bare.design.shape == real.design.shape
    assert bare.design.n_entries == pytest.approx(real.design.n_entries, rel=0.02)
    assert bare.regularizer == real.regularizer
    assert bare.loss == real.loss
    if instance.l1:
        assert bare.zero_solution_strength() * instance.l1 == pytest.approx(largest, rel=1e-9)
    assert choice(record) == choose_solver(real)[0].name


def test_a_measurement_names_the_solvers_that_serve(tmp_path):
    (problem,) = matching(["tiny-l2-hinge"])
    record = measure(problem.name, problem.load(tmp_path), 1e-3, 1, 10.0)
    assert record.seconds.keys() == {"sdca", "dgpd_plus"}
    assert record.best not in record.ended
    assert record.slowdown(record.best) == 1.0
    assert all(seconds > 0 for seconds in record.seconds.values())


def test_records_come_back_from_their_file(tmp_path):
    ended = replace(RECORDS[0], seconds={"sdca": 0.5, "primal_cd": 0.25}, ended=frozenset({"sdca"}))
    write([ended, *RECORDS[1:]], tmp_path / "measured.csv")
    assert read(tmp_path / "measured.csv") == [ended, *RECORDS[1:]]
    write(RECORDS, tmp_path / "measured.csv")
    assert (tmp_path / "measured.csv").read_bytes() == FILE.read_bytes()


def test_ended_solvers_are_never_the_best():
    record = replace(RECORDS[0], seconds={"sdca": 0.1, "primal_cd": 0.25}, ended=frozenset({"sdca"}))
    assert record.best == "primal_cd"
    assert record.slowdown("primal_cd") == 1.0
