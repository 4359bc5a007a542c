"""Reading svmlight / LIBSVM text."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from sklearn.datasets import load_svmlight_file

from fenchel.errors import InvalidInputError

__all__ = ["read_svmlight"]

_MAGIC: dict[bytes, Callable[..., IO[Any]]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
"""The first bytes of the compressed formats: they are right where a file's name is not."""


def read_svmlight(path: Path, target: str | None, n_features: int | None) -> tuple[Any, Any]:
    """Return the CSR matrix (float64) and the targets of an svmlight file."""
    if target is not None:
        raise InvalidInputError(
            f"{path}: read as svmlight text, which has one target, so target={target!r} means nothing. "
            "Leave target out."
        )
    try:
        with _open(path) as stream:
            X, y = load_svmlight_file(stream, n_features=n_features)
    except (EOFError, OSError, ValueError, OverflowError, lzma.LZMAError, zlib.error) as error:
        cause = " ".join(str(error).split())
        raise InvalidInputError(
            f"{path}: not readable as svmlight text: {cause}. Each line must be `target index:value ...`, "
            "with one target; other formats are chosen by .npz, .csv or .parquet at the end of the name."
        ) from error
    return X, y


def _open(path: Path) -> IO[Any]:
    with path.open("rb") as stream:
        start = stream.read(6)
    for magic, opener in _MAGIC.items():
        if start.startswith(magic):
            return opener(path, "rb")
    return path.open("rb")
