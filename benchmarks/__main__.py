"""``python -m benchmarks`` with ``list`` or the name of a benchmark; see ``python -m benchmarks --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.bounds import bounds
from benchmarks.completion import completion
from benchmarks.datasets.stored import data_folder
from benchmarks.dgpd import compare_active_sets
from benchmarks.dgpd_times import compare_times
from benchmarks.first_fit import first_fit
from benchmarks.interpolation import interpolation
from benchmarks.measure import Row, Settings, compare
from benchmarks.multiclass import multiclass
from benchmarks.path import path_command
from benchmarks.peers import PEERS
from benchmarks.problems import PROBLEMS, BenchmarkProblem, matching
from benchmarks.report import print_rows, save_rows
from benchmarks.spd import spd
from benchmarks.sublinear import sublinear

app = typer.Typer(help=__doc__, add_completion=False, no_args_is_help=True)
console = Console(width=None if Console().is_terminal else 200)
log = Console(stderr=True)


@app.command("list")
def list_problems() -> None:
    """Print the problems and the peers."""
    table = Table()
    for heading in ("problem", "loss", "penalty", "data"):
        table.add_column(heading)
    for problem in PROBLEMS:
        kind = "stored" if problem.stored else "generated"
        table.add_row(problem.name, problem.loss, problem.description, kind)
    console.print(table)
    console.print("Peers:", ", ".join(peer.name for peer in PEERS))


@app.command()
def peers(
    problem: Annotated[list[str] | None, typer.Option(help="Name or pattern; else all but tiny-*.")] = None,
    peer: Annotated[list[str] | None, typer.Option(help="Name of a peer; all by default.")] = None,
    target: Annotated[list[float] | None, typer.Option(help="Relative gap; else 1e-3 and 1e-6.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Timed fits of each library.")] = 3,
    peer_limit: Annotated[float, typer.Option(help="Seconds after which a fit of a peer is ended.")] = 30.0,
    solver: Annotated[str, typer.Option(help="Fenchel's solver.")] = "auto",
    data: Annotated[Path | None, typer.Option(help="Folder of the data; else FENCHEL_DATA.")] = None,
    json: Annotated[Path | None, typer.Option(help="File for every measured number.")] = None,
) -> None:
    """Time fenchel and its peers to the same recomputed relative gap, and print the ratios."""
    settings = Settings(tuple(sorted(target or (1e-3, 1e-6), reverse=True)), repeats, peer_limit, solver)
    chosen_peers = [known for known in PEERS if not peer or known.name in peer]
    rows: list[Row] = []
    for chosen in _chosen(problem or []):
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


@app.command()
def dgpd(
    limit: Annotated[float, typer.Option(help="Passes after which a solver is ended.")] = 400.0,
    repeats: Annotated[int, typer.Option(min=1, help="Timed fits of each solver.")] = 3,
    parts: Annotated[str, typer.Option(help="entries, and the times (a), (b), (c).")] = "entries,a,b,c",
) -> None:
    """Count the entries that active sets and others read, and time them and the peers on stored classes."""
    chosen = parts.split(",")
    if "entries" in chosen:
        compare_active_sets(console, limit)
    times = "".join(part for part in "abc" if part in chosen)
    if times:
        compare_times(console, repeats, times)


app.command()(spd)
app.command()(sublinear)
app.command()(multiclass)
app.command()(interpolation)
app.command("path")(path_command)
app.command()(completion)
app.command()(bounds)
app.command("first-fit")(first_fit)


def _chosen(patterns: list[str]) -> list[BenchmarkProblem]:
    chosen = matching(patterns)
    if not chosen:
        raise typer.BadParameter(f"no problem matches {', '.join(patterns)}; see python -m benchmarks list")
    return chosen


if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
