"""What the readers of the stored files share."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SMALL_ROWS", "refuse"]

SMALL_ROWS = 2000
"""Rows of a stored file that a small size takes."""


def refuse(path: Path, full: bool) -> None:
    """Raise FileNotFoundError for a full size whose file is absent."""
    if full:
        raise FileNotFoundError(f"{path.name} is not in {path.parent}. Set FENCHEL_DATA to its folder.")
