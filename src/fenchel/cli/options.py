"""The arguments and options of the commands: their names, their help, and the panel that shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fenchel.cli.choices import LossName, Several, SolverName, Weighting

__all__ = [
    "L1",
    "L2",
    "Checkpoint",
    "ClassWeight",
    "Constraint",
    "Data",
    "Drop",
    "Groups",
    "Json",
    "L1Ratio",
    "Level",
    "Loss",
    "Lower",
    "Margin",
    "MaxPasses",
    "Model",
    "MultiClass",
    "NFeatures",
    "NStrengths",
    "NoIntercept",
    "NonNegative",
    "Norm",
    "OutModel",
    "OutPath",
    "OutScores",
    "OutVerdict",
    "Penalty",
    "PenaltyWeights",
    "Plot",
    "Progress",
    "Quiet",
    "Ratio",
    "Resume",
    "Seed",
    "Solver",
    "Standardize",
    "StopEarly",
    "Target",
    "Threshold",
    "TimeLimit",
    "Tol",
    "Upper",
    "Verbose",
    "Width",
]

_PROBLEM, _DATA, _RUN, _OUTPUT = "The problem", "The data", "The run", "The output"


# Arguments

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        show_default=False,
        help="svmlight text (plain, .gz, .bz2, .xz), .npz (X and y, or scipy's save_npz), .csv or .parquet.",
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", show_default=False, help="A model file that 'fenchel fit --out' wrote."),
]

# The problem

Loss = Annotated[LossName, typer.Option(help="The loss.", rich_help_panel=_PROBLEM)]
L1 = Annotated[
    str,
    typer.Option(
        metavar="STRENGTH",
        rich_help_panel=_PROBLEM,
        help="Strength of the l1 penalty: a number, or a share such as 0.05max of the smallest strength at "
        "which every coefficient is zero.",
    ),
]
L2 = Annotated[
    float | None,
    typer.Option(
        metavar="STRENGTH",
        rich_help_panel=_PROBLEM,
        help="Strength of the l2 penalty; by default 1e-4 when --l1 is not given, else 0.",
    ),
]
L1Ratio = Annotated[
    float,
    typer.Option(
        help="Share of the l1 part in the penalty: 1 for a lasso, 0 for a ridge.", rich_help_panel=_PROBLEM
    ),
]
NStrengths = Annotated[int, typer.Option(min=1, help="Number of strengths.", rich_help_panel=_PROBLEM)]
Ratio = Annotated[float, typer.Option(help="Smallest strength over the largest.", rich_help_panel=_PROBLEM)]
NonNegative = Annotated[
    bool, typer.Option("--nonnegative", help="Same as --lower 0.", rich_help_panel=_PROBLEM)
]
Lower = Annotated[
    str | None,
    typer.Option(
        metavar="BOUND",
        rich_help_panel=_PROBLEM,
        help="Lower bound on the coefficients: a number, or a file of one number a feature (text or .npy).",
    ),
]
Upper = Annotated[
    str | None,
    typer.Option(metavar="BOUND", rich_help_panel=_PROBLEM, help="Upper bound, in the same form."),
]
PenaltyWeights = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=_PROBLEM,
        help="One factor a feature on --l1 and --l2 (text or .npy); 0 leaves a feature unpenalised.",
    ),
]
Penalty = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[:NUMBER...]",
        rich_help_panel=_PROBLEM,
        help="The whole penalty, in place of --l1 and --l2: its name and numbers, such as squared_lp:1.2 or, "
        "with --groups, group_l2:0.1.",
    ),
]
Constraint = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[:NUMBER...]",
        rich_help_panel=_PROBLEM,
        help="The set of the coefficients, in place of bounds: its name and numbers, such as l1_ball:5, "
        "l2_ball:5, simplex or, with --groups, group_l2_ball:5.",
    ),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=_PROBLEM,
        help="One label a feature (text or .npy), for a penalty or a constraint of groups.",
    ),
]
NoIntercept = Annotated[
    bool,
    typer.Option(
        "--no-intercept", help="Fit without an intercept, which is never penalised.", rich_help_panel=_PROBLEM
    ),
]
Standardize = Annotated[
    bool,
    typer.Option(
        "--standardize",
        rich_help_panel=_PROBLEM,
        help="Penalise every column as if it had unit scale; the coefficients stay in the units of the data.",
    ),
]
ClassWeight = Annotated[
    Weighting,
    typer.Option(help="'balanced' gives every class the same total weight.", rich_help_panel=_PROBLEM),
]
MultiClass = Annotated[
    Several,
    typer.Option(
        help="More than two classes as one problem ('native'), or each against the rest; 'auto' takes the "
        "first for the losses that have it.",
        rich_help_panel=_PROBLEM,
    ),
]
Threshold = Annotated[
    float | None, typer.Option(help="Threshold of the huber loss (default 1).", rich_help_panel=_PROBLEM)
]
Level = Annotated[
    float | None, typer.Option(help="Level of the quantile loss (default 0.5).", rich_help_panel=_PROBLEM)
]
Margin = Annotated[
    float | None,
    typer.Option(help="Margin of the epsilon_insensitive loss (default 0.1).", rich_help_panel=_PROBLEM),
]
Width = Annotated[
    float | None,
    typer.Option(help="Width of the smoothed_hinge loss (default 1).", rich_help_panel=_PROBLEM),
]

# The data

Target = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=_DATA,
        help="Column (default: the last) or npz member (default: y) with the targets.",
    ),
]
Drop = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE", help="Leave out the rows whose target is this value.", rich_help_panel=_DATA
    ),
]
NFeatures = Annotated[
    int | None,
    typer.Option(
        min=1,
        rich_help_panel=_DATA,
        help="Number of features of svmlight text, whose last columns may not occur.",
    ),
]

# The run

Norm = Annotated[
    float,
    typer.Option(
        help="Exponent of the norm of the direction, above 1 and at most 2.", rich_help_panel=_PROBLEM
    ),
]
Tol = Annotated[float, typer.Option(help="Relative duality gap to reach.", rich_help_panel=_RUN)]
MaxPasses = Annotated[float, typer.Option(help="Most passes over the data.", rich_help_panel=_RUN)]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Most seconds of fitting.", rich_help_panel=_RUN)
]
StopEarly = Annotated[
    bool,
    typer.Option(
        "--stop-early",
        help="Stop when the explained deviance is above 0.999 or hardly grows, as glmnet does.",
        rich_help_panel=_RUN,
    ),
]
Solver = Annotated[SolverName, typer.Option(help="The solver.", rich_help_panel=_RUN)]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same model.", rich_help_panel=_RUN)]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Save the state of the run there every minute and at its end.",
        rich_help_panel=_RUN,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=_RUN,
        help="Go on from a checkpoint of the same data and options, bit for bit.",
    ),
]

# The output

OutModel = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", help="Write the model file there.", rich_help_panel=_OUTPUT),
]
OutPath = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write the path there, as .npz.", rich_help_panel=_OUTPUT
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Draw the coefficients there (.png, .pdf, .svg); needs matplotlib.",
        rich_help_panel=_OUTPUT,
    ),
]
OutScores = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write there, and not to stdout.", rich_help_panel=_OUTPUT
    ),
]
OutVerdict = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        rich_help_panel=_OUTPUT,
        help="Save direction, intercept and weights to this npz file.",
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print one JSON object on stdout, and nothing else.", rich_help_panel=_OUTPUT
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.", rich_help_panel=_OUTPUT)]
Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Print one line a certificate on stderr.", rich_help_panel=_OUTPUT),
]
Progress = Annotated[
    bool | None,
    typer.Option(
        "--progress/--no-progress",
        show_default=False,
        help="A progress bar on stderr; by default when that is a terminal.",
        rich_help_panel=_OUTPUT,
    ),
]
