"""What all estimators share: the fit, the certificate, and the fitted attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fenchel.design import Design, as_sample_weight
from fenchel.errors import InvalidInputError
from fenchel.estimators.fitting import FitOptions, keep_outcome, total_certificate, warn_unless_solved
from fenchel.estimators.inputs import check_design, require_target
from fenchel.estimators.multiclass import centre_intercepts
from fenchel.estimators.penalty import Penalty
from fenchel.estimators.randomness import as_generator
from fenchel.estimators.runs import run
from fenchel.losses import Loss, get_loss
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.regularizers import Regularizer
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray

__all__ = ["LinearModel", "Task", "make_loss", "problems_of"]


class Task(NamedTuple):
    """What the problems of one fit have in common, and the target of each."""

    loss: Loss
    targets: Sequence[FloatArray]
    sample_weight: FloatArray


class LinearModel(BaseEstimator, ABC):  # type: ignore[misc]
    """The machinery of a fit; a concrete estimator adds its parameters, and its targets.

    The parameters are read as attributes, as scikit-learn sets them. An estimator that lacks a
    parameter of the penalty has the default of :class:`fenchel.estimators.penalty.Penalty`.
    """

    fit_intercept: bool
    tol: float
    max_passes: float
    time_limit: float | None
    solver: Any
    callback: Any
    verbose: int
    warm_start: bool
    random_state: Any
    coef_: Any
    n_features_in_: int

    # What the concrete estimators differ in

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss, from the parameters."""

    @abstractmethod
    def _task(self, y: Any, sample_weight: FloatArray, *, reset: bool) -> Task:
        """Check the targets and say which problems they pose; ``reset`` while fitting."""

    @abstractmethod
    def _shaped(self, rows: FloatArray) -> FloatArray:
        """Bring one row an output into the shape of the fitted attributes."""

    # Fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearModel:
        """Fit the model, and prove how good it is.

        Parameters
        ----------
        X : array-like or sparse matrix or data frame of shape (n_samples, n_features)
            float32 and float64, CSR and CSC are taken without a copy. It is never modified.
        y : array-like of shape (n_samples,), or (n_samples, n_outputs) where the loss allows it
        sample_weight : array-like of shape (n_samples,), optional
            Any real weights >= 0, not all zero. A weight of 2 is the same as a row that stands twice,
            0 the same as a row that is not there.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When the data or a parameter has a value that no fit can use.
        UnsupportedProblemError
            When no solver, or not the one asked for, serves the loss with the regularizer.

        Warns
        -----
        ConvergenceWarning
            Once, when the fit stopped before it reached ``tol``. The model is usable, and its
            certificate true, whatever ended the fit: a limit, the callback, or Ctrl-C.
        """
        return self._fit(self._options(), X, y, sample_weight)

    def _fit(self, options: FitOptions, X: Any, y: Any, sample_weight: Any) -> LinearModel:
        require_target(self, y)
        design = check_design(self, X, reset=True)
        weight = as_sample_weight(sample_weight, design.shape[0])
        task = self._posed(design, self._task(y, weight, reset=True))
        self.loss_ = task.loss
        self.regularizer_ = self._regularizer(design, task)
        problems = self._problems(design, task)
        starts = self._starts(problems)
        results = run(problems, starts, options, as_generator(self.random_state))
        results = [centre_intercepts(*pair) for pair in zip(problems, results, strict=True)]
        self._store(problems, results)
        warn_unless_solved(type(self).__name__, results, options, stacklevel=4)
        return self

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Prove again, on these data, how far the fitted model is from the optimum.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`: the data of the fit, or others. On others the certificate tells how far
            the model is from the best one on them, under the penalty of the fit.

        Returns
        -------
        Certificate
            Computed in float64 from the coefficients alone; the dual point is the better one of
            ``dual_coef_`` (where the number of samples is the same) and the gradient of the loss.
        """
        check_is_fitted(self)
        require_target(self, y)
        design = check_design(self, X, reset=False)
        task = self._task(y, as_sample_weight(sample_weight, design.shape[0]), reset=False)
        problems = self._problems(design, task)
        return total_certificate(
            [
                self._certify(problem, start)
                for problem, start in zip(problems, self._points(problems), strict=True)
            ]
        )

    @staticmethod
    def _certify(problem: Problem, point: Start) -> Certificate:
        assert point.w is not None
        certificates = [problem.certify(point.w)]
        if point.u is not None:
            certificates.append(problem.certify(point.w, point.u))
        return max(certificates, key=lambda certificate: certificate.dual)

    def _options(self) -> FitOptions:
        return FitOptions.of(self)

    def _posed(self, design: Design, task: Task) -> Task:
        """What is to be solved, once the data are known."""
        return task

    def _regularizer(self, design: Design, task: Task) -> Regularizer:
        penalty = Penalty.of(self.get_params(deep=False))
        return penalty.resolve(design, *task, self.fit_intercept)

    def _problems(self, design: Design, task: Task) -> list[Problem]:
        return problems_of(design, task, self.regularizer_, self.fit_intercept)

    def _starts(self, problems: list[Problem]) -> list[Start]:
        """The points of the previous fit, when they are wanted and have the right shapes."""
        blank = [Start()] * len(problems)
        if not self.warm_start or not hasattr(self, "coef_"):
            return blank
        outputs, features = np.atleast_2d(self._dense_coef()).shape
        wanted = sum(problem.b[:1].size for problem in problems)
        if outputs != wanted or features != self.n_features_in_:
            return blank
        return self._points(problems)

    def _points(self, problems: list[Problem]) -> list[Start]:
        """The fitted primal and dual points, one pair a problem."""
        coef = np.atleast_2d(self._dense_coef())
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), len(coef))
        w = np.hstack([coef, intercept[:, None]]) if self.fit_intercept else coef
        dual = np.atleast_2d(self.dual_coef_)
        same = dual.shape[1] == problems[0].n_samples
        if problems[0].loss.vector_output:
            return [Start(w.T.copy(), dual.T.copy() if same else None)]
        return [Start(w[k].copy(), dual[k].copy() if same else None) for k in range(len(problems))]

    def _store(self, problems: list[Problem], results: list[Any]) -> None:
        """Set the fitted attributes."""
        n_features = self.n_features_in_
        w = np.vstack([result.w.T for result in results])
        self.coef_ = self._shaped(w[:, :n_features])
        intercept = w[:, n_features] if self.fit_intercept else np.zeros(len(w))
        self.intercept_ = self._shaped(intercept[:, None])[..., 0]
        self.dual_coef_ = self._shaped(np.vstack([result.u.T for result in results]))
        self.certificates_ = [result.certificate for result in results]
        keep_outcome(self, results)

    # Prediction

    def _scores(self, X: Any) -> FloatArray:
        """``A w`` with the intercept; one column an output where there are several."""
        check_is_fitted(self)
        design = check_design(self, X, reset=False)
        scores: FloatArray = design.matvec(np.ascontiguousarray(self._dense_coef().T)) + self.intercept_
        return scores

    # The form of the coefficients

    def sparsify(self) -> LinearModel:
        """Store ``coef_`` as a CSR matrix, which saves memory when most coefficients are zero.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if not sp.issparse(self.coef_):
            self.coef_ = sp.csr_matrix(np.atleast_2d(self.coef_))
        return self

    def densify(self) -> LinearModel:
        """Store ``coef_`` as an array again.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = self._dense_coef()
        return self

    def _dense_coef(self) -> FloatArray:
        # The attributes of a fit agree in their number of axes: a CSR matrix has two.
        coef: FloatArray = (
            self.coef_.toarray().reshape(*np.shape(self.intercept_), -1)
            if sp.issparse(self.coef_)
            else self.coef_
        )
        return coef

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def problems_of(design: Design, task: Task, regularizer: Regularizer, fit_intercept: bool) -> list[Problem]:
    """One problem a target; all share the design, so that its views are built once."""
    targets = iter(task.targets)
    first = Problem(design, next(targets), task.loss, regularizer, task.sample_weight, fit_intercept)
    return [first, *(first.with_target(b) for b in targets)]


def make_loss(owner: Any, *tasks: str) -> Loss:
    """Return the loss of an estimator, after checking that it is for one of the ``tasks``."""
    loss = get_loss(owner.loss, **(getattr(owner, "loss_parameters", None) or {}))
    if loss.task not in tasks:
        other = "Regressor" if loss.task == "regression" else "Classifier"
        raise InvalidInputError(
            f"{type(owner).__name__} cannot use the loss {loss.name!r}: it is for {loss.task}, not for "
            f"{tasks[0]}. Use {other}, or another loss."
        )
    return loss
