"""The machinery of multilabel classification: one problem a label on one design, and predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from fenchel.design import Design, as_sample_weight
from fenchel.driver.solve_many import block_width
from fenchel.estimators.base import LinearModel, Task
from fenchel.estimators.classification import gives_probabilities
from fenchel.estimators.fitting import keep_outcome, warn_unless_solved
from fenchel.estimators.indicator import Form, Indicator
from fenchel.estimators.inputs import check_design, require_target
from fenchel.estimators.label_fits import LabelFit, constant_answer
from fenchel.estimators.penalty import Penalty
from fenchel.estimators.randomness import as_generator
from fenchel.estimators.runs import Runs, n_threads
from fenchel.numerics.special import log1pexp
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.regularizers import L1Ball, Regularizer, Separable, Simplex, SolidSimplex
from fenchel.solvers.base import Start
from fenchel.typing import FloatArray

__all__ = ["LinearMultilabelClassifier"]

_BLOCK_ENTRIES = 1 << 19
"""Scores and dense coefficients are made for so many labels at a time that they fill 4 MB."""


class LinearMultilabelClassifier(ClassifierMixin, LinearModel):  # type: ignore[misc]
    """Fit, certificates and predictions; :class:`MultilabelClassifier` adds the parameters."""

    verbose = 0  # No bar: the bars of many short runs would say nothing.
    n_jobs: int | None
    keep_dual: bool
    classes_: npt.NDArray[Any]

    # Fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearMultilabelClassifier:
        """Fit one model a label, and prove how good each is.

        Parameters
        ----------
        X : array-like or sparse matrix or data frame of shape (n_samples, n_features)
            float32 and float64, CSR and CSC are taken without a copy. It is never modified.
        y : array-like or sparse matrix of shape (n_samples, n_labels), or list of tuples or sets
            Zeros and ones, or the labels of each sample.
        sample_weight : array-like of shape (n_samples,), optional
            Any real weights >= 0, not all zero.

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
            Once, when the fit of some label stopped before it reached ``tol``. The model is usable, and
            its certificates true, whatever ended the fit.
        """
        require_target(self, y)
        design = check_design(self, X, reset=True)
        task = self._task(y, as_sample_weight(sample_weight, design.shape[0]), reset=True)
        penalty = Penalty.of(self.get_params(deep=False))
        targets = _varying(task) if self.fit_intercept else task.targets
        self.regularizer_ = penalty.resolve(
            design, task.loss, targets, task.sample_weight, self.fit_intercept
        )
        fits = self._runs(design, task).all()
        self._keep(fits)
        results = [fit.result for fit in fits]
        warn_unless_solved(type(self).__name__, results, self._options(), stacklevel=3)
        return self

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Prove again, on these data, how far the fitted models are from the optimum.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`: the data of the fit, or others.

        Returns
        -------
        Certificate
            The sum over the labels, computed in float64 from the coefficients alone. The dual point of a
            label is the gradient of the loss, or the one in ``dual_coef_`` where that is better. Without
            ``keep_dual=True`` the gap can be larger than that of the fit.
        """
        check_is_fitted(self)
        require_target(self, y)
        design = check_design(self, X, reset=False)
        task = self._task(y, as_sample_weight(sample_weight, design.shape[0]), reset=False)
        total, problem = Certificate(0.0, 0.0), self._problem(design, task)
        for label in range(len(task.targets)):
            total += self._certify(problem(label), self._start(label, design.shape[0]))
        return total

    def _task(self, y: Any, sample_weight: FloatArray, *, reset: bool) -> Task:
        targets = Indicator.of(y, len(sample_weight), None if reset else self.classes_)
        if reset:
            self.classes_, self._form = targets.classes, targets.form
        return Task(self._loss(), targets, sample_weight)

    def _problem(self, design: Design, task: Task) -> Callable[[int], Problem]:
        """The problem of each label; all share what does not depend on the label."""
        targets, weight = task.targets, task.sample_weight
        first = Problem(design, targets[0], task.loss, self.regularizer_, weight, self.fit_intercept)
        return lambda label: first.with_target(targets[label])

    def _runs(self, design: Design, task: Task) -> Runs[LabelFit]:
        (n_samples, n_features), n_labels = design.shape, len(task.targets)
        warm = self.warm_start and hasattr(self, "coef_") and self.coef_.shape == (n_labels, n_features)
        sparse = _makes_zeros(self.regularizer_, n_features)

        def start(label: int, problem: Problem) -> Start:
            return constant_answer(problem) or (self._start(label, n_samples) if warm else Start())

        return Runs(
            problem=self._problem(design, task),
            start=start,
            keep=partial(LabelFit.of, sparse=sparse, keep_dual=bool(self.keep_dual)),
            options=self._options(),
            rngs=as_generator(self.random_state).spawn(n_labels),
            width=block_width(design),
            n_jobs=n_threads(self.n_jobs, n_labels),
        )

    def _start(self, label: int, n_samples: int) -> Start:
        """The fitted primal point of a label, and its dual point where that was kept and fits."""
        w = self._rows(label, label + 1)[0]
        if self.fit_intercept:
            w = np.append(w, self.intercept_[label])
        dual = getattr(self, "dual_coef_", None)
        same = dual is not None and dual.shape[1] == n_samples
        return Start(w, dual[[label]].toarray()[0] if dual is not None and same else None)

    def _keep(self, fits: list[LabelFit]) -> None:
        """Set the fitted attributes."""
        rows = [fit.coef for fit in fits]
        self.coef_ = sp.vstack(rows, format="csr") if sp.issparse(rows[0]) else np.vstack(rows)
        self.intercept_ = np.array([fit.intercept for fit in fits])
        if self.keep_dual:
            self.dual_coef_ = sp.vstack([fit.dual for fit in fits], format="csr")
        elif hasattr(self, "dual_coef_"):
            del self.dual_coef_
        results = [fit.result for fit in fits]
        self.certificates_ = [result.certificate for result in results]
        keep_outcome(self, results)

    def _shaped(self, rows: FloatArray) -> FloatArray:
        return rows

    # Prediction

    def decision_function(self, X: Any) -> FloatArray:
        """Return the score of each sample for each label; positive where it is predicted.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Dense: for many samples and labels, ask for a block of samples at a time.
        """
        check_is_fitted(self)
        design = check_design(self, X, reset=False)
        scores = np.empty((design.shape[0], len(self.classes_)))
        for first, block in self._score_blocks(design):
            scores[:, first : first + block.shape[1]] = block
        return scores

    def predict(self, X: Any) -> Any:
        """Return the labels with a positive score, in the form that y had in the fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray or csr_matrix of shape (n_samples, n_labels), or list of tuples
        """
        found = self._indicator(X)
        if self._form is Form.SPARSE:
            return found
        if self._form is Form.DENSE:
            return found.toarray()
        ends = zip(found.indptr[:-1], found.indptr[1:], strict=True)
        return [tuple(self.classes_[found.indices[first:last]].tolist()) for first, last in ends]

    @available_if(gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each label, one independent of the other.

        Only for the logistic loss.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
        """
        probabilities: FloatArray = np.exp(-log1pexp(-self.decision_function(X)))
        return probabilities

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of samples whose labels are all predicted right.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.

        Returns
        -------
        float
        """
        found = self._indicator(X)
        truth = Indicator.of(y, found.shape[0], self.classes_)
        right = np.diff((found != truth.matrix.tocsr()).indptr) == 0
        return float(np.average(right, weights=sample_weight))

    def _indicator(self, X: Any) -> sp.csr_matrix:
        check_is_fitted(self)
        design = check_design(self, X, reset=False)
        parts = [sp.csc_matrix(block > 0, dtype=np.int64) for _, block in self._score_blocks(design)]
        return sp.hstack(parts, format="csr")

    def _score_blocks(self, design: Design) -> Iterator[tuple[int, FloatArray]]:
        """Yield the first label of a block, and the scores of all samples for its labels."""
        width = max(_BLOCK_ENTRIES // sum(design.shape), 1)
        for first in range(0, len(self.classes_), width):
            coef = np.ascontiguousarray(self._rows(first, first + width).T)
            scores = design.matvec(coef)
            scores += self.intercept_[first : first + width]
            yield first, scores

    def _rows(self, first: int, last: int) -> FloatArray:
        """The coefficients of some labels, dense."""
        chosen = self.coef_[first:last]
        rows: FloatArray = chosen.toarray() if sp.issparse(chosen) else chosen
        return rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


def _makes_zeros(regularizer: Regularizer, n_features: int) -> bool:
    """Whether coefficients are exactly zero."""
    if isinstance(regularizer, Separable):
        return bool(regularizer.coordinate_form(n_features).l1.any())
    return isinstance(regularizer, L1Ball | Simplex | SolidSimplex)


def _varying(task: Task) -> Iterator[FloatArray]:
    """The targets that a penalty can move: the others have zero coefficients at every strength."""
    counts = task.sample_weight > 0
    return (b for b in task.targets if np.ptp(b[counts]) > 0)
