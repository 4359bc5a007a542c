"""The gap against passes and seconds on a9a: two solvers of fenchel and two peers.

Logistic regression without intercept, with three penalties. Primal coordinate descent and SDCA run
once each and leave a trace. Liblinear and saga (scikit-learn) tell nothing while they run: each point of
theirs is a fit from scratch with a limit on iterations, and its gap is recomputed by the same function.
An iteration of saga, and of liblinear's dual solver (l2 only), is one pass over the rows; liblinear's l1
solver makes an unknown number of passes in an iteration, so it is drawn against seconds alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from benchmarks.datasets import generated
from benchmarks.datasets.stored import a9a, data_folder
from benchmarks.instance import Instance, Matrix
from benchmarks.peers.scikit_learn import sklearn_penalty
from experiments.curves import Curve, of_fits, of_result, save_plot
from experiments.runner import Experiment, Summary
from fenchel import MaxPasses, Problem, RelativeGap, TimeLimit, solve

__all__ = ["EXPERIMENT"]

FloatArray = npt.NDArray[np.float64]

SOLVERS = ("primal_cd", "sdca")
SMALL_ROWS = 1000


def run(full: bool, rng: np.random.Generator) -> Summary:
    """Compute the curves; 1,000 rows and a gap of 1e-4 unless ``full``, then all and 1e-10."""
    target, seconds = (1e-10, 60.0) if full else (1e-4, 2.0)
    data, A, b = _data(full, rng)
    curves: list[Curve] = []
    for penalty, instance in _instances(A, b).items():
        problem = instance.fenchel_problem()
        stopping = RelativeGap(target) | TimeLimit(seconds) | MaxPasses(50_000)
        for solver in SOLVERS:
            result = solve(problem, solver, stopping=stopping, rng=rng)
            curves.append(of_result(penalty, solver, result))
        for peer in _peers(instance):
            curves.append(_peer_curve(penalty, peer, instance, problem, target, seconds))
    return {"data": data, "target": target, "curves": [curve.as_dict() for curve in curves]}


def plot(summary: Summary, folder: Path) -> list[Path]:
    """Draw the curves."""
    curves = [Curve(**curve) for curve in summary["curves"]]
    return [save_plot(curves, folder / "gap.png", f"Logistic regression on {summary['data']}")]


def _data(full: bool, rng: np.random.Generator) -> tuple[str, Matrix, FloatArray]:
    """Return a9a, a part of it, or generated rows of the same width where the file is absent."""
    folder = data_folder()
    if not (folder / "a9a.svm.bz2").exists():
        if full:
            raise FileNotFoundError(f"a9a.svm.bz2 is not in {folder}. Set FENCHEL_DATA to its folder.")
        return "generated data", *generated.text(SMALL_ROWS, 123, classification=True, tokens=20)
    A, b = a9a(folder)
    if full:
        return "a9a", A, b
    chosen = np.sort(rng.choice(len(b), SMALL_ROWS, replace=False))
    return f"{SMALL_ROWS} rows of a9a", A[chosen], b[chosen]


def _instances(A: Matrix, b: FloatArray) -> dict[str, Instance]:
    """Return the problem with each penalty: l1 strength a hundredth of lambda_max, or C = 1."""
    n_samples = len(b)
    l1 = 0.01 * float(np.abs(A.T @ b).max()) / (2 * n_samples)
    return {
        "l1": Instance(A, b, "logistic", l1, 0.0),
        "elastic net": Instance(A, b, "logistic", l1, l1),
        "l2": Instance(A, b, "logistic", 0.0, 1.0 / n_samples),
    }


def _peers(instance: Instance) -> tuple[str, ...]:
    """Liblinear has no elastic net."""
    return ("saga",) if instance.l1 and instance.l2 else ("liblinear", "saga")


def _peer_curve(
    penalty: str, peer: str, instance: Instance, problem: Problem, target: float, seconds: float
) -> Curve:
    dual = peer == "liblinear" and instance.l1 == 0
    return of_fits(
        Curve(penalty, peer),
        problem,
        _fit(instance, solver=peer, dual=dual),
        passes_per_iteration=1.0 if dual or peer == "saga" else None,
        target=target,
        seconds=seconds,
    )


def _fit(instance: Instance, **choice: Any) -> Callable[[int], FloatArray]:
    """Return the fit of a peer as a function of the iterations; the mapping is that of the benchmarks."""
    strength = instance.n_samples * (instance.l1 + instance.l2)

    def fit(iterations: int) -> FloatArray:
        model = LogisticRegression(
            C=1.0 / strength,
            tol=1e-14,
            max_iter=iterations,
            fit_intercept=False,
            random_state=0,
            **sklearn_penalty(instance.l1_ratio),
            **choice,
        )
        return np.ravel(model.fit(instance.rows, instance.b).coef_)

    return fit


EXPERIMENT = Experiment(
    name="a9a_convergence",
    description="Gap against passes and seconds on a9a: primal_cd, sdca, liblinear, saga.",
    run=run,
    plot=plot,
)
