"""What the commands print: tables for people, one JSON object for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fenchel.estimators.saved_model import Claim

__all__ = ["certificate_numbers", "label_text", "plain_label", "print_json", "print_table"]

_WIDEST = 400


def print_json(content: dict[str, Any]) -> None:
    """Print strict JSON on one line; numbers that JSON lacks (infinities, NaN) become null."""
    print(json.dumps(_finite(content), allow_nan=False, ensure_ascii=False))


def print_table(title: str, rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> None:
    """Print a table on stdout; its text is taken literally."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        show_header=bool(header),
        show_edge=False,
        pad_edge=False,
    )
    for name in header or [""] * len(rows[0]):
        table.add_column(name, overflow="fold", no_wrap=bool(header))
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    # A number that is broken over two lines is not a number: let a table of numbers be as wide as it is.
    natural = console.measure(table, options=console.options.update(width=_WIDEST)).maximum
    Console(width=max(console.width, natural) if header else None).print(table)


def certificate_numbers(claim: Claim) -> dict[str, float]:
    """The numbers of a certificate under the names of its attributes."""
    from fenchel.problem.certificate import relative

    relative_gap = relative(claim.gap, claim.primal, claim.dual)
    return {**claim._asdict(), "relative_gap": relative_gap}


def plain_label(label: Any) -> Any:
    """A class label as a Python value; a whole float becomes the integer that it is."""
    value = label.item() if hasattr(label, "item") else label
    return int(value) if isinstance(value, float) and value.is_integer() else value


def label_text(label: Any) -> str:
    """A class label as text."""
    return str(plain_label(label))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
