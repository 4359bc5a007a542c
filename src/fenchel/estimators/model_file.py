"""A fitted model on disk, with all that anyone needs to recompute its certificate."""

from __future__ import annotations

import json
import lzma
import os
import zipfile
import zlib
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, cast

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.estimators.fingerprint import Fingerprint
from fenchel.estimators.saved_model import Claim, SavedModel
from fenchel.losses.registry import get_loss
from fenchel.regularizers.base import Regularizer
from fenchel.regularizers.registry import REGULARIZERS
from fenchel.regularizers.standardized import Standardized

__all__ = ["load_model", "save_model"]

_FORMAT = 1
_UNREADABLE = (
    AttributeError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OSError,
    TypeError,
    ValueError,
    lzma.LZMAError,
    zipfile.BadZipFile,
    zlib.error,
)


def save_model(path: Path | str, model: SavedModel) -> None:
    """Write a model to one ``.npz`` file without pickles.

    A crash while writing leaves an older file of that name as it was.

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    header = {
        "format": _FORMAT,
        "version": model.version,
        "status": model.status,
        "loss": model.loss.name,
        "regularizer": _names(model.regularizer),
        "class_weight": model.class_weight,
        "fit_intercept": model.fit_intercept,
        "data": asdict(model.data),
        "feature_names": model.feature_names,
        "reading": model.reading,
    }
    arrays: dict[str, Any] = {
        "header": np.array(json.dumps(header)),
        "coefficients": model.coefficients,
        "intercepts": model.intercepts,
        "dual_points": model.dual_points,
        "certificates": np.array(model.claims),
        **{f"loss_{item.name}": np.array(getattr(model.loss, item.name)) for item in fields(model.loss)},
        **_parameters(model.regularizer),
    }
    if model.classes is not None:
        arrays["classes"] = _plain_labels(model.classes)
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.savez_compressed(file, **arrays)
    os.replace(partial, path)


def load_model(path: Path | str) -> SavedModel:
    """Read what :func:`save_model` wrote.

    Raises
    ------
    InvalidInputError
        When there is no such file, or it is not a model of this library and version of the format. The
        claims inside are returned as they stand: see :mod:`fenchel.estimators.recertify`.
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInputError(f"{path}: there is no such file. Check the path.")
    try:
        # Opened here: NumPy leaves its own handle open when the archive is damaged.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(str(arrays["header"]))
        if header["format"] != _FORMAT:
            raise InvalidInputError(f"it has format {header['format']!r}, but this version reads {_FORMAT}")
        return _model(header, arrays)
    except _UNREADABLE as error:
        cause = f"no member {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise InvalidInputError(
            f"{path}: not readable as a model: {cause.rstrip('.')}. Pass a file that `fenchel fit --out` "
            "wrote."
        ) from error


def _model(header: dict[str, Any], arrays: dict[str, Any]) -> SavedModel:
    claims = tuple(Claim(*row) for row in arrays["certificates"].tolist())
    parameters = {name[5:]: float(value) for name, value in arrays.items() if name.startswith("loss_")}
    names = header["feature_names"]
    return SavedModel(
        loss=get_loss(str(header["loss"]), **parameters),
        regularizer=_regularizer(header["regularizer"], arrays),
        coefficients=np.asarray(arrays["coefficients"], dtype=np.float64),
        intercepts=np.asarray(arrays["intercepts"], dtype=np.float64),
        dual_points=np.asarray(arrays["dual_points"], dtype=np.float64),
        claims=claims,
        fit_intercept=bool(header["fit_intercept"]),
        data=Fingerprint(**header["data"]),
        classes=arrays.get("classes"),
        class_weight=header["class_weight"],
        feature_names=None if names is None else tuple(str(name) for name in names),
        reading=dict(header["reading"]),
        status=str(header["status"]),
        version=str(header["version"]),
    )


def _names(regularizer: Regularizer) -> list[str]:
    """The registry name; that of the inner penalty follows that of one which standardises."""
    if isinstance(regularizer, Standardized):
        return [regularizer.name, *_names(regularizer.penalty)]
    return [regularizer.name]


def _parameters(regularizer: Regularizer) -> dict[str, Any]:
    """Every field of the regularizer as an array, those that are None left out."""
    if isinstance(regularizer, Standardized):
        return {"regularizer_scales": regularizer.scales, **_parameters(regularizer.penalty)}
    values = {item.name: getattr(regularizer, item.name) for item in fields(regularizer)}
    return {f"regularizer_{name}": np.array(value) for name, value in values.items() if value is not None}


def _regularizer(names: list[str], arrays: dict[str, Any]) -> Regularizer:
    parameters = {name[12:]: value for name, value in arrays.items() if name.startswith("regularizer_")}
    scales = parameters.pop("scales", None)
    plain = {name: value if value.ndim else float(value) for name, value in parameters.items()}
    if names[:-1] == [Standardized.name]:
        # The class itself refuses a penalty that cannot be standardised.
        return Standardized(cast(Any, REGULARIZERS[names[-1]](**plain)), cast(Any, scales))
    if len(names) != 1 or scales is not None:
        raise InvalidInputError(f"the regularizer {names!r} is unknown")
    return REGULARIZERS[names[0]](**plain)


def _plain_labels(classes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Labels without Python objects, which an archive cannot hold without pickles."""
    if classes.dtype != object:
        return classes
    if all(isinstance(label, str) for label in classes):
        return np.array(classes.tolist(), dtype=np.str_)
    raise InvalidInputError(
        f"A model file cannot hold the class labels {classes[:3].tolist()}: they are neither numbers nor all "
        "text. Encode them as one or the other."
    )
