"""Logistic regression with its strength chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fenchel.estimators.classification import LinearClassifier, log_probabilities
from fenchel.estimators.cross_validation import PathCV
from fenchel.estimators.randomness import RandomState
from fenchel.losses import Logistic, Loss
from fenchel.solvers.base import Solver
from fenchel.typing import FloatArray

__all__ = ["LogisticRegressionCV"]


class LogisticRegressionCV(LinearClassifier, PathCV):
    r"""Logistic regression, with the strength that cross-validation chooses along certified paths.

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i \log(1 + e^{-y_i (x_i^\top w + c)})
              + \lambda \Bigl( r \|w\|_1 + \frac{1 - r}2 \|w\|_2^2 \Bigr)

    Every fold is a path over the same strengths, each point from the solution of the one before and with a
    certificate of its own; then a path on all rows gives the model. Sample weights go into the fits and into
    the scores, class weights into the fits alone. More than two classes are one problem with the softmax
    loss, or one for each against the rest, all at the same strength. For a solver that uses C,
    :math:`\lambda = 1 / (C n)`.

    Parameters
    ----------
    l1_ratio : float or list of float, default 1.0
        The share r of the l1 part; of several the best is taken. With 0 the path is that of a ridge, from a
        thousand times the strength that an l1 part would need.
    multi_class : {"auto", "native", "one_vs_rest"}, default "auto"
        As in :class:`LogisticRegression`.
    n_strengths : int, default 100
    ratio : float, default 1e-3
        The smallest strength over the largest, which is the smallest one at which every coefficient is zero.
    strengths : array-like, optional
        The strengths, in place of these two.
    cv : int, splitter or iterable of splits, optional
        The folds, as scikit-learn's ``check_cv`` takes them; by default five, with the classes in proportion.
    scoring : str or callable, optional
        A scorer of scikit-learn. By default minus the mean logistic loss (``neg_log_loss``).
    selection : {"min", "one_se"}, default "min"
        "min" takes the strength with the best mean over the folds; "one_se" the largest one that is within
        one standard error of it, which gives a sparser model.
    n_jobs : int, default 1
        Threads for the folds; -1 for one a core.
    penalty_weights, lower, upper, standardize, fit_intercept
        As in :class:`LogisticRegression`; ``standardize`` is by the training rows of each fold.
    tol, max_passes
        As in :class:`LogisticRegression`, for every point of every path.
    solver, random_state, class_weight
        As in :class:`LogisticRegression`.

    Attributes
    ----------
    strength_ : float
        The chosen strength.
    strengths_ : ndarray of shape (n_strengths,) or (n_shares, n_strengths)
        From the largest down, computed on all rows and used on every fold.
    scores_ : ndarray of shape (n_strengths, n_folds) or (n_shares, n_strengths, n_folds)
        The scores on the test rows, the larger the better.
    classes_ : ndarray of shape (n_classes,)
    paths_ : list of PathResult
        The path on all rows, with the certificate of every point; one a problem.
    fold_gaps_ : ndarray, like ``scores_``
        The certified relative gaps of the fits on the folds.
    l1_ratio_ : float
    coef_, intercept_, dual_coef_, certificate_, certificates_, status_, message_, n_iter_, trace_, solver_
        As in :class:`LogisticRegression`: of the fit on all rows at the chosen strength. Likewise
        ``regularizer_``.

    See Also
    --------
    LogisticRegression : The same at one strength.
    fenchel.path : The path alone.

    References
    ----------
    J. Friedman, T. Hastie, R. Tibshirani, Regularization paths for generalized linear models via coordinate
    descent, Journal of Statistical Software 33(1), 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from fenchel import LogisticRegressionCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegressionCV(n_strengths=10, ratio=0.01, selection="one_se", standardize=True)
    >>> model = model.fit(X, y)
    >>> int((model.coef_ != 0).sum())
    10
    >>> bool(model.paths_[0].relative_gaps.max() <= 1e-6)
    True
    """

    own_score = "minus the mean logistic loss"

    def __init__(
        self,
        *,
        l1_ratio: float | Sequence[float] = 1.0,
        multi_class: str = "auto",
        n_strengths: int = 100,
        ratio: float = 1e-3,
        strengths: npt.ArrayLike | None = None,
        cv: Any = None,
        scoring: Any = None,
        selection: str = "min",
        n_jobs: int | None = 1,
        penalty_weights: npt.ArrayLike | None = None,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        standardize: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_passes: float = 10_000,
        solver: str | Solver[Any] = "auto",
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.multi_class = multi_class
        self.n_strengths = n_strengths
        self.ratio = ratio
        self.strengths = strengths
        self.cv = cv
        self.scoring = scoring
        self.selection = selection
        self.n_jobs = n_jobs
        self.penalty_weights = penalty_weights
        self.lower = lower
        self.upper = upper
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_passes = max_passes
        self.solver = solver
        self.class_weight = class_weight
        self.random_state = random_state

    def _loss(self) -> Loss:
        return Logistic()

    def _default_scores(self, scores: FloatArray, y: Any, weight: FloatArray) -> FloatArray:
        """The mean log-probability of the class of a row."""
        own = np.searchsorted(self.classes_, np.asarray(y).ravel())
        softmax = self.loss_.vector_output
        values = []
        for of_strength in scores:
            given = of_strength[:, 0] if of_strength.shape[1] == 1 else of_strength
            logs = log_probabilities(given, softmax=softmax)
            values.append(np.average(logs[np.arange(len(own)), own], weights=weight))
        return np.array(values)
