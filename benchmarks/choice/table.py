"""The choice of "auto" beside the best of our solvers: the text of the tables in the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.choice.measured import Measured
from benchmarks.choice.skeleton import choice
from benchmarks.suite import FAMILIES, OWN_FAMILIES, parted

__all__ = ["BOUND", "PAGE", "Choice", "choices", "text"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tables" / "auto.inc"
BOUND = 1.5
"""No choice takes more than so many times the seconds of the best."""


class Choice(NamedTuple):
    """A measured problem, the solver that "auto" takes for it, and its seconds over those of the best."""

    record: Measured
    solver: str
    slowdown: float

    @property
    def cell(self) -> str:
        """The slowdown, and the best solver where it is another."""
        other = "" if self.solver == self.record.best else f" ({self.record.best})"
        return f"{self.slowdown:.1f}{other}"


def choices(records: list[Measured]) -> list[Choice]:
    """Return what "auto" takes now for every measured problem."""
    chosen = [(record, choice(record)) for record in records]
    return [Choice(record, solver, record.slowdown(solver)) for record, solver in chosen]


def text(found: list[Choice]) -> str:
    """Return one table a family, with a row a problem."""
    gaps = sorted({one.record.gap for one in found}, reverse=True)
    lines = [".. Made by python -m benchmarks auto from benchmarks/choice/measured.csv."]
    for family in (*FAMILIES, *OWN_FAMILIES):
        chosen = [one for one in found if parted(one.record.problem)[1] == family.name]
        if chosen:
            lines += ["", f".. csv-table:: {family.name.replace('-', ' ')}"]
            headings = ["data", "rows x columns", "strength", "auto", *(f"to {gap:.0e}" for gap in gaps)]
            lines += [f"   :header: {', '.join(headings)}", "", *_rows(chosen, gaps)]
    return "\n".join(lines) + "\n"


def _rows(chosen: list[Choice], gaps: list[float]) -> Iterator[str]:
    for problem in dict.fromkeys(one.record.problem for one in chosen):
        by_gap = {one.record.gap: one for one in chosen if one.record.problem == problem}
        record = next(iter(by_gap.values())).record
        data, _, strength = parted(problem)
        shown = f"1/{strength}" if record.l1 else f"C = {strength}"
        solvers = " / ".join(dict.fromkeys(one.solver for one in by_gap.values()))
        cells = [by_gap[gap].cell if gap in by_gap else "" for gap in gaps]
        yield "   " + ", ".join([data, f"{record.n} x {record.d}", shown, solvers, *cells])
