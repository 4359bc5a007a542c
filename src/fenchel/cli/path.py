"""The command ``fenchel path``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fenchel.cli import options
from fenchel.cli.choices import LossName, SolverName, Weighting
from fenchel.cli.failures import INTERRUPTED, check_writable, reported, say
from fenchel.cli.fit import given, lower_bound, make_estimator
from fenchel.cli.reading import Reading, read_bound, read_labelled, read_numbers

if TYPE_CHECKING:
    from fenchel.driver.path_result import PathResult

__all__ = ["path"]

HEADER = ("strength", "nonzeros", "explained", "objective", "rel. gap", "passes", "time")


def path(
    data: options.Data,
    loss: options.Loss = LossName.logistic,
    l1_ratio: options.L1Ratio = 1.0,
    n_strengths: options.NStrengths = 100,
    ratio: options.Ratio = 1e-2,
    nonnegative: options.NonNegative = False,
    lower: options.Lower = None,
    upper: options.Upper = None,
    penalty_weights: options.PenaltyWeights = None,
    no_intercept: options.NoIntercept = False,
    standardize: options.Standardize = False,
    class_weight: options.ClassWeight = Weighting.none,
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
    stop_early: options.StopEarly = False,
    solver: options.Solver = SolverName.auto,
    seed: options.Seed = 0,
    out: options.OutPath = None,
    plot: options.Plot = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit a path of penalty strengths, each from the one before, and prove every point.

    The penalty is the strength times r |w|_1 + (1 - r) / 2 |w|^2, with r of --l1-ratio. The largest strength
    is the smallest one at which every coefficient is zero. Ctrl-C and --time-limit keep the strengths that
    are done.
    """
    with reported():
        check_writable(out, "--out", data)
        check_writable(plot, "--plot", data)
        estimator = make_estimator(
            loss.value,
            class_weight.value,
            loss_parameters=given(threshold=threshold, level=level, margin=margin, width=width),
            penalty_weights=read_numbers(penalty_weights, "--penalty-weights"),
            lower=lower_bound(lower, nonnegative),
            upper=read_bound(upper, "--upper"),
            standardize=standardize,
            fit_intercept=not no_intercept,
        )
        dataset = read_labelled(data, Reading.of(target, drop), n_features)

        from fenchel.driver.path import path as along
        from fenchel.driver.path_limits import PathLimits
        from fenchel.driver.stopping import MaxPasses, RelativeGap
        from fenchel.estimators.path_problem import path_problem

        result = along(
            path_problem(estimator, dataset.X, dataset.y, l1_ratio),
            n_strengths,
            ratio,
            solver=solver.value,
            stopping=RelativeGap(tol) | MaxPasses(max_passes),
            limits=PathLimits() if stop_early else None,
            time_limit=time_limit,
            rng=seed,
        )
        if len(result) == 0:
            say("error", f"{data}: {result.message} before there was a point")
            raise typer.Exit(INTERRUPTED if result.interrupted else 0)
        if out is not None:
            _save(out, result, dataset.feature_names)
        if plot is not None:
            _draw(plot, result, dataset.feature_names)
        _report(result, data, json, quiet)
        if result.interrupted:
            raise typer.Exit(INTERRUPTED)


def _save(path: Path, result: PathResult, feature_names: tuple[str, ...] | None) -> None:
    """Write the points and their certificates to an npz file of exactly this name."""
    import numpy as np

    certificates = result.certificates
    arrays: dict[str, Any] = {
        "strengths": result.strengths,
        "coefficients": result.coefficients,
        "intercepts": result.intercepts,
        "dual_points": np.stack([certificate.dual_point for certificate in certificates]),
        "primal": np.array([certificate.primal for certificate in certificates]),
        "dual": np.array([certificate.dual for certificate in certificates]),
        "explained": result.explained,
        "nonzeros": result.nonzeros,
        "solved": np.array([status.solved for status in result.statuses]),
    }
    if feature_names is not None:
        arrays["feature_names"] = np.array(feature_names)
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _draw(path: Path, result: PathResult, feature_names: tuple[str, ...] | None) -> None:
    from fenchel.errors import InvalidInputError
    from fenchel.plotting import plot_path, require_matplotlib

    figures = require_matplotlib("matplotlib.figure")
    figure = figures.Figure(figsize=(7, 5), layout="constrained")
    plot_path(result, figure.add_subplot(), labels=feature_names)
    try:
        figure.savefig(path)
    except ValueError as error:
        raise InvalidInputError(f"--plot {path}: {error}. Use a name such as path.png.") from error


def _report(result: PathResult, data: Path, json: bool, quiet: bool) -> None:
    from fenchel.cli.output import print_json, print_table

    if json:
        print_json(_content(result, data))
        return
    if result.interrupted:
        say("interrupted", f"{len(result)} strengths were done")
    if not quiet:
        print_table(f"{data}\n{result.message}", [_row(point) for point in result.points], HEADER)


def _row(point: Any) -> tuple[str, ...]:
    return (
        f"{point.strength:.6g}",
        str(point.nonzeros),
        f"{point.explained:.4f}",
        f"{point.certificate.primal:.10g}",
        f"{point.certificate.relative_gap:.1e}",
        f"{point.passes:.1f}",
        f"{point.seconds:.3f} s",
    )


def _content(result: PathResult, data: Path) -> dict[str, Any]:
    """The content of ``fenchel path --json``."""
    return {
        "command": "path",
        "data": str(data),
        "message": result.message,
        "interrupted": result.interrupted,
        "solved": result.solved,
        "points": [
            {
                "strength": point.strength,
                "status": point.status.name.lower(),
                "nonzeros": point.nonzeros,
                "explained": point.explained,
                "primal": point.certificate.primal,
                "dual": point.certificate.dual,
                "gap": point.certificate.gap,
                "relative_gap": point.certificate.relative_gap,
                "passes": point.passes,
                "seconds": point.seconds,
            }
            for point in result.points
        ],
    }
