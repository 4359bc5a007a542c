"""The command ``fenchel predict``."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any, TextIO

from fenchel.cli import options
from fenchel.cli.failures import check_writable, reported, say

if TYPE_CHECKING:
    from fenchel.estimators.saved_model import SavedModel

__all__ = ["predict"]

_BLOCK = 10_000
"""Rows that are scored and written at a time: their scores become Python floats."""


def predict(model: options.Model, data: options.Data, out: options.OutScores = None) -> None:
    """Score new data with a saved model, as CSV with a header.

    Regression gives one column, the prediction. Two classes give the score (positive for the second class)
    and the label, more classes one score each and the label; the logistic and the softmax loss add one
    probability a class.
    A table needs the columns of the training file by name; targets are not needed. svmlight text may have
    fewer or more columns than the model.
    """
    with reported():
        from fenchel.cli.reading import read_features
        from fenchel.design.validation import as_design
        from fenchel.estimators.model_file import load_model

        check_writable(out, "--out", data, model)
        saved = load_model(model)
        X, note = read_features(data, saved)
        if note is not None:
            say("note", note)
        # Checked as a whole: an unusable value must not leave a file that ends in the middle.
        as_design(X)
        if out is None:
            _write(sys.stdout, saved, X)
            return
        with out.open("w", newline="", encoding="utf-8") as stream:
            _write(stream, saved, X)


def _write(stream: TextIO, model: SavedModel, X: Any) -> None:
    """Write block by block; floats are written so that reading them gives the same floats."""
    writer = csv.writer(stream, lineterminator="\n")
    rows = X.tocsr() if hasattr(X, "tocsr") else X
    for start in range(0, X.shape[0], _BLOCK):
        header, columns = _columns(model, rows[start : start + _BLOCK])
        if start == 0:
            writer.writerow(header)
        writer.writerows(zip(*columns, strict=True))


def _columns(model: SavedModel, X: Any) -> tuple[list[str], list[list[Any]]]:
    """The names and the values of the columns."""
    from fenchel.cli.output import label_text, plain_label
    from fenchel.estimators.classifier import Classifier
    from fenchel.estimators.conversion import to_estimator

    estimator = to_estimator(model)
    if not isinstance(estimator, Classifier):
        return ["prediction"], [estimator.predict(X).tolist()]
    names = [label_text(label) for label in estimator.classes_]
    scores = estimator.decision_function(X)
    single = scores.ndim == 1
    header = ["score"] if single else [f"score_{name}" for name in names]
    columns = [scores.tolist()] if single else scores.T.tolist()
    header.append("label")
    columns.append([plain_label(label) for label in estimator.predict(X)])
    if hasattr(estimator, "predict_proba"):
        header += [f"probability_{name}" for name in names]
        columns += estimator.predict_proba(X).T.tolist()
    return header, columns
