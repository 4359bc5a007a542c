"""From paths to arrays: the data file, and files with one number a feature."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fenchel.cli.columns import is_table, read_columns

if TYPE_CHECKING:
    from fenchel.datasets.dataset import Dataset
    from fenchel.estimators.saved_model import SavedModel
    from fenchel.typing import FloatArray

__all__ = ["Reading", "read_bound", "read_features", "read_labelled", "read_numbers", "read_training"]


@dataclass(frozen=True)
class Reading:
    """The options that decide how a data file is read; a model file remembers them."""

    target: str | None = None
    drop: float | str | None = None

    @classmethod
    def of(cls, target: str | None, drop: str | None) -> Reading:
        """Take the value to drop as a number where it is one."""
        return cls(target, None if drop is None else _number_or_text(drop))


def read_labelled(path: Path, reading: Reading, n_features: int | None = None) -> Dataset:
    """Read a data file that must have one target a row."""
    from fenchel.datasets.readers import load_data
    from fenchel.errors import InvalidInputError

    data = load_data(path, target=reading.target, drop=reading.drop, n_features=n_features)
    if data.y is None:
        raise InvalidInputError(f"{path}: there are no targets. Add a member y, or name one with --target.")
    if data.y.ndim != 1:
        raise InvalidInputError(
            f"{path}: the targets have shape {data.y.shape}. Pass a file with one target a row."
        )
    return data


def read_training(path: Path, model: SavedModel) -> tuple[Any, Any]:
    """Read again the data of a fit, as the fit read them."""
    from fenchel.errors import InvalidInputError

    data = read_labelled(path, Reading(model.reading.get("target"), model.reading.get("drop")))
    if data.feature_names != model.feature_names:
        raise InvalidInputError(
            f"{path}: these are not the data that the model was fitted on: the features have other names. "
            "A certificate holds for its own data only; pass the training file."
        )
    return _widened(data.X, model.data.n_features), data.y


def read_features(path: Path, model: SavedModel) -> tuple[Any, str | None]:
    """Read what a prediction needs, and say in words what did not fit the model's features.

    A table must have the model's columns, in any order; other columns are not read. Sparse data may
    be narrower (the absent columns are zero) or wider (the model has no coefficients for the rest).
    """
    from fenchel.datasets.readers import load_data
    from fenchel.errors import InvalidInputError

    if model.feature_names is not None and is_table(path):
        return read_columns(path, model.feature_names), None
    X, width = load_data(path).X, model.data.n_features
    found = X.shape[1]
    if found == width:
        return X, None
    if not hasattr(X, "tocsr"):
        raise InvalidInputError(f"{path}: the data have {found} columns, but the model has {width} features.")
    if found < width:
        return _widened(X, width), None
    return X.tocsr()[:, :width], (
        f"{path}: the data have {found} columns; those after the model's {width} features are left out"
    )


def _widened(X: Any, n_features: int) -> Any:
    """Append columns of zeros to a sparse matrix that is narrower than the model."""
    if not hasattr(X, "tocsr") or X.shape[1] >= n_features:
        return X
    X = X.tocsr(copy=True)
    X.resize((X.shape[0], n_features))
    return X


def read_bound(text: str | None, option: str) -> float | FloatArray | None:
    """Take a number as it is, and anything else as a file of numbers."""
    if text is None:
        return None
    value = _number_or_text(text)
    return value if isinstance(value, float) else read_numbers(Path(value), option)


def read_numbers(path: Path | None, option: str) -> FloatArray | None:
    """Read one number a feature from a text file (one a line) or an .npy file."""
    import numpy as np

    from fenchel.errors import InvalidInputError

    if path is None:
        return None
    if not path.is_file():
        raise InvalidInputError(f"{option} {path}: there is no such file. Check the path.")
    try:
        numbers = np.load(path, allow_pickle=False) if path.suffix == ".npy" else np.loadtxt(path, ndmin=1)
        return np.asarray(numbers, dtype=np.float64)
    except (EOFError, OSError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{option} {path}: not readable as numbers: {error}. Write one number a line, or an .npy array."
        ) from error


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
