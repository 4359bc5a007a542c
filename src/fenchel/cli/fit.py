"""The command ``fenchel fit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fenchel.cli import options
from fenchel.cli.choices import LossName, Several, SolverName, Weighting
from fenchel.cli.failures import INTERRUPTED, check_writable, reported, say
from fenchel.cli.reading import Reading, read_bound, read_labelled, read_numbers
from fenchel.cli.regularizers import read_penalty_and_constraint
from fenchel.cli.summary import fit_json, fit_rows, problem_rows
from fenchel.cli.training import train

if TYPE_CHECKING:
    from fenchel.driver.stopping import Progress
    from fenchel.estimators.classifier import Classifier
    from fenchel.estimators.regressor import Regressor
    from fenchel.typing import FloatArray

__all__ = ["fit", "given", "lower_bound", "make_estimator", "wants_bar"]


def fit(
    data: options.Data,
    loss: options.Loss = LossName.logistic,
    l1: options.L1 = "0",
    l2: options.L2 = None,
    nonnegative: options.NonNegative = False,
    lower: options.Lower = None,
    upper: options.Upper = None,
    penalty_weights: options.PenaltyWeights = None,
    penalty: options.Penalty = None,
    constraint: options.Constraint = None,
    groups: options.Groups = None,
    no_intercept: options.NoIntercept = False,
    standardize: options.Standardize = False,
    class_weight: options.ClassWeight = Weighting.none,
    multi_class: options.MultiClass = Several.auto,
    threshold: options.Threshold = None,
    level: options.Level = None,
    margin: options.Margin = None,
    width: options.Width = None,
    target: options.Target = None,
    drop: options.Drop = None,
    n_features: options.NFeatures = None,
    tol: options.Tol = 1e-6,
    max_passes: options.MaxPasses = 10_000.0,
    time_limit: options.TimeLimit = None,
    solver: options.Solver = SolverName.auto,
    seed: options.Seed = 0,
    checkpoint: options.Checkpoint = None,
    resume: options.Resume = None,
    out: options.OutModel = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    progress: options.Progress = None,
) -> None:
    """Fit a model and prove how far it is from the best one.

    The objective is the mean loss plus the penalty. The classes give one problem; more than two of them one
    each, against the rest, with --multi-class one_vs_rest and for losses that have no form for all at once. A
    fit that stops early exits with code 0 too: its model is usable, its certificate true, and the
    output tells the status.
    """
    with reported():
        check_writable(out, "--out", data)
        check_writable(checkpoint, "--checkpoint", data)
        estimator = make_estimator(
            loss.value,
            class_weight.value,
            multi_class.value,
            loss_parameters=given(threshold=threshold, level=level, margin=margin, width=width),
            l1=_strength(l1),
            l2=l2,
            penalty_weights=read_numbers(penalty_weights, "--penalty-weights"),
            lower=lower_bound(lower, nonnegative),
            upper=read_bound(upper, "--upper"),
            **read_penalty_and_constraint(penalty, constraint, groups),
            standardize=standardize,
            fit_intercept=not no_intercept,
            tol=tol,
            max_passes=max_passes,
            time_limit=time_limit,
            solver=solver.value,
            random_state=seed,
            verbose=int(wants_bar(progress, quiet or verbose)),
            callback=_print_progress if verbose and not quiet else None,
        )
        reading = Reading.of(target, drop)
        dataset = read_labelled(data, reading, n_features)
        outcome = train(
            estimator,
            dataset.X,
            dataset.y,
            feature_names=dataset.feature_names,
            reading={"target": reading.target, "drop": reading.drop},
            checkpoint=checkpoint,
            resume=resume,
        )
        if out is not None:
            _save(out, outcome.model)
        _report(outcome, data, out, json, quiet)
        if outcome.status.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)


def make_estimator(
    loss: str, class_weight: str = "none", multi_class: str = "auto", **parameters: Any
) -> Classifier | Regressor:
    """Return the estimator that the loss belongs to."""
    from fenchel.errors import InvalidInputError
    from fenchel.estimators.classifier import Classifier
    from fenchel.estimators.regressor import Regressor
    from fenchel.losses.registry import LOSSES

    if LOSSES[loss].task != "regression":
        balanced = None if class_weight == "none" else class_weight
        return Classifier(loss, class_weight=balanced, multi_class=multi_class, **parameters)
    for option, value, blank in (
        ("--class-weight", class_weight, "none"),
        ("--multi-class", multi_class, "auto"),
    ):
        if value != blank:
            raise InvalidInputError(
                f"{option} {value} needs classes, but the loss {loss!r} is for regression. Leave it out."
            )
    return Regressor(loss, **parameters)


def wants_bar(progress: bool | None, silent: bool) -> bool:
    """Show a bar when it was asked for, else when stderr is a terminal and nothing forbids it."""
    if progress is not None:
        return progress
    return not silent and sys.stderr.isatty()


def given(**parameters: float | None) -> dict[str, float]:
    """The parameters of the loss that were given."""
    return {name: value for name, value in parameters.items() if value is not None}


def _strength(text: str) -> float | str:
    """Take a number as it is; the estimator understands the rest, or refuses it."""
    try:
        return float(text)
    except ValueError:
        return text


def lower_bound(text: str | None, nonnegative: bool) -> float | FloatArray | None:
    """The lower bound of the two options that set it."""
    from fenchel.errors import InvalidInputError

    if not nonnegative:
        return read_bound(text, "--lower")
    if text is not None:
        raise InvalidInputError("--nonnegative and --lower both set the lower bound. Give one of them.")
    return 0.0


def _print_progress(progress: Progress) -> None:
    certificate = progress.certificate
    print(
        f"pass {progress.passes:.1f}  primal {certificate.primal:.10g}  dual {certificate.dual:.10g}  "
        f"gap {certificate.relative_gap:.2e}  nonzeros {progress.nonzeros}  {progress.seconds:.2f} s",
        file=sys.stderr,
    )


def _save(path: Path, model: Any) -> None:
    from fenchel.estimators.model_file import save_model

    save_model(path, model)


def _report(outcome: Any, data: Path, out: Path | None, json: bool, quiet: bool) -> None:
    from fenchel.cli.output import print_json, print_table

    if json:
        print_json(fit_json(outcome, data, out))
        return
    if outcome.status.name == "INTERRUPTED":
        say("interrupted", outcome.message if out is None else f"the best model so far is in {out}")
    if quiet:
        return
    print_table(str(data), fit_rows(outcome, out))
    if outcome.model.n_problems > 1:
        header = ("class", "objective", "gap", "rel. gap", "nonzeros")
        print_table("One problem a class", problem_rows(outcome.model), header)
