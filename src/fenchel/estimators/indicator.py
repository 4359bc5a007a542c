"""Multilabel targets of any form as the rows of each label, never as a dense matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from fenchel._kernels.views import SparseLines
from fenchel.design import as_design
from fenchel.design.values import real_array
from fenchel.errors import InvalidInputError
from fenchel.typing import FloatArray

__all__ = ["Form", "Indicator"]

_COLLECTIONS = (tuple, set, frozenset)


class Form(Enum):
    """How the user gave the targets, and gets the predictions."""

    DENSE = "a dense indicator matrix"
    SPARSE = "a sparse indicator matrix"
    LABELS = "a list with the labels of each sample"


@dataclass(frozen=True, eq=False)
class Indicator(Sequence[FloatArray]):
    """Which sample has which label; as a sequence, the target of -1 and +1 of each label.

    Attributes
    ----------
    matrix : csc_array of shape (n_samples, n_labels)
        One at the labels of each sample, with nothing else stored.
    classes : ndarray of shape (n_labels,)
        The label of each column: the sorted labels, or the numbers of the columns.
    form : Form
    """

    matrix: Any
    classes: npt.NDArray[Any]
    form: Form

    @classmethod
    def of(cls, y: Any, n_samples: int, classes: npt.NDArray[Any] | None = None) -> Indicator:
        """Check the targets; ``classes`` are those of a fit that they must agree with."""
        rows = _collections(y)
        if rows is None:
            found = cls._from_matrix(y, n_samples)
            if classes is not None and len(classes) != len(found.classes):
                raise InvalidInputError(
                    f"y has {len(found.classes)} columns, but the model has {len(classes)} labels. Pass one "
                    "column for each label."
                )
            return found
        _check_length(len(rows), n_samples)
        known = _sorted_labels(rows) if classes is None else classes
        return cls(_from_collections(rows, known), known, Form.LABELS)

    @classmethod
    def _from_matrix(cls, y: Any, n_samples: int) -> Indicator:
        y = y if sp.issparse(y) else np.asarray(y)
        shape = y.shape
        if len(shape) != 2 or shape[1] == 0:
            raise InvalidInputError(
                f"y has shape {shape}, but multilabel targets are an indicator matrix of shape (n_samples, "
                "n_labels), or a list with a tuple or set of labels for each sample. Use Classifier for one "
                "label a sample."
            )
        _check_length(shape[0], n_samples)
        matrix = _from_sparse(y) if sp.issparse(y) else _from_dense(y)
        form = Form.SPARSE if sp.issparse(y) else Form.DENSE
        return cls(matrix, np.arange(shape[1]), form)

    def __len__(self) -> int:
        return int(self.matrix.shape[1])

    @overload
    def __getitem__(self, label: int) -> FloatArray: ...

    @overload
    def __getitem__(self, label: slice) -> list[FloatArray]: ...

    def __getitem__(self, label: int | slice) -> FloatArray | list[FloatArray]:
        chosen = range(len(self))[label]
        return [self._target(one) for one in chosen] if isinstance(chosen, range) else self._target(chosen)

    def _target(self, label: int) -> FloatArray:
        first, last = self.matrix.indptr[label : label + 2]
        target = np.full(self.matrix.shape[0], -1.0)
        target[self.matrix.indices[first:last]] = 1.0
        return target


def _collections(y: Any) -> list[Any] | None:
    """The labels of each sample, when that is the form of ``y``; None for a matrix."""
    if sp.issparse(y):
        return None
    kinds: tuple[type, ...] = _COLLECTIONS
    if hasattr(y, "__array__"):
        y = np.asarray(y)
        if y.ndim != 1 or y.dtype != object:
            return None
        # An array of objects has no other way to hold label lists of different lengths.
        kinds = (*_COLLECTIONS, list, np.ndarray)
    rows = list(y)
    collected = [isinstance(row, kinds) for row in rows]
    if not any(collected):
        return None
    if not all(collected):
        row = collected.index(False)
        raise InvalidInputError(
            f"y has {rows[row]!r} at row {row}, where other rows are collections of labels. Pass a tuple or "
            "a set for each sample, () for one without labels."
        )
    return rows


def _sorted_labels(rows: list[Any]) -> npt.NDArray[Any]:
    """Return the labels in ascending order: integers when all are, objects otherwise."""
    found = set(chain.from_iterable(rows))
    if not found:
        raise InvalidInputError("y has no label at all: nothing can be learnt. Pass samples with labels.")
    try:
        labels = sorted(found)
    except TypeError as error:
        raise InvalidInputError(f"y mixes labels without a common order: {error}. Use one type.") from error
    integers = all(isinstance(label, int | np.integer) for label in labels)
    classes = np.empty(len(labels), dtype=np.int64 if integers else object)
    classes[:] = labels
    return classes


def _from_collections(rows: list[Any], classes: npt.NDArray[Any]) -> Any:
    column = {label: number for number, label in enumerate(classes.tolist())}
    try:
        indices = [sorted({column[label] for label in row}) for row in rows]
    except KeyError as error:
        raise InvalidInputError(
            f"y has the label {error.args[0]!r}, which the model does not know. Pass the labels of the fit, "
            "see classes_."
        ) from error
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in indices])])
    flat = np.fromiter(chain.from_iterable(indices), dtype=np.int64, count=int(indptr[-1]))
    ones = np.ones(len(flat), dtype=np.int8)
    return sp.csr_array((ones, flat, indptr), shape=(len(rows), len(classes))).tocsc()


def _from_sparse(y: Any) -> Any:
    # The structural checks of the data matrix: an index out of range must be an error, never a crash.
    lines = as_design(y, name="y").columns
    assert isinstance(lines, SparseLines)
    _check_binary(lines.data)
    stored = sp.csc_array(
        (lines.data.astype(np.int8), lines.indices.copy(), lines.indptr), shape=(lines.length, lines.n_lines)
    )
    stored.eliminate_zeros()
    return stored


def _from_dense(y: npt.NDArray[Any]) -> Any:
    array = y if y.dtype.kind in "biu" else real_array(y, "y")
    _check_binary(array)
    return sp.csc_array(array.astype(bool))


def _check_binary(values: npt.NDArray[Any]) -> None:
    if np.isnan(values).any():
        raise InvalidInputError(
            "y has NaN: a fit needs a label or none for every sample (no NaN, no infinity). Drop these rows."
        )
    if not np.all((values == 0) | (values == 1)):
        raise InvalidInputError(
            "Unknown label type: y has values other than 0 and 1, but an indicator matrix says for every "
            "sample and label whether it applies. Pass 0 and 1, or use Classifier for one label a sample."
        )


def _check_length(found: int, n_samples: int) -> None:
    if found != n_samples:
        raise InvalidInputError(
            f"y has {found} rows, but there are {n_samples} samples. Pass the labels of each sample."
        )
