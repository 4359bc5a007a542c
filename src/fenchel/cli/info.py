"""The command ``fenchel info``."""

from __future__ import annotations

from typing import Any

from fenchel.cli import options
from fenchel.cli.failures import reported

__all__ = ["info"]

_MOST_CLASSES = 20


def info(
    data: options.Data,
    target: options.Target = None,
    drop: options.Drop = None,
    n_features: options.NFeatures = None,
    json: options.Json = False,
) -> None:
    """Describe a data file: its size, its values, its targets."""
    with reported():
        from fenchel.cli.output import print_json, print_table
        from fenchel.cli.reading import Reading
        from fenchel.datasets.readers import load_data
        from fenchel.datasets.summary import describe

        reading = Reading.of(target, drop)
        dataset = load_data(data, target=reading.target, drop=reading.drop, n_features=n_features)
        summary = describe(dataset)
        if json:
            print_json({"command": "info", "data": str(data), **summary})
        else:
            print_table(str(data), _rows(summary))


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    kind = "sparse" if summary["sparse"] else "dense"
    value_range = summary["value_range"]
    rows = [
        ("rows", str(summary["n"])),
        ("features", str(summary["d"])),
        ("entries other than zero", f"{summary['nnz']} ({summary['density']:.2%})"),
        ("storage", f"{kind}, {summary['dtype']}"),
        ("values", "none finite" if value_range is None else f"{value_range[0]:.6g} to {value_range[1]:.6g}"),
        ("NaN or infinite", str(summary["non_finite"])),
        ("empty rows", str(summary["empty_rows"])),
        ("empty columns", str(summary["empty_columns"])),
        ("targets", summary["target"]),
    ]
    counts = summary["class_counts"]
    if counts is not None:
        shown = [f"{label}: {count}" for label, count in list(counts.items())[:_MOST_CLASSES]]
        rest = len(counts) - len(shown)
        rows.append(("classes", ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")))
    return rows
