"""``python -m benchmarks auto``: time our solvers, keep the seconds, and write the tables of the choice."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.choice.measured import FILE, Measured, read, write
from benchmarks.choice.table import BOUND, PAGE, Choice, choices, text
from benchmarks.choice.timing import measure
from benchmarks.datasets.stored import data_folder
from benchmarks.limited import quiet
from benchmarks.problems import BenchmarkProblem, matching
from benchmarks.suite import FAMILIES, OWN_FAMILIES, suite
from fenchel.solvers.registry import choose_solver

__all__ = ["auto"]

DATA = ("a9a", "splice", "rcv1", "colon", "dorothea", "text", "wide")
"""Few, but of every shape: rows and columns, few and many, dense and sparse."""

console = Console(width=None if Console().is_terminal else 160)
log = Console(stderr=True)


def auto(
    problem: Annotated[
        list[str] | None, typer.Option(help="Names or patterns of problems to measure.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Measure the problems of seven data sets.")] = False,
    again: Annotated[bool, typer.Option(help="Measure those that the file has already.")] = False,
    target: Annotated[list[float] | None, typer.Option(help="Relative gap; else 1e-3 and 1e-6.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Timed fits of a solver that can be the best.")] = 3,
    limit: Annotated[float, typer.Option(help="CPU seconds after which a fit is ended.")] = 10.0,
    data: Annotated[Path | None, typer.Option(help="Folder of the data; else FENCHEL_DATA.")] = None,
) -> None:
    """Time our solvers on the problems of peers --all and more, and hold the choice of "auto" against them.

    Without ``--problem`` and ``--all`` nothing is measured: the tables are made anew of what the file has.
    """
    known = read() if FILE.exists() else []
    records = {(record.problem, record.gap): record for record in known}
    problems = list(suite(FAMILIES + OWN_FAMILIES))
    patterns = problem or ([f"{name}-*" for name in DATA] if every else [])
    chosen = matching(patterns, problems) if patterns else []
    for one, gap in product(chosen, sorted(target or (1e-3, 1e-6), reverse=True)):
        if (one.name, gap) in records and not again:
            continue
        log.print(f"{one.name} {gap:.0e} ...")
        found = _measured(one, gap, repeats, limit, data_folder(data))
        if isinstance(found, str):
            console.print(f"{one.name} {gap:.0e} is left out: {found}.")
            continue
        records[one.name, gap] = found
        # In the order of the suite, so that a new measurement changes few lines.
        order = {known.name: k for k, known in enumerate(problems)}
        write(sorted(records.values(), key=lambda record: (order[record.problem], -record.gap)))
    decided = choices(read())
    _print(decided)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text(decided), encoding="utf-8")


def _measured(
    problem: BenchmarkProblem, gap: float, repeats: int, limit: float, folder: Path
) -> Measured | str:
    """The measured problem, or why there is none."""
    try:
        instance = problem.load(folder)
    except FileNotFoundError as error:
        return f"{error.filename} is absent"
    with quiet():
        found = measure(problem.name, instance, gap, repeats, limit)
    if found is None:
        return f"no solver is there after {limit:g} s"
    seen, real = choices([found])[0].solver, choose_solver(instance.fenchel_problem())[0].name
    if seen != real:
        console.print(f"{problem.name}: auto takes {real}, but {seen} without the data.")
    return found


def _print(found: list[Choice]) -> None:
    slow = [one for one in found if one.slowdown > BOUND]
    console.print(
        f"{len(found)} problems and gaps; auto takes the best of ours in "
        f"{sum(one.solver == one.record.best for one in found)}, and within {BOUND:g} times its "
        f"seconds in {len(found) - len(slow)}. Slower than that:"
    )
    for one in sorted(slow, key=lambda one: -one.slowdown):
        seconds = one.record.seconds
        console.print(
            f"  {one.record.problem} {one.record.gap:.0e}: {one.solver} {seconds[one.solver]:.3g} s, "
            f"{one.record.best} {seconds[one.record.best]:.3g} s, x {one.slowdown:.2f}"
        )
