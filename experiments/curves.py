"""Convergence curves: the relative gap against passes and seconds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fenchel import Problem, Result

__all__ = ["Curve", "of_fits", "of_result", "save_plot"]

MOST_FITS = 30


@dataclass
class Curve:
    """One method on one problem; a point is (passes, seconds, best relative gap so far).

    Passes are None for a method that does not tell how many entries it reads.
    """

    problem: str
    method: str
    passes: list[float | None] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    relative_gap: list[float] = field(default_factory=list)

    def add(self, passes: float | None, seconds: float, relative_gap: float) -> None:
        """Append a point."""
        self.passes.append(None if passes is None else float(passes))
        self.seconds.append(float(seconds))
        self.relative_gap.append(float(relative_gap))

    def as_dict(self) -> dict[str, object]:
        """Return the curve in the types of JSON."""
        return asdict(self)


def of_result(problem: str, method: str, result: Result) -> Curve:
    """Return the trace of a run of fenchel; its seconds include the certificates."""
    curve = Curve(problem, method)
    for record in result.trace:
        curve.add(record.passes, record.seconds, record.certificate.relative_gap)
    return curve


def of_fits(
    curve: Curve,
    problem: Problem,
    fit: Callable[[int], npt.NDArray[np.float64]],
    *,
    passes_per_iteration: float | None,
    target: float,
    seconds: float,
    clock: Callable[[], float] = time.perf_counter,
    lower_bound: float = -np.inf,
) -> Curve:
    """Fill a curve with fits from scratch of 1, 2, 4, ... iterations, certified off the clock.

    A method without iterations can take them as the inverse of a tolerance. With a proven ``lower_bound`` of
    the optimum the gap is no larger than the distance to that. Ends at the target, when a fit takes longer
    than ``seconds``, or after 30 fits.
    """
    primal, dual, iterations, taken, gap = np.inf, lower_bound, 1, 0.0, np.inf
    while gap > target and taken <= seconds and iterations < 2**MOST_FITS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the iterations do not suffice is the point here
            start = clock()
            w = fit(iterations)
            taken = clock() - start
        certificate = problem.certify(w)
        primal, dual = min(primal, certificate.primal), max(dual, certificate.dual)
        gap = max(primal - dual, 0.0) / max(abs(primal), abs(dual))
        passes = None if passes_per_iteration is None else iterations * passes_per_iteration
        curve.add(passes, taken, gap)
        iterations *= 2
    return curve


def save_plot(curves: list[Curve], path: Path, title: str) -> Path:
    """Draw one row a problem: the gap against passes, and against seconds."""
    from matplotlib.figure import Figure

    problems = list(dict.fromkeys(curve.problem for curve in curves))
    methods = list(dict.fromkeys(curve.method for curve in curves))
    figure = Figure(figsize=(10, 3.2 * len(problems)), layout="constrained")
    axes = figure.subplots(len(problems), 2, squeeze=False, sharey="row")
    for row, problem in zip(axes, problems, strict=True):
        for curve in (curve for curve in curves if curve.problem == problem):
            color = f"C{methods.index(curve.method)}"
            gaps = np.maximum(curve.relative_gap, 1e-16)
            told = [k for k, passes in enumerate(curve.passes) if passes]
            if told:
                row[0].loglog([curve.passes[k] for k in told], gaps[told], ".-", color=color)
            row[1].loglog(curve.seconds, gaps, ".-", color=color, label=curve.method)
        row[0].set(ylabel="relative duality gap", xlabel="passes over the data", title=problem)
        row[1].set(xlabel="seconds", title=problem)
        row[1].legend(fontsize="small")
    figure.suptitle(title)
    figure.savefig(path, dpi=120)
    return path
