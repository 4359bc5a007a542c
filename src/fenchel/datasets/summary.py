"""What a dataset looks like, in a few numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from fenchel.datasets.dataset import Dataset
from fenchel.design.blocks import row_slices

__all__ = ["describe"]

_FEW_CLASSES = 5
_ROWS_PER_CLASS = 10


def describe(dataset: Dataset) -> dict[str, Any]:
    """Summarise a dataset as plain Python values, ready for printing or for JSON.

    Returns
    -------
    dict
        ``name``; ``n``, ``d``; ``nnz`` (entries other than zero) and ``density``; ``dtype`` of the
        values; ``sparse``; ``non_finite`` (NaN and infinite entries); ``value_range`` (smallest and
        largest finite entry, implicit zeros included, or None); ``empty_rows`` and
        ``empty_columns`` (zeros only); ``target`` and ``class_counts``.

        ``target`` is "none", "multi-output", "constant", "binary", "multiclass" or "regression".
        Numbers count as classes when there are two of them, or when they are whole and either at
        most 5 or repeated 10 times on average. ``class_counts`` is None without classes.

    Notes
    -----
    Reads the entries once, in blocks: a sparse matrix is not made dense, a dense one not copied.

    Examples
    --------
    >>> from fenchel.datasets import describe, load_demo
    >>> summary = describe(load_demo("breast_cancer"))
    >>> summary["n"], summary["d"], summary["class_counts"]
    (569, 30, {0: 212, 1: 357})
    """
    n, d = dataset.X.shape
    row_counts, column_counts, non_finite, value_range = _scan(dataset.X)
    nnz = int(row_counts.sum())
    target, class_counts = _describe_target(dataset.y)
    return {
        "name": dataset.name,
        "n": n,
        "d": d,
        "nnz": nnz,
        "density": nnz / max(1, n * d),
        "dtype": str(dataset.X.dtype),
        "sparse": bool(sp.issparse(dataset.X)),
        "non_finite": non_finite,
        "value_range": value_range,
        "empty_rows": int(np.count_nonzero(row_counts == 0)),
        "empty_columns": int(np.count_nonzero(column_counts == 0)),
        "target": target,
        "class_counts": class_counts,
    }


def _scan(X: Any) -> tuple[Any, Any, int, tuple[float, float] | None]:
    """Count the entries other than zero of each row and column, and find the range of the values."""
    n, d = X.shape
    if sp.issparse(X):
        matrix = X.tocsr()
        stored = matrix.data != 0
        row_of_entry = np.repeat(np.arange(n), np.diff(matrix.indptr))[stored]
        row_counts = np.bincount(row_of_entry, minlength=n)
        column_counts = np.bincount(matrix.indices[stored], minlength=d)
        blocks = [matrix.data] if len(matrix.data) == n * d else [matrix.data, np.zeros(1)]
    else:
        row_counts, column_counts = np.zeros(n, dtype=np.int64), np.zeros(d, dtype=np.int64)
        blocks = [X[rows] for rows in row_slices(n, d)]
        for rows, block in zip(row_slices(n, d), blocks, strict=True):
            row_counts[rows] = np.count_nonzero(block, axis=1)
            column_counts += np.count_nonzero(block, axis=0)
    non_finite, lowest, highest = 0, np.inf, -np.inf
    for block in blocks:
        finite = np.isfinite(block)
        values = block if finite.all() else block[finite]
        non_finite += block.size - values.size
        if values.size:
            lowest, highest = min(lowest, float(values.min())), max(highest, float(values.max()))
    return row_counts, column_counts, non_finite, (lowest, highest) if lowest <= highest else None


def _describe_target(y: Any) -> tuple[str, dict[Any, int] | None]:
    if y is None:
        return "none", None
    if y.ndim > 1:
        return "multi-output", None
    # Objects of mixed types have no order.
    labels, counts = np.unique(y.astype(str) if y.dtype == object else y, return_counts=True)
    if not _are_classes(labels, len(y)):
        return "regression", None
    kind = {1: "constant", 2: "binary"}.get(len(labels), "multiclass")
    return kind, {_plain(label): int(count) for label, count in zip(labels.tolist(), counts, strict=True)}


def _are_classes(labels: Any, n: int) -> bool:
    if labels.dtype.kind not in "fiu" or len(labels) <= 2:
        return True
    whole = bool(np.all(np.isfinite(labels))) and bool(np.all(labels == np.floor(labels)))
    return whole and len(labels) <= max(_FEW_CLASSES, n // _ROWS_PER_CLASS)


def _plain(label: Any) -> Any:
    """Show a whole float as the integer that it is."""
    return int(label) if isinstance(label, float) and label.is_integer() else label
