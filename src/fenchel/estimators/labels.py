"""Labels of any kind to classes, and class weights to sample weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from fenchel.errors import InvalidInputError
from fenchel.losses import Loss
from fenchel.typing import FloatArray

__all__ = ["apply_class_weight", "check_labels", "class_targets", "find_classes", "foretold_classes"]

Labels = npt.NDArray[Any]


def check_labels(y: Any, n_samples: int) -> Labels:
    """Return one label a row, in an array that can be sorted.

    Raises ValueError for missing labels, continuous targets and labels of mixed types.
    """
    labels: Labels = column_or_1d(y, warn=True)
    if len(labels) != n_samples:
        raise InvalidInputError(
            f"y has {len(labels)} rows, but there are {n_samples} samples. Pass one label for each sample."
        )
    if labels.dtype.kind in "fO":
        _refuse_missing(labels)
    if labels.dtype == object:
        labels = _plain(labels)
    check_classification_targets(labels)
    return labels


def _refuse_missing(labels: Labels) -> None:
    for row, label in enumerate(labels):
        if _missing(label):
            raise InvalidInputError(
                f"y has {label} at row {row}: a fit needs a label for every sample (no NaN, no infinity). "
                "Drop the rows without one."
            )


def _missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label) or label in (np.inf, -np.inf)
    except TypeError:  # pandas.NA has no truth value
        return True


def _plain(labels: Labels) -> Labels:
    """Give an object array the type of its labels; all must be text, or all numbers."""
    text = [isinstance(label, str) for label in labels]
    if all(text):
        return labels
    if any(text):
        row = text.index(not text[0])
        raise InvalidInputError(
            f"y mixes {labels[0]!r} and {labels[row]!r} (row {row}): text and other labels have no "
            "common order. Use labels of one type."
        )
    return np.array(labels.tolist())


def find_classes(labels: Labels, sample_weight: FloatArray) -> Labels:
    """Return the sorted classes of the samples that count; raise ValueError when there is one only."""
    classes: Labels = np.unique(labels[sample_weight > 0])
    if len(classes) < 2:
        raise InvalidInputError(
            f"y has one class only, {classes.tolist()[0]!r} (samples of weight zero do not count): a "
            "classifier needs at least two classes. Pass samples of another class."
        )
    return classes


def foretold_classes(classes: npt.ArrayLike | None, known: Labels | None) -> Labels:
    """Return the sorted classes of a stream: those of its first call, which later calls may name again.

    Raises ValueError when there are none on the first call, a single one, or later others.
    """
    if classes is None:
        if known is None:
            raise InvalidInputError(
                "classes must be passed on the first call to partial_fit. Pass all labels that will come."
            )
        return known
    found: Labels = np.unique(np.asarray(classes))
    if known is None and found.size < 2:
        raise InvalidInputError(f"classes={classes!r} is one class only. Pass two or more.")
    if known is not None and not np.array_equal(found, known):
        raise InvalidInputError(
            f"classes={classes!r} is not the same as on the last call to partial_fit, {known.tolist()}. "
            "Leave it out."
        )
    return found


def class_targets(loss: Loss, labels: Labels, classes: Labels) -> list[FloatArray]:
    """Return the target of every problem: one-hot rows for a loss of all classes, else -1 and +1."""
    return [_one_hot(labels, classes)] if loss.vector_output else _one_against_rest(labels, classes)


def _one_hot(labels: Labels, classes: Labels) -> FloatArray:
    """A 1 in the column of the class; a row of none of them, which has no weight, counts as the first."""
    members: npt.NDArray[np.bool_] = labels[:, None] == classes
    members[:, 0] |= ~members.any(axis=1)
    return members.astype(np.float64)


def _one_against_rest(labels: Labels, classes: Labels) -> list[FloatArray]:
    """A target for each class; with two classes, for the second one alone."""
    positive = classes[1:] if len(classes) == 2 else classes
    return [np.where(labels == label, 1.0, -1.0) for label in positive]


def apply_class_weight(
    class_weight: Mapping[Any, float] | str | None, labels: Labels, classes: Labels, sample_weight: FloatArray
) -> FloatArray:
    """Multiply every sample weight by the weight of its class.

    "balanced" gives each class the same total weight, sample weights counted.
    """
    if class_weight is None:
        return sample_weight
    members = [labels == label for label in classes]
    if isinstance(class_weight, Mapping):
        factors = compute_class_weight(dict(class_weight), classes=classes, y=labels[np.any(members, axis=0)])
    elif isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.array([sample_weight[member].sum() for member in members])
        factors = totals.sum() / (len(classes) * totals)
    else:
        raise InvalidInputError(
            f"class_weight={class_weight!r} is neither a mapping nor 'balanced'. Pass {{label: weight}}, "
            "'balanced', or None."
        )
    result = sample_weight.copy()
    for member, factor in zip(members, factors, strict=True):
        result[member] *= factor
    return result
