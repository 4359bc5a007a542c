"""The table and the JSON of a comparison."""

from __future__ import annotations

import json
import math
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Row, Settings, Timing

__all__ = ["print_rows", "save_rows"]

_PACKAGES = ("fenchel", "numpy", "scipy", "scikit-learn", "skglm", "celer", "cyanure", "snapml", "copt")


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


def save_rows(rows: list[Row], settings: Settings, path: Path) -> None:
    """Write every measured number, the settings, the versions and the machine."""
    document = {
        "settings": vars(settings),
        "versions": {name: _version(name) for name in _PACKAGES},
        "machine": {"processor": _processor(), "python": platform.python_version()},
        "rows": [_plain(row) for row in rows],
    }
    path.write_text(json.dumps(document, indent=1) + "\n")


def _plain(row: Row) -> dict[str, Any]:
    best = row.best_peer
    return {
        "problem": row.problem,
        "target": row.target,
        "ratio": row.ratio,
        "best_peer": best.name if best else None,
        "lower_bound_gap": row.lower_bound_gap,
        "first_calls": row.first_calls,
        "fits": [_plain_timing(timing) for timing in (row.fenchel, *row.peers)],
    }


def _plain_timing(timing: Timing) -> dict[str, Any]:
    median = timing.median
    return {**vars(timing), "median": median if math.isfinite(median) else None}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line.split(":")[1] for line in information.read_text().splitlines() if "model name" in line]
        if names:
            return names[0].strip()
    return platform.processor() or platform.machine()
