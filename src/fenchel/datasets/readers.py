"""Reading a dataset from a file: the format follows from the ending of its name."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.datasets.archive import read_archive
from fenchel.datasets.dataset import Dataset
from fenchel.datasets.svmlight import read_svmlight
from fenchel.datasets.table import read_table
from fenchel.errors import InvalidInputError

__all__ = ["load_data"]

_COMPRESSIONS = (".gz", ".bz2", ".xz")


def load_data(
    path: str | PathLike[str],
    *,
    target: str | None = None,
    n_features: int | None = None,
    drop: float | str | None = None,
) -> Dataset:
    r"""Read a data matrix and its target from a file.

    Parameters
    ----------
    path : path-like
        The ending chooses the format:

        - ``.npz``: a scipy ``save_npz`` file of any format, with or without a member ``y``; or an
          archive of ``X`` and ``y``; or of the members ``indices``, ``indptr``, ``shape`` of a CSR
          matrix, ``data`` (all ones when absent) and ``y``. Members are read without pickle.
        - ``.csv``, also with ``.gz``, ``.bz2`` or ``.xz`` (needs pandas), and ``.parquet`` (needs
          pandas and pyarrow): a table of numbers with column names.
        - anything else: svmlight / LIBSVM text, plain or compressed by gzip, bzip2 or xz.
    target : str, optional
        The target's column in a table (default: the last one), or member in an archive
        (default: ``y``). svmlight text has one target, and takes none.
    n_features : int, optional
        The number of columns. svmlight text without it is as wide as its largest index, so a test
        file needs the width of its training file. In the other formats it is compared.
    drop : float or str, optional
        Rows whose target equals this value are left out, for files that mark unlabelled rows so.

    Returns
    -------
    Dataset

    Raises
    ------
    InvalidInputError
        When the file is missing, malformed, or needs a package that is not installed. The message
        is one line with the file, the cause and the way out.

    Notes
    -----
    The values are not checked here; :func:`fenchel.design.as_design` does that.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from fenchel.datasets import load_data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "tiny.svm"
    ...     _ = path.write_text("+1 1:0.5 3:2\n-1 2:1\n")
    ...     data = load_data(path)
    >>> data.X.shape, data.y
    ((2, 3), array([ 1., -1.]))
    """
    path = Path(path)
    if not path.is_file():
        raise InvalidInputError(f"{path}: there is no such file. Check the path.")
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _COMPRESSIONS:
        endings.pop()
    ending = endings[-1] if endings else ""
    names: tuple[str, ...] | None = None
    if ending == ".npz":
        X, y = read_archive(path, target)
    elif ending in (".csv", ".parquet"):
        X, y, names = read_table(path, ending, target)
    else:
        X, y = read_svmlight(path, target, n_features)
    _check_size(path, X, y, n_features)
    if drop is not None:
        X, y = _drop_rows(path, X, y, drop)
    return Dataset(X, y, names, path.name.split(".")[0])


def _check_size(path: Path, X: Any, y: Any, n_features: int | None) -> None:
    if y is not None and len(y) != X.shape[0]:
        raise InvalidInputError(
            f"{path}: the matrix has {X.shape[0]} rows, but the target has {len(y)}. Rebuild the file."
        )
    if n_features is not None and X.shape[1] != n_features:
        raise InvalidInputError(
            f"{path}: the matrix has {X.shape[1]} columns, not n_features={n_features}. Leave n_features out."
        )


def _drop_rows(path: Path, X: Any, y: Any, drop: float | str) -> tuple[Any, Any]:
    if y is None or y.ndim != 1:
        raise InvalidInputError(f"{path}: drop={drop!r} needs a target with one value a row. Leave drop out.")
    kept = np.flatnonzero(y != drop)
    if len(kept) == 0:
        raise InvalidInputError(f"{path}: drop={drop!r} leaves no row. Choose another value.")
    matrix = X.tocsr() if sp.issparse(X) else X
    return matrix[kept], y[kept]
