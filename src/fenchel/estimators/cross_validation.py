"""Estimators that choose their strength by cross-validation along paths."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from fenchel.design import Design, as_sample_weight
from fenchel.driver.path import path
from fenchel.driver.path_grid import geometric, largest_strength, strengths_of
from fenchel.driver.path_result import PathResult
from fenchel.driver.solve import solve
from fenchel.driver.stopping import MaxPasses, RelativeGap, StoppingRule
from fenchel.errors import ConvergenceWarning, InvalidInputError
from fenchel.estimators.base import LinearModel, Task, problems_of
from fenchel.estimators.fitting import FitOptions
from fenchel.estimators.folds import Stop, in_parallel
from fenchel.estimators.inputs import check_design, require_target
from fenchel.estimators.multiclass import centre_intercepts
from fenchel.estimators.penalty import Penalty
from fenchel.estimators.randomness import as_generator
from fenchel.estimators.runs import n_threads
from fenchel.estimators.selection import choose
from fenchel.numerics.threads import single_blas_thread
from fenchel.problem.problem import Problem
from fenchel.regularizers import Regularizer
from fenchel.regularizers.scaled import scaled
from fenchel.typing import FloatArray, IndexArray

__all__ = ["PathCV"]

_MOST = 0.6
"""Training rows of at least this share of all are told by their weights."""


@dataclass(frozen=True)
class _Fold:
    """The work for one share of the l1 part on one fold."""

    number: int
    train: IndexArray
    test: IndexArray
    share: float
    strengths: FloatArray
    rng: np.random.Generator


@dataclass(frozen=True)
class _Data:
    """What the user passed, and the design of it."""

    X: Any
    y: Any
    sample_weight: Any
    design: Design
    weight: FloatArray


class PathCV(LinearModel):
    """The machinery of cross-validation; a concrete estimator adds its parameters and its own score."""

    n_strengths: Any
    ratio: Any
    strengths: Any
    cv: Any
    scoring: Any
    selection: Any
    n_jobs: Any
    l1_ratio: Any = 1.0
    own_score: ClassVar[str]
    """What the score is where ``scoring`` is None, in words."""
    strength_: float
    strengths_: FloatArray
    scores_: FloatArray

    # What the concrete estimators differ in

    @abstractmethod
    def _default_scores(self, scores: FloatArray, y: Any, weight: FloatArray) -> FloatArray:
        """The score of every strength from the test scores of shape (n_strengths, n_test, n_outputs)."""

    # Fitting

    def _options(self) -> FitOptions:
        return FitOptions(self.solver, self.tol, self.max_passes, None, None, 0)

    def _fit(self, options: FitOptions, X: Any, y: Any, sample_weight: Any) -> PathCV:
        require_target(self, y)
        design = check_design(self, X, reset=True)
        rows = X if hasattr(X, "shape") and hasattr(X, "__getitem__") else np.asarray(X)
        weight = as_sample_weight(sample_weight, design.shape[0])
        data = _Data(rows, np.asarray(y), sample_weight, design, weight)
        task = self._task(y, data.weight, reset=True)
        self.loss_ = task.loss
        shares = _shares(self.l1_ratio)
        wholes = [
            problems_of(design, task, self._penalty(share, design, task), self.fit_intercept)
            for share in shares
        ]
        grids = np.stack([self._grid(problems) for problems in wholes])
        with single_blas_thread():
            scores, gaps, unsolved = self._cross_validate(data, shares, grids)
            chosen = choose(scores, self.selection)
            self._finish(wholes[chosen.share], grids[chosen.share], chosen.strength)
        self.l1_ratio_ = shares[chosen.share]
        single = np.ndim(self.l1_ratio) == 0
        self.strengths_ = grids[0] if single else grids
        self.scores_ = scores[0] if single else scores
        self.fold_gaps_ = gaps[0] if single else gaps
        self._warn(unsolved + sum(not status.solved for item in self.paths_ for status in item.statuses))
        return self

    def _penalty(self, share: float, design: Design, task: Task) -> Regularizer:
        """The penalty at strength 1."""
        parameters = {**self.get_params(deep=False), "l1": share, "l2": 1.0 - share}
        return Penalty.of(parameters).resolve(design, *task, self.fit_intercept)

    def _grid(self, problems: Sequence[Problem]) -> FloatArray:
        if self.strengths is not None:
            return strengths_of(problems[0], 1, 0.5, self.strengths)
        return geometric(max(map(largest_strength, problems)), self.n_strengths, self.ratio)

    def _cross_validate(
        self, data: _Data, shares: list[float], grids: FloatArray
    ) -> tuple[FloatArray, FloatArray, int]:
        """Scores and relative gaps of shape (n_shares, n_strengths, n_folds), and the points unsolved."""
        # Imported here: no other estimator pays for it.
        from sklearn.model_selection import check_cv

        splits = list(check_cv(self.cv, data.y, classifier=is_classifier(self)).split(data.X, data.y))
        rngs = as_generator(self.random_state).spawn(len(shares) * len(splits))
        folds = [
            _Fold(number, np.asarray(train), np.asarray(test), share, grid, rngs.pop())
            for share, grid in zip(shares, grids, strict=True)
            for number, (train, test) in enumerate(splits)
        ]
        stop = Stop()
        made = in_parallel(
            lambda fold: self._on_fold(data, fold, stop), folds, n_threads(self.n_jobs, len(folds)), stop
        )
        shape = (len(shares), len(splits), grids.shape[1])
        scores, gaps = (
            np.stack(parts).reshape(shape).swapaxes(1, 2) for parts in list(zip(*made, strict=True))[:2]
        )
        return np.ascontiguousarray(scores), np.ascontiguousarray(gaps), sum(item[2] for item in made)

    def _on_fold(self, data: _Data, fold: _Fold, stop: Stop) -> tuple[FloatArray, FloatArray, int]:
        """Fit a path on the training rows, and score every strength on the others."""
        design, task = self._training(data, _rows(data.design, fold.train))
        _check_fold(task, fold.number)
        problems = problems_of(design, task, self._penalty(fold.share, design, task), self.fit_intercept)
        results = [self._path(problem, fold.strengths, fold.rng, stop) for problem in problems]
        coefficients, intercepts = _by_output(results)
        if self.scoring is None:
            rows = _rows(data.design, fold.test)
            scores = _test_scores(data.design, rows, coefficients, intercepts)
            weight = data.weight[rows]
            if not weight.any():
                raise InvalidInputError(
                    f"All rows that fold {fold.number} tests on have weight 0. Use other folds."
                )
            values = self._default_scores(scores, _safe_indexing(data.y, rows), weight)
        else:
            values = self._scored(data, fold, coefficients, intercepts)
        gaps = np.max([result.relative_gaps for result in results], axis=0)
        return values, gaps, sum(not status.solved for result in results for status in result.statuses)

    def _training(self, data: _Data, rows: IndexArray) -> tuple[Design, Task]:
        """The design and the task of the training rows.

        Where they are most of the rows the others get weight 0: nothing is copied, and the folds share the
        views of one design. Few of them are copied, so that the others are not read.
        """
        weight = np.zeros_like(data.weight)
        np.add.at(weight, rows, data.weight[rows])
        rows = np.unique(rows)
        if len(rows) >= _MOST * len(weight):
            return data.design, self._task(data.y, weight, reset=False)
        return _copy(data.design, rows), self._task(_safe_indexing(data.y, rows), weight[rows], reset=False)

    def _path(
        self, problem: Problem, strengths: FloatArray, rng: np.random.Generator, stop: Stop
    ) -> PathResult:
        result = path(
            problem, strengths=strengths, solver=self.solver, stopping=self._rule(), callback=stop, rng=rng
        )
        if result.interrupted or len(result) < len(strengths):
            raise KeyboardInterrupt
        return result

    def _rule(self) -> StoppingRule:
        return RelativeGap(self.tol) | MaxPasses(self.max_passes)

    def _scored(
        self, data: _Data, fold: _Fold, coefficients: FloatArray, intercepts: FloatArray
    ) -> FloatArray:
        """The scores of a scorer of scikit-learn."""
        from sklearn.metrics import check_scoring

        scorer = check_scoring(self, scoring=self.scoring)
        X, y = _safe_indexing(data.X, fold.test), _safe_indexing(data.y, fold.test)
        weighted = {} if data.sample_weight is None else {"sample_weight": data.weight[fold.test]}
        values = []
        for coef, intercept in zip(coefficients, intercepts, strict=True):
            model = copy(self)
            model.coef_, model.intercept_ = self._shaped(coef), self._shaped(intercept[:, None])[..., 0]
            values.append(float(scorer(model, X, y, **weighted)))
        return np.array(values)

    def _finish(self, problems: list[Problem], strengths: FloatArray, chosen: int) -> None:
        """Fit the path on all rows; its point at the chosen strength is the model."""
        rng = as_generator(self.random_state)
        self.paths_ = [self._path(problem, strengths, rng, Stop()) for problem in problems]
        self.strength_ = float(strengths[chosen])
        self.regularizer_ = scaled(problems[0].regularizer, self.strength_)
        at = [problem.with_regularizer(self.regularizer_) for problem in problems]
        results = [
            solve(problem, self.solver, stopping=self._rule(), start=item.start(chosen), rng=rng)
            for problem, item in zip(at, self.paths_, strict=True)
        ]
        self._store(at, [centre_intercepts(*pair) for pair in zip(at, results, strict=True)])

    def _warn(self, unsolved: int) -> None:
        if unsolved:
            warnings.warn(
                f"{type(self).__name__} stopped early at {unsolved} points of its paths: the limit on passes "
                f"was reached before the relative gap {self.tol:g}. Their gaps, in fold_gaps_ and paths_, "
                "hold. "
                f"Raise max_passes (now {self.max_passes:g}), or accept the gaps with a larger tol.",
                ConvergenceWarning,
                stacklevel=4,
            )


def _shares(l1_ratio: Any) -> list[float]:
    shares = np.atleast_1d(np.asarray(l1_ratio, dtype=np.float64))
    if shares.ndim != 1 or shares.size == 0 or not np.all((shares >= 0) & (shares <= 1)):
        raise InvalidInputError(f"l1_ratio={l1_ratio!r} is not in [0, 1]. Pass a number, or a list of them.")
    return [float(share) for share in shares]


def _rows(design: Design, chosen: IndexArray) -> IndexArray:
    """The numbers of the rows, where a split gives numbers or a mask."""
    rows: IndexArray = np.arange(design.shape[0])[chosen]
    return rows


def _copy(design: Design, rows: IndexArray) -> Design:
    """The rows, ascending and each once, as a design of their own."""
    return design.submatrix(rows, np.arange(design.shape[1]))


def _check_fold(task: Task, number: int) -> None:
    """Refuse a fold whose training rows lack a class."""
    if task.loss.task == "regression":
        return
    counted = task.sample_weight > 0
    for b in task.targets:
        seen = b[counted]
        if not (np.all(seen.any(axis=0)) if b.ndim == 2 else np.any(seen > 0) and np.any(seen < 0)):
            raise InvalidInputError(
                f"The training rows of fold {number} lack a class. Use fewer folds, or StratifiedKFold."
            )


def _by_output(results: Sequence[PathResult]) -> tuple[FloatArray, FloatArray]:
    """Coefficients (n_strengths, n_outputs, n_features), and intercepts (n_strengths, n_outputs)."""
    first = results[0].coefficients
    if first.ndim == 3:
        return first.swapaxes(1, 2), results[0].intercepts
    return (
        np.stack([result.coefficients for result in results], axis=1),
        np.stack([result.intercepts for result in results], axis=1),
    )


def _test_scores(
    design: Design, rows: IndexArray, coefficients: FloatArray, intercepts: FloatArray
) -> FloatArray:
    """``A w + c`` for every strength and output on some rows: (n_strengths, n_rows, n_outputs)."""
    n_strengths, n_outputs, n_features = coefficients.shape
    flat = np.ascontiguousarray(coefficients.reshape(-1, n_features).T)
    once, places = np.unique(rows, return_inverse=True)
    scores = _copy(design, once).matvec(flat)[places].reshape(-1, n_strengths, n_outputs) + intercepts
    result: FloatArray = scores.swapaxes(0, 1)
    return result
