"""A finished fit in words and numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fenchel.cli.output import certificate_numbers, label_text, plain_label

if TYPE_CHECKING:
    from fenchel.cli.training import Outcome
    from fenchel.estimators.saved_model import Claim, SavedModel
    from fenchel.regularizers.base import Regularizer

__all__ = ["fit_json", "fit_rows", "problem_label", "problem_rows", "problem_text"]


def total(model: SavedModel) -> Claim:
    """The claims of problems that do not interact, added up."""
    from fenchel.estimators.saved_model import Claim

    columns = list(zip(*model.claims, strict=True))
    return Claim(sum(columns[0]), sum(columns[1]), sum(columns[2]), max(columns[3]))


def problem_label(model: SavedModel, index: int) -> Any:
    """The class that problem ``index`` tells from the rest; None where it does no such thing."""
    if model.classes is None or model.loss.vector_output:
        return None
    return plain_label(model.classes[1 if len(model.classes) == 2 else index])


def fit_json(outcome: Outcome, data: Path, out: Path | None) -> dict[str, Any]:
    """The content of ``fenchel fit --json``."""
    model = outcome.model
    return {
        "command": "fit",
        "data": str(data),
        "model": None if out is None else str(out),
        "status": outcome.status.name.lower(),
        "solved": outcome.status.solved,
        "message": outcome.message,
        "loss": model.loss.name,
        "regularizer": model.regularizer.name,
        "problem": problem_text(model),
        "n_samples": model.data.n_samples,
        "n_features": model.data.n_features,
        "classes": None if model.classes is None else [plain_label(label) for label in model.classes],
        **certificate_numbers(total(model)),
        "nonzeros": _nonzeros(model),
        "n_coefficients": int(model.coefficients.size),
        "passes": outcome.passes,
        "seconds": outcome.seconds,
        "solver": outcome.solver,
        "problems": [
            {
                "class": problem_label(model, index),
                **certificate_numbers(claim),
                "nonzeros": _nonzeros(model, index),
            }
            for index, claim in enumerate(model.claims)
        ],
    }


def fit_rows(outcome: Outcome, out: Path | None) -> list[tuple[str, str]]:
    """The rows of the table that ends a fit."""
    model = outcome.model
    numbers = certificate_numbers(total(model))
    size = int(model.coefficients.size)
    rows = [
        ("problem", problem_text(model)),
        ("data", f"{model.data.n_samples} rows, {model.data.n_features} features"),
        ("status", outcome.message),
        ("objective", f"{numbers['primal']:.10g}"),
        ("certified gap", f"{numbers['gap']:.3e}"),
        ("relative gap", f"{numbers['relative_gap']:.3e}"),
        ("nonzeros", f"{_nonzeros(model)} of {size} ({_nonzeros(model) / size:.1%})"),
        ("passes", f"{outcome.passes:.1f}"),
        ("time", f"{outcome.seconds:.2f} s"),
        ("solver", outcome.solver),
    ]
    if numbers["radius"] > 0:
        rows.insert(6, ("assumed bound on free coefficients", f"{numbers['radius']:.3g}"))
    return rows if out is None else [*rows, ("model file", str(out))]


def problem_rows(model: SavedModel) -> list[tuple[str, ...]]:
    """One row a class."""
    rows: list[tuple[str, ...]] = []
    for index, claim in enumerate(model.claims):
        numbers = certificate_numbers(claim)
        rows.append(
            (
                label_text(problem_label(model, index)),
                f"{claim.primal:.10g}",
                f"{claim.gap:.3e}",
                f"{numbers['relative_gap']:.3e}",
                str(_nonzeros(model, index)),
            )
        )
    return rows


def problem_text(model: SavedModel) -> str:
    """The problem that the model claims to solve."""
    from dataclasses import fields

    values = [f"{item.name}={getattr(model.loss, item.name):g}" for item in fields(model.loss)]
    parts = [
        f"{model.loss.name}{f'({values[0]})' if values else ''} loss",
        f"{'constraint' if model.regularizer.is_set else 'penalty'} {_penalty_text(model.regularizer)}",
        "with intercept" if model.fit_intercept else "without intercept",
    ]
    if model.n_problems > 1:
        parts.append("each class against the rest")
    return ", ".join(parts if model.class_weight is None else [*parts, f"{model.class_weight} classes"])


def _penalty_text(regularizer: Regularizer) -> str:
    """The regularizer with its numbers; arrays are only named."""
    from dataclasses import fields

    from fenchel.regularizers.standardized import Standardized

    if isinstance(regularizer, Standardized):
        return f"{_penalty_text(regularizer.penalty)} on standardized columns"
    values = ((item.name, getattr(regularizer, item.name)) for item in fields(regularizer))
    shown = [
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name} by feature"
        for name, value in values
        if value is not None
    ]
    return f"{regularizer.name}({', '.join(shown)})"


def _nonzeros(model: SavedModel, index: int | None = None) -> int:
    coefficients = model.coefficients if index is None else model.coordinates(index)[: model.data.n_features]
    return int((coefficients != 0).sum())
