"""``python -m benchmarks peers`` and ``ratios``: comparisons one after the other, kept in a file."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.compare import compare
from benchmarks.datasets.stored import data_folder
from benchmarks.measure import Row, Settings
from benchmarks.peers import PEERS
from benchmarks.problems import matching
from benchmarks.ratios import print_ratios
from benchmarks.report import print_rows
from benchmarks.results import load_rows, load_settings, save_rows
from benchmarks.suite import suite

__all__ = ["peers", "ratios"]

console = Console(width=None if Console().is_terminal else 200)
log = Console(stderr=True)


class JudgedBy(str, Enum):
    """What a peer has to reach."""

    gap = "gap"
    optimum = "optimum"


def peers(
    problem: Annotated[list[str] | None, typer.Option(help="Name or pattern; else all but tiny-*.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Choose among all data, losses and strengths.")
    ] = False,
    peer: Annotated[list[str] | None, typer.Option(help="Name of a peer; all by default.")] = None,
    target: Annotated[list[float] | None, typer.Option(help="Relative gap; else 1e-3 and 1e-6.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Timed fits of each library.")] = 3,
    peer_limit: Annotated[float, typer.Option(help="CPU seconds after which a fit is ended.")] = 30.0,
    solver: Annotated[str, typer.Option(help="Fenchel's solver.")] = "auto",
    judge: Annotated[
        JudgedBy, typer.Option(help="Peers reach this gap, or are so near the optimum.")
    ] = JudgedBy.gap,
    conversion: Annotated[
        bool, typer.Option(help="All get the matrix by rows; converting it counts.")
    ] = False,
    data: Annotated[Path | None, typer.Option(help="Folder of the data; else FENCHEL_DATA.")] = None,
    json: Annotated[Path | None, typer.Option(help="File for all numbers; its problems are done.")] = None,
) -> None:
    """Time fenchel and its peers to the same recomputed relative gap, and print the ratios.

    With ``--json`` a run goes on where the last one with that file ended.
    """
    targets = tuple(sorted(target or (1e-3, 1e-6), reverse=True))
    settings = Settings(targets, repeats, peer_limit, solver, judge.value, conversion)
    chosen_peers = [known for known in PEERS if not peer or known.name in peer]
    problems = matching(problem or [], suite()) if every else matching(problem or [])
    if not problems:
        raise typer.BadParameter(f"no problem matches {problem}; see python -m benchmarks list")
    rows = _finished(json, settings)
    done = {row.problem for row in rows}
    for chosen in problems:
        if chosen.name in done:
            continue
        log.print(f"{chosen.name} ...")
        try:
            instance = chosen.load(data_folder(data))
        except FileNotFoundError as error:
            console.print(
                f"{chosen.name} is skipped: {error.filename} is absent. Use --data or FENCHEL_DATA."
            )
            continue
        rows += compare(chosen.name, instance, chosen_peers, settings)
        if json is not None:
            save_rows(rows, settings, json)
    if rows:
        print_rows(rows, console)
        print_ratios(rows, console)


def _finished(json: Path | None, settings: Settings) -> list[Row]:
    """The rows of an earlier run with the same settings."""
    if json is None or not json.exists():
        return []
    if load_settings(json) != settings:
        raise typer.BadParameter(f"{json} was measured with {load_settings(json)}. Use another file.")
    return load_rows(json)


def ratios(
    files: Annotated[list[Path], typer.Argument(help="Files that peers --json has written.")],
    rows: Annotated[bool, typer.Option(help="Print the rows as well.")] = True,
) -> None:
    """Print one table of all rows in some files, and the geometric means of each family."""
    found = [row for path in files for row in load_rows(path)]
    if rows:
        print_rows(found, console)
    print_ratios(found, console)
