"""The program ``fenchel`` and its commands."""

from __future__ import annotations

from typing import Annotated

import typer

from fenchel.cli import certify, demo, fit, info, path, predict, separable

__all__ = ["app", "main"]

app = typer.Typer(
    name="fenchel",
    help="Fit regularized linear models to a duality gap that anyone can check.",
    epilog="Exit codes: 0 done (the output says whether a fit was solved or stopped early); 1 a model claims "
    "more than is true; 2 an unusable argument or file; 130 interrupted by Ctrl-C, with the "
    "best model so far saved.",
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_show_locals=False,
)
app.command("fit")(fit.fit)
app.command("path")(path.path)
app.command("certify")(certify.certify)
app.command("predict")(predict.predict)
app.command("info")(info.info)
app.command("separable")(separable.separable)
app.command("demo")(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from fenchel._kernels.simd import used_level

        typer.echo(f"fenchel {version('fenchel')} ({used_level()} kernels)")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Fit regularized linear models to a duality gap that anyone can check."""


def main() -> None:
    """Run the program on the arguments of the process."""
    app()
