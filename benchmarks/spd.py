"""What the stochastic primal-dual methods need, and what their steps cost: the tables of one command."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.spd_baselines import passes_table
from benchmarks.spd_kappa import kappa_table
from benchmarks.spd_steps import steps_table

__all__ = ["Tables", "spd"]

TABLES: dict[str, Callable[[Console], None]] = {
    "kappa": kappa_table,
    "steps": steps_table,
    "passes": passes_table,
}

Tables = Enum("Tables", {name: name for name in TABLES}, type=str)  # type: ignore[misc]


def spd(
    table: Annotated[list[Tables] | None, typer.Option(help="Which tables; all by default.")] = None,
) -> None:
    """Count the snapshots of SPD1-VR against the condition number; time its steps, and the others' passes."""
    console = Console(width=None if Console().is_terminal else 200)
    for name in [chosen.value for chosen in table or Tables]:
        TABLES[name](console)
