"""One fit each on real data: our solvers as curves, LIBLINEAR and the SAGA of scikit-learn as points."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.instance import Matrix
from benchmarks.limited import quiet
from experiments.mirror.problems import one_hot
from fenchel import Problem, Start
from fenchel.losses import Loss
from fenchel.problem.multiples import feasible_multiple
from fenchel.regularizers import L1Ball
from fenchel.solvers.base import Solver

__all__ = ["Split", "liblinear", "multiplier", "our_curve", "saga"]

STRENGTHS = (0.1, 1.0, 10.0)
"""The C of LIBLINEAR."""
GROWTH = 1.25
"""A curve has a point whenever its seconds have grown by this factor."""


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to fit and rows to judge by, with the numbers of their classes."""

    source: str
    A: Matrix
    labels: np.ndarray
    test_A: Matrix
    test_labels: np.ndarray
    n_classes: int

    @property
    def row_length(self) -> float:
        """The root mean square length of a row."""
        squares = self.A.multiply(self.A) if hasattr(self.A, "multiply") else self.A**2
        return float(np.sqrt(squares.sum() / self.A.shape[0]))

    def problem(self, loss: Loss, radius: float) -> Problem:
        """Return the mean loss in the l1 ball."""
        return Problem(self.A, one_hot(self.labels, self.n_classes), loss, L1Ball(radius))

    def accuracy(self, w: np.ndarray) -> float:
        """The share of the rows to judge by whose class has the largest score."""
        return float(np.mean((self.test_A @ w).argmax(axis=1) == self.test_labels))

    def describe(self) -> str:
        """Return the source and the shape as text."""
        return f"{self.source}, fitted {self.A.shape[0]} x {self.A.shape[1]}, {self.n_classes} classes"


def our_curve(problem: Problem, solver: Solver[Any], split: Split, seconds: float) -> dict[str, Any]:
    """Run a solver for some CPU seconds; certify and judge its points off the clock."""
    curve: dict[str, Any] = {"seconds": [], "relative_gap": [], "gap": [], "primal": [], "accuracy": []}
    began = time.process_time()
    state = solver.init(problem, Start(), np.random.default_rng(0))
    taken, due, primal, dual = time.process_time() - began, 0.0, np.inf, -np.inf
    while taken < seconds:
        began = time.process_time()
        solver.run_epoch(problem, state)
        taken += time.process_time() - began
        if taken < due and taken < seconds:
            continue
        due = GROWTH * taken
        w, u = solver.extract(problem, state)
        # A projection of millions of values rounds: it may leave the ball by a share of 1e-12.
        w = feasible_multiple(problem, w)
        now = problem.certify(w, u)
        primal, dual = min(primal, now.primal), max(dual, now.dual)
        gap = max(primal - dual, 0.0)
        relative = gap / max(abs(primal), abs(dual))
        point = (taken, relative, gap, primal, split.accuracy(w))
        for name, value in zip(curve, point, strict=True):
            curve[name].append(float(value))
    return curve | {"nonzeros": int(np.count_nonzero(w)), "slope": multiplier(problem, w, u)}


def multiplier(problem: Problem, w: np.ndarray, u: np.ndarray | None) -> float:
    """Return the l1 strength that would give the solution in the ball, were the dual point optimal."""
    return float(np.abs(problem.correlation(problem.dual_point(w) if u is None else u)).max())


def saga(split: Split, strength: float, passes: int) -> dict[str, Any]:
    """Return softmax with an l1 penalty by scikit-learn, after so many passes."""
    n_samples = split.A.shape[0]
    options = {"C": 1.0 / (n_samples * strength), "l1_ratio": 1.0, "fit_intercept": False}
    model = LogisticRegression(solver="saga", max_iter=passes, tol=0.0, **options)
    return _fitted(model, split) | {"passes": passes, "strength": strength}


def liblinear(split: Split) -> list[dict[str, Any]]:
    """Return one-vs-rest squared hinge with a ridge by LIBLINEAR, for its usual strengths."""
    fits = []
    for C in STRENGTHS:
        model = LinearSVC(C=C, fit_intercept=False)
        fits.append(_fitted(model, split) | {"method": f"liblinear, C {C:g}"})
    return fits


def _fitted(model: Any, split: Split) -> dict[str, Any]:
    """Fit, and judge; there is no certificate."""
    with quiet():
        began = time.process_time()
        model.fit(split.A, split.labels)
        taken = time.process_time() - began
    judged = float(np.mean(model.predict(split.test_A) == split.test_labels))
    return {
        "seconds": [taken],
        "relative_gap": None,
        "accuracy": [judged],
        "l1_norm": float(np.abs(model.coef_).sum()),
        "nonzeros": int(np.count_nonzero(model.coef_)),
    }
