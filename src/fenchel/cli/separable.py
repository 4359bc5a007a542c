"""The command ``fenchel separable``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fenchel.cli import options
from fenchel.cli.failures import reported

if TYPE_CHECKING:
    from fenchel.driver.separability_verdict import Separability

__all__ = ["separable"]

_MOST_ROWS = 10


def separable(
    data: options.Data,
    target: options.Target = None,
    drop: options.Drop = None,
    n_features: options.NFeatures = None,
    no_intercept: options.NoIntercept = False,
    norm: options.Norm = 2.0,
    out: options.OutVerdict = None,
    json: options.Json = False,
) -> None:
    """Tell whether a hyperplane separates two classes, and prove it.

    The answer is a direction with bounds on the largest margin, or weights with which rows of the two classes
    cancel exactly, so that no direction can separate; undecided where neither is proven, with the bounds.
    """
    with reported():
        from fenchel.cli.output import print_json, print_table
        from fenchel.cli.reading import Reading, read_labelled
        from fenchel.driver.separability import separability

        dataset = read_labelled(data, Reading.of(target, drop), n_features)
        found = separability(dataset.X, dataset.y, fit_intercept=not no_intercept, p=norm)
        if out is not None:
            _save(out, found)
        if json:
            print_json({"command": "separable", "data": str(data), **_content(found)})
            return
        print_table(str(data), _rows(found))
        typer.echo(found.verdict.value)


def _content(found: Separability) -> dict[str, Any]:
    return {
        "separable": found.separable,
        "verdict": found.verdict.name.lower(),
        "proof": found.proof or None,
        "margin_lower": found.margin_lower,
        "margin_upper": found.margin_upper,
        "norm": found.p,
        "rows_with_weight": int((found.weights > 0.0).sum()),
        "reason": found.reason,
    }


def _rows(found: Separability) -> list[tuple[str, str]]:
    used = (found.weights > 0.0).nonzero()[0]
    shown = ", ".join(str(row) for row in used[:_MOST_ROWS])
    rest = f" and {used.size - _MOST_ROWS} more" if used.size > _MOST_ROWS else ""
    return [
        ("separable", {True: "yes", False: "no", None: "undecided"}[found.separable]),
        ("proof", found.proof or "none"),
        ("largest margin", f"{found.margin_lower:.6g} to {found.margin_upper:.6g} (p = {found.p:g})"),
        ("rows behind it", shown + rest or "none"),
        ("how", found.reason),
    ]


def _save(path: Path, found: Separability) -> None:
    """The direction, the intercept and the weights, as arrays of an npz file."""
    import numpy as np

    with path.open("wb") as file:
        np.savez(file, direction=found.direction, intercept=found.intercept, weights=found.weights)
