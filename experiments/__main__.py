"""The command line: ``python -m experiments list`` and ``python -m experiments run NAME``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from experiments.runner import discover, run_experiment

app = typer.Typer(help=__doc__, add_completion=False, no_args_is_help=True)


@app.command("list")
def list_experiments() -> None:
    """Print the experiments."""
    for name, experiment in sorted(discover().items()):
        typer.echo(f"{name}: {experiment.description}")


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="A name from the list.")],
    full: Annotated[bool, typer.Option(help="Full sizes instead of the small ones.")] = False,
    results: Annotated[Path, typer.Option(help="Where the folder of the results goes.")] = Path("results"),
) -> None:
    """Run one experiment; write its summary and its plots."""
    known = discover()
    if name not in known:
        raise typer.BadParameter(f"{name!r} is unknown. The experiments are {', '.join(sorted(known))}.")
    folder = run_experiment(known[name], full, results)
    for path in sorted(folder.iterdir()):
        typer.echo(str(path))


if __name__ == "__main__":
    app(prog_name="python -m experiments")
