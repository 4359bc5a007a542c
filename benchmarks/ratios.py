"""The ratios in short: geometric means of each family, and every row that is lost or has no ratio."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import geometric_mean

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Row

__all__ = ["print_ratios"]


def print_ratios(rows: list[Row], console: Console) -> None:
    """Print the means, then by name the rows below 1, those that we miss, and those that the peers miss.

    A row that no peer reached is in no mean, and neither is one that we did not reach; the latter is lost.
    """
    table = Table(title="Seconds of the best peer over fenchel's: geometric means, and the smallest")
    for heading in ("family", "gap", "rows", "mean", "smallest", "of", "below 1"):
        table.add_column(heading, no_wrap=True)
    for family, target in dict.fromkeys((row.family, row.target) for row in rows):
        chosen = [row for row in rows if (row.family, row.target) == (family, target)]
        ratios = {row.problem: row.ratio for row in chosen if row.ratio is not None}
        worst = min(ratios, key=lambda name: ratios[name], default="")
        table.add_row(
            *(family, f"{target:.0e}", str(len(ratios))),
            *((f"{geometric_mean(ratios.values()):.2f}", f"{ratios[worst]:.2f}") if ratios else ("", "")),
            *(worst, str(sum(_lost(row) for row in chosen))),
        )
    console.print(table)
    _print_named("Below 1", filter(_lost, rows), console)
    no_peer = (row for row in rows if row.best_peer is None and not _lost(row))
    _print_named("Reached by no peer, in no mean", no_peer, console)


def _lost(row: Row) -> bool:
    """A row with a ratio below 1, or one that we did not reach."""
    return not row.fenchel.seconds or (row.ratio is not None and row.ratio < 1.0)


def _print_named(title: str, rows: Iterable[Row], console: Console) -> None:
    named = [
        f"{row.problem} {row.target:.0e} "
        + (f"({row.ratio:.2f}, {row.best_peer.name})" if row.ratio and row.best_peer else f"({_why(row)})")
        for row in rows
    ]
    console.print(f"{title}: {', '.join(named) or 'none'}.")


def _why(row: Row) -> str:
    return row.fenchel.failure or f"ours {row.fenchel.median:.3g} s"
