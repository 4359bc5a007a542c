"""``python -m benchmarks`` with ``list`` or the name of a benchmark; see ``python -m benchmarks --help``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from benchmarks.bounds import bounds
from benchmarks.choice.command import auto
from benchmarks.completion import completion
from benchmarks.dgpd import compare_active_sets
from benchmarks.dgpd_times import compare_times
from benchmarks.first_fit import first_fit
from benchmarks.interpolation import interpolation
from benchmarks.multiclass import multiclass
from benchmarks.path import path_command
from benchmarks.peers import PEERS
from benchmarks.peers_command import peers, ratios
from benchmarks.problems import PROBLEMS
from benchmarks.spd import spd
from benchmarks.sublinear import sublinear
from benchmarks.suite import suite

app = typer.Typer(help=__doc__, add_completion=False, no_args_is_help=True)
console = Console(width=None if Console().is_terminal else 200)


@app.command("list")
def list_problems(
    every: Annotated[bool, typer.Option("--all", help="Those of peers --all.")] = False,
) -> None:
    """Print the problems and the peers."""
    table = Table()
    for heading in ("problem", "loss", "penalty", "data"):
        table.add_column(heading)
    for problem in suite() if every else PROBLEMS:
        kind = "stored" if problem.stored else "generated"
        table.add_row(problem.name, problem.loss, problem.description, kind)
    console.print(table)
    console.print("Peers:", ", ".join(peer.name for peer in PEERS))


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


app.command()(peers)
app.command()(ratios)
app.command()(auto)
app.command()(spd)
app.command()(sublinear)
app.command()(multiclass)
app.command()(interpolation)
app.command("path")(path_command)
app.command()(completion)
app.command()(bounds)
app.command("first-fit")(first_fit)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
