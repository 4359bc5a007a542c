"""The measured rows in a JSON file: all numbers, the settings, the versions and the machine."""

from __future__ import annotations

import json
import math
import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.measure import Row, Settings, Timing

__all__ = ["load_rows", "load_settings", "save_rows"]

_PACKAGES = ("fenchel", "numpy", "scipy", "scikit-learn", "skglm", "celer", "cyanure", "snapml", "copt")


def save_rows(rows: list[Row], settings: Settings, path: Path) -> None:
    """Write the rows; a run that is ended leaves the file of the last finished problem."""
    document = {
        "settings": asdict(settings),
        "versions": {name: _version(name) for name in _PACKAGES},
        "machine": {"processor": _processor(), "python": platform.python_version()},
        "rows": [_plain(row) for row in rows],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(document, indent=1) + "\n")
    unfinished.replace(path)


def load_rows(path: Path) -> list[Row]:
    """Read the rows of a file."""
    return [_row(stored) for stored in json.loads(path.read_text())["rows"]]


def load_settings(path: Path) -> Settings:
    """Read how the rows of a file were measured."""
    stored = json.loads(path.read_text())["settings"]
    return Settings(**stored | {"targets": tuple(stored["targets"])})


def _plain(row: Row) -> dict[str, Any]:
    best = row.best_peer
    return {
        "problem": row.problem,
        "family": row.family,
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


def _row(stored: dict[str, Any]) -> Row:
    """What depends on the seconds is computed again."""
    fits = [{key: value for key, value in fit.items() if key != "median"} for fit in stored["fits"]]
    ours, *theirs = (Timing(**fit) for fit in fits)
    kept = ("problem", "target", "first_calls", "lower_bound_gap", "family")
    return Row(fenchel=ours, peers=theirs, **{key: stored[key] for key in kept})


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
