"""Reading NumPy archives: dense arrays, and sparse matrices by their parts."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.design.compressed import as_csr, check_structure
from fenchel.errors import InvalidInputError

__all__ = ["read_archive"]

_UNREADABLE = (EOFError, KeyError, NotImplementedError, OSError, TypeError, ValueError)
_CORRUPT = (lzma.LZMAError, zipfile.BadZipFile, zlib.error)


def read_archive(path: Path, target: str | None) -> tuple[Any, Any]:
    """Return the matrix and the target of an ``.npz`` file; the target may be absent (None)."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as members:
            X = _matrix(path, members)
            y = _target(path, members, target)
    except InvalidInputError:
        raise
    except (*_UNREADABLE, *_CORRUPT) as error:
        cause = " ".join(str(error).split())
        raise InvalidInputError(
            f"{path}: not readable as an .npz archive: {cause}. Rebuild the file."
        ) from error
    return X, y


def _matrix(path: Path, members: Any) -> Any:
    if "format" in members:
        return _checked(path, sp.load_npz(path))
    if {"indices", "indptr", "shape"} <= set(members):
        indices = members["indices"]
        data = members["data"] if "data" in members else np.ones(len(indices))
        shape = tuple(int(size) for size in members["shape"])
        return _checked(path, sp.csr_matrix((data, indices, members["indptr"]), shape=shape))
    if "X" in members:
        X = members["X"]
        if X.ndim == 2:
            return X
        raise InvalidInputError(f"{path}: X has shape {X.shape}. Store it with two dimensions.")
    raise InvalidInputError(
        f"{path}: found the members {_listed(members)}. Store X, or indices, indptr and shape of a CSR "
        "matrix, or use scipy.sparse.save_npz."
    )


def _checked(path: Path, matrix: Any) -> Any:
    """Check the structure before anything selects rows: scipy would read out of bounds."""
    name = f"{path}: the matrix"
    if matrix.format not in ("csr", "csc"):
        return as_csr(matrix, name)
    check_structure(matrix, name)
    return matrix


def _target(path: Path, members: Any, target: str | None) -> Any:
    name = "y" if target is None else target
    if name in members:
        y = members[name]
        return y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if target is None:
        return None
    raise InvalidInputError(f"{path}: no member {target!r}. Choose target from {_listed(members)}.")


def _listed(members: Any) -> str:
    return ", ".join(sorted(members)) or "(none)"
