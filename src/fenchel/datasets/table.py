"""Reading tables with column names, through pandas."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from fenchel.errors import InvalidInputError

__all__ = ["read_table"]


def read_table(path: Path, ending: str, target: str | None) -> tuple[Any, Any, tuple[str, ...]]:
    """Return the features, the target and the features' names of a ``.csv`` or ``.parquet`` file."""
    frame = _read_frame(path, ending)
    if frame.shape[1] < 2:
        raise InvalidInputError(
            f"{path}: found {frame.shape[1]} column. A table needs one column of features and one of "
            "targets, separated by commas."
        )
    frame.columns = [str(column) for column in frame.columns]
    chosen = frame.columns[-1] if target is None else target
    if chosen not in frame.columns:
        raise InvalidInputError(f"{path}: no column {chosen!r}. Choose target from {_listed(frame.columns)}.")
    features = frame.drop(columns=chosen)
    for column, dtype in zip(features.columns, features.dtypes, strict=True):
        if dtype.kind not in "biuf":
            raise InvalidInputError(
                f"{path}: column {column!r} has type {dtype}, not numbers. Encode it as numbers or remove it."
            )
    return features.to_numpy(), frame[chosen].to_numpy(), tuple(features.columns)


def _read_frame(path: Path, ending: str) -> Any:
    packages = ("pandas",) if ending == ".csv" else ("pandas", "pyarrow")
    for package in packages:
        try:
            import_module(package)
        except ImportError as error:
            raise InvalidInputError(
                f"{path}: reading {ending} files needs {package}. Install it (`pip install "
                f"{' '.join(packages)}`) or convert the file to .npz or svmlight text."
            ) from error
    pandas = import_module("pandas")
    try:
        return pandas.read_csv(path) if ending == ".csv" else pandas.read_parquet(path)
    # Parsers, decompressors and Arrow raise types of their own; all mean that the file is not readable.
    except Exception as error:
        cause = " ".join(str(error).split())
        raise InvalidInputError(f"{path}: not readable as {ending}: {cause}. Rebuild the file.") from error


def _listed(columns: Any, most: int = 10) -> str:
    names = [str(column) for column in columns]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
