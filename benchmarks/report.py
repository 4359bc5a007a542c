"""The table of a comparison."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Row, Timing

__all__ = ["print_rows"]


def print_rows(rows: list[Row], console: Console) -> None:
    """Print one line a problem and target."""
    table = Table(title="CPU seconds to the recomputed relative gap, one thread, medians")
    for heading in ("problem", "gap", "fenchel", "best peer", "its", "ratio"):
        table.add_column(heading, no_wrap=True)
    table.add_column("all peers")
    for row in rows:
        best = row.best_peer
        table.add_row(
            row.problem,
            f"{row.target:.0e}",
            _seconds(row.fenchel),
            best.name if best else "none",
            _seconds(best) if best else "",
            f"{row.ratio:.2f}" if row.ratio is not None else "",
            ", ".join(_summary(peer) for peer in row.peers if _tried(peer)),
        )
    console.print(table)
    compiled: dict[str, float] = {}
    for row in rows:
        for name, seconds in row.first_calls.items():
            compiled[name] = max(compiled.get(name, 0.0), seconds)
    for name, seconds in sorted(compiled.items()):
        console.print(f"Not counted: the first call of {name}, up to {seconds:.1f} s, most of it to compile.")


def _tried(timing: Timing) -> bool:
    """Tell whether the peer fits this problem at all; the JSON has the reasons where it does not."""
    unreached = ("best gap", "no fit,", "not judged")
    return timing.tolerance is not None or (timing.failure or "").startswith(unreached)


def _seconds(timing: Timing) -> str:
    return f"{timing.median:.3g}" if timing.seconds else (timing.failure or "")


def _summary(timing: Timing) -> str:
    return f"{timing.name} {_seconds(timing)}" if timing.seconds else f"{timing.name} ({timing.failure})"
