"""A data matrix with its target, as the readers and the demos return it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data matrix with its target.

    Attributes
    ----------
    X : ndarray or scipy sparse matrix, shape (n, d)
    y : ndarray of shape (n,) or (n, k), or None
        As stored: labels are not mapped to -1 and +1. None when the file holds no target.
    feature_names : tuple of str, or None
        One name a column, where the source has names.
    name : str
        The file's name without its folder and endings, or the demo's name.
    """

    X: Any
    y: Any
    feature_names: tuple[str, ...] | None
    name: str
