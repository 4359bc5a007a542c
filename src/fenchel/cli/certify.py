"""The command ``fenchel certify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fenchel.cli import options
from fenchel.cli.failures import OVERCLAIMED, reported, say

if TYPE_CHECKING:
    from fenchel.estimators.recertify import Verdict
    from fenchel.estimators.saved_model import SavedModel

__all__ = ["certify", "verdict_rows"]

HEADER = ("class", "", "primal", "dual", "gap", "rel. gap", "claim")


def certify(model: options.Model, data: options.Data, json: options.Json = False) -> None:
    """Recompute a model's certificate from its training data, and compare it with the claim.

    Objective, dual value and gap are computed in float64 from the coefficients and the dual points of the
    file alone. The exit code is 1 when the file claims more than is true: an objective that is too small,
    or a dual value that is too large, by more than rounding (1e-9 of the larger of the two). The problem is
    the one that the file states, and it is shown: read it.
    """
    with reported():
        from fenchel.cli.output import print_json, print_table
        from fenchel.cli.reading import read_training
        from fenchel.cli.summary import problem_text
        from fenchel.estimators.model_file import load_model
        from fenchel.estimators.recertify import recertify

        saved = load_model(model)
        verdicts = recertify(saved, *read_training(data, saved), name=str(data))
        holds = all(verdict.holds for verdict in verdicts)
        if json:
            print_json(_content(model, data, saved, verdicts))
        else:
            print_table(f"{model} on {data}\n{problem_text(saved)}", verdict_rows(saved, verdicts), HEADER)
        if not holds:
            wrong = sorted({name for verdict in verdicts for name in verdict.objections})
            say("refuted", f"{model} claims more than is true of its {', '.join(wrong)}")
            raise typer.Exit(OVERCLAIMED)
        if not json:
            typer.echo("The certificate holds: nothing is claimed beyond what the data prove.")


def verdict_rows(model: SavedModel, verdicts: list[Verdict]) -> list[tuple[str, ...]]:
    """Two rows a problem: the claim, and what is true."""
    from fenchel.cli.output import certificate_numbers, label_text
    from fenchel.cli.summary import problem_label
    from fenchel.estimators.saved_model import Claim

    rows: list[tuple[str, ...]] = []
    for index, verdict in enumerate(verdicts):
        told = problem_label(model, index)
        label = "" if told is None else label_text(told)
        judged = "holds" if verdict.holds else f"refuted: {', '.join(verdict.objections)}"
        for kind, claim, word in (
            ("claimed", verdict.claim, ""),
            ("recomputed", Claim.of(verdict.proven), judged),
        ):
            relative_gap = certificate_numbers(claim)["relative_gap"]
            numbers = (
                f"{claim.primal:.10g}",
                f"{claim.dual:.10g}",
                f"{claim.gap:.3e}",
                f"{relative_gap:.3e}",
            )
            rows.append((label, kind, *numbers, word))
            label = ""
    return rows


def _content(model: Path, data: Path, saved: SavedModel, verdicts: list[Verdict]) -> dict[str, Any]:
    """The content of ``fenchel certify --json``."""
    from fenchel.cli.output import certificate_numbers
    from fenchel.cli.summary import problem_label, problem_text
    from fenchel.estimators.saved_model import Claim

    return {
        "command": "certify",
        "model": str(model),
        "data": str(data),
        "problem": problem_text(saved),
        "holds": all(verdict.holds for verdict in verdicts),
        "problems": [
            {
                "class": problem_label(saved, index),
                "holds": verdict.holds,
                "objections": list(verdict.objections),
                "claimed": certificate_numbers(verdict.claim),
                "recomputed": certificate_numbers(Claim.of(verdict.proven)),
            }
            for index, verdict in enumerate(verdicts)
        ],
    }
