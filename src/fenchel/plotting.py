"""Plots of paths and of cross-validation. They need matplotlib: ``python -m pip install 'fenchel[plot]'``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fenchel.driver.path_result import PathResult
from fenchel.errors import FenchelError, InvalidInputError
from fenchel.estimators.cross_validation import PathCV
from fenchel.estimators.selection import standard_errors

__all__ = ["plot_cv", "plot_path", "require_matplotlib"]

_MOST_LABELS = 10


def plot_path(result: PathResult, ax: Any = None, *, labels: Any = None) -> Any:
    """Draw the coefficients against the strength, one line a coefficient that is not zero all along.

    Parameters
    ----------
    result : PathResult
        From :func:`fenchel.path`, or ``paths_[0]`` of a cross-validated estimator.
    ax : matplotlib Axes, optional
        Where to draw; by default the current one.
    labels : sequence of str, optional
        The names of the features; at most ten are shown, those with the largest coefficients at the end.

    Returns
    -------
    Axes
        The strengths fall from left to right; the number of non-zero coefficients stands above.

    Raises
    ------
    FenchelError
        When matplotlib is not installed.

    Examples
    --------
    >>> from fenchel.plotting import plot_path  # doctest: +SKIP
    >>> plot_path(result).figure.savefig("path.png")  # doctest: +SKIP
    """
    if len(result) == 0:
        raise InvalidInputError("The path has no points, so there is nothing to plot. Raise its time limit.")
    ax = _axes(ax)
    lines = result.coefficients.reshape(len(result), -1)
    moving = np.flatnonzero(lines.any(axis=0))
    drawn = ax.semilogx(result.strengths, lines[:, moving], linewidth=1.0)
    if labels is not None:
        outputs = lines.shape[1] // len(labels)
        _label(ax, drawn, lines[-1, moving], [labels[k // outputs] for k in moving])
    ax.set(xlabel="strength", ylabel="coefficients")
    _fall(ax)
    ticks = np.unique(np.linspace(0, len(result) - 1, min(len(result), 8)).astype(int))
    above = ax.secondary_xaxis("top")
    above.set_xticks(result.strengths[ticks], labels=[str(count) for count in result.nonzeros[ticks]])
    above.minorticks_off()
    above.set_xlabel("non-zero coefficients")
    return ax


def plot_cv(estimator: PathCV, ax: Any = None) -> Any:
    """Draw the mean score of every strength with its standard error, and the strength that was chosen.

    Parameters
    ----------
    estimator : LassoCV, ElasticNetCV or LogisticRegressionCV
        Fitted. With several shares of the l1 part there is one curve each.
    ax : matplotlib Axes, optional
        Where to draw; by default the current one.

    Returns
    -------
    Axes

    Raises
    ------
    FenchelError
        When matplotlib is not installed.

    Examples
    --------
    >>> from fenchel.plotting import plot_cv  # doctest: +SKIP
    >>> plot_cv(model).figure.savefig("cv.png")  # doctest: +SKIP
    """
    check_is_fitted(estimator)
    ax = _axes(ax)
    shares = np.atleast_1d(estimator.l1_ratio)
    n_strengths = estimator.strengths_.shape[-1]
    strengths = np.broadcast_to(estimator.strengths_, (len(shares), n_strengths))
    scores = estimator.scores_.reshape(len(shares), n_strengths, -1)
    for share, grid, values, error in zip(
        shares, strengths, scores.mean(axis=2), standard_errors(scores), strict=True
    ):
        ax.errorbar(grid, values, yerr=error, marker=".", capsize=2, label=f"l1_ratio {share:g}")
    ax.set_xscale("log")
    ax.axvline(estimator.strength_, color="black", linestyle=":", label=f"chosen: {estimator.strength_:.3g}")
    ax.set(xlabel="strength", ylabel=_score_name(estimator))
    ax.legend()
    _fall(ax)
    return ax


def _score_name(estimator: PathCV) -> str:
    if estimator.scoring is None:
        return f"{estimator.own_score} on the test rows"
    return estimator.scoring if isinstance(estimator.scoring, str) else "score"


def _label(ax: Any, lines: Any, last: Any, names: list[str]) -> None:
    largest = np.argsort(-np.abs(last), kind="stable")[:_MOST_LABELS]
    ax.legend([lines[k] for k in largest], [names[k] for k in largest])


def _fall(ax: Any) -> None:
    """Let the strengths fall from left to right, as the path goes."""
    if not ax.xaxis_inverted():
        ax.invert_xaxis()


def _axes(ax: Any) -> Any:
    return require_matplotlib("matplotlib.pyplot").gca() if ax is None else ax


def require_matplotlib(module: str) -> Any:
    """Return a module of matplotlib, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise FenchelError(
            "matplotlib is not installed, which the plots need. Install it: python -m pip install "
            "'fenchel[plot]'."
        ) from error
