"""The measured seconds of our solvers on one problem, and the file that keeps them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from benchmarks.instance import LossName

__all__ = ["FILE", "SOLVERS", "Measured", "read", "write"]

FILE = Path(__file__).with_name("measured.csv")
SOLVERS = ("prox_newton", "primal_cd", "sdca", "dgpd_plus", "proximal_gradient")
"""Those that "auto" takes for a scalar loss and a separable regularizer, and one that it takes for sets."""


@dataclass(frozen=True)
class Measured:
    """One problem at one relative gap, with all that a rule may look at.

    Attributes
    ----------
    entries, length
        Stored entries of the matrix, and the mean squared length of its rows.
    l1, l2, largest
        The strengths, and the smallest l1 with the zero solution.
    seconds
        CPU seconds by solver; of one that was ended because others were faster, those until then.
    ended
        The solvers that were ended.
    """

    problem: str
    gap: float
    loss: LossName
    n: int
    d: int
    entries: int
    length: float
    l1: float
    l2: float
    largest: float
    seconds: dict[str, float]
    ended: frozenset[str] = frozenset()

    @property
    def best(self) -> str:
        """The solver with the fewest seconds; of equal ones the first of SOLVERS."""
        reached = (name for name in SOLVERS if name in self.seconds and name not in self.ended)
        return min(reached, key=lambda name: self.seconds[name])

    def slowdown(self, solver: str) -> float:
        """The seconds of a solver over those of the best, at least so many where it was ended."""
        return self.seconds[solver] / self.seconds[self.best]


_PLAIN = {
    "problem": str,
    "gap": float,
    "loss": str,
    "n": int,
    "d": int,
    "entries": int,
    "length": float,
    "l1": float,
    "l2": float,
    "largest": float,
}
_ENDED = ">"


def read(path: Path = FILE) -> list[Measured]:
    """Read the file."""
    with path.open(newline="", encoding="utf-8") as file:
        return [_measured(row) for row in csv.DictReader(file)]


def _measured(row: dict[str, str]) -> Measured:
    cells = {name: row[name] for name in SOLVERS if row[name]}
    return Measured(
        **{name: kind(row[name]) for name, kind in _PLAIN.items()},  # type: ignore[arg-type]
        seconds={name: float(cell.removeprefix(_ENDED)) for name, cell in cells.items()},
        ended=frozenset(name for name, cell in cells.items() if cell.startswith(_ENDED)),
    )


def write(records: list[Measured], path: Path = FILE) -> None:
    """Write the file; seconds have three digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*_PLAIN, *SOLVERS])
        for record in records:
            plain = (getattr(record, name) for name in _PLAIN)
            writer.writerow(
                [
                    *(f"{value:.8g}" if isinstance(value, float) else value for value in plain),
                    *(_cell(record, name) for name in SOLVERS),
                ]
            )


def _cell(record: Measured, solver: str) -> str:
    if solver not in record.seconds:
        return ""
    return (_ENDED if solver in record.ended else "") + f"{record.seconds[solver]:.3g}"
