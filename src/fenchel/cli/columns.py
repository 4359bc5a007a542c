"""Reading named columns of a table, whatever else it holds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["is_table", "read_columns"]

_CSV = (".csv", ".csv.gz", ".csv.bz2", ".csv.xz")
_PARQUET = ".parquet"


def is_table(path: Path) -> bool:
    """Whether the name is that of a file with named columns."""
    return path.name.lower().endswith((*_CSV, _PARQUET))


def read_columns(path: Path, names: Sequence[str]) -> Any:
    """Return the columns of these names, in this order, as one matrix; no other column is kept.

    Raises InvalidInputError when the file cannot be read, or a column is absent or not numeric.
    """
    from fenchel.errors import InvalidInputError

    if not path.is_file():
        raise InvalidInputError(f"{path}: there is no such file. Check the path.")
    try:
        pandas = import_module("pandas")
        parquet = path.name.lower().endswith(_PARQUET)
        frame = pandas.read_parquet(path) if parquet else pandas.read_csv(path)
    except ImportError as error:
        raise InvalidInputError(
            f"{path}: reading tables needs pandas, and pyarrow for .parquet. Install them, or convert the "
            "file to .npz or svmlight text."
        ) from error
    # Parsers, decompressors and Arrow raise types of their own; all mean that the file is not readable.
    except Exception as error:
        raise InvalidInputError(f"{path}: not readable as a table: {error}. Rebuild the file.") from error
    frame.columns = [str(column) for column in frame.columns]
    absent = [name for name in names if name not in frame.columns]
    if absent:
        raise InvalidInputError(
            f"{path}: no column {absent[0]!r} ({len(absent)} of the model's {len(names)} are absent). Pass a "
            "table with the columns of the training file."
        )
    chosen = frame[list(names)]
    for name, dtype in zip(names, chosen.dtypes, strict=True):
        if dtype.kind not in "biuf":
            raise InvalidInputError(
                f"{path}: column {name!r} has type {dtype}, not numbers. Encode it as numbers."
            )
    return chosen.to_numpy()
