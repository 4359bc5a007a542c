"""The lasso with its strength chosen by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from fenchel.estimators.randomness import RandomState
from fenchel.estimators.regression_cv import RegressorCV
from fenchel.solvers.base import Solver

__all__ = ["LassoCV"]


class LassoCV(RegressorCV):
    r"""The lasso, with the strength that cross-validation chooses along certified paths.

    .. math:: \min_{w, c} \; \frac1{2 \sum_i s_i} \sum_i s_i (x_i^\top w + c - y_i)^2 + \lambda_1 \|w\|_1

    Every fold is a path over the same strengths, each point from the solution of the one before and with a
    certificate of its own; then a path on all rows gives the model. Sample weights go into the fits and into
    the scores. Several outputs share the strength.

    Parameters
    ----------
    n_strengths : int, default 100
    ratio : float, default 1e-3
        The smallest strength over the largest, which is the smallest one at which every coefficient is zero.
    strengths : array-like, optional
        The strengths, in place of these two.
    cv : int, splitter or iterable of splits, optional
        The folds, as scikit-learn's ``check_cv`` takes them; by default five.
    scoring : str or callable, optional
        A scorer of scikit-learn. By default minus the mean squared error.
    selection : {"min", "one_se"}, default "min"
        "min" takes the strength with the best mean over the folds; "one_se" the largest one that is within
        one standard error of it, which gives a sparser model.
    n_jobs : int, default 1
        Threads for the folds; -1 for one a core.
    penalty_weights, lower, upper, standardize, fit_intercept
        As in :class:`Lasso`; ``standardize`` is by the training rows of each fold.
    tol, max_passes
        As in :class:`Lasso`, for every point of every path.
    solver, random_state
        As in :class:`Lasso`.

    Attributes
    ----------
    strength_ : float
        The chosen strength, also ``alpha_``.
    strengths_ : ndarray of shape (n_strengths,), also ``alphas_``
        From the largest down, computed on all rows and used on every fold.
    scores_ : ndarray of shape (n_strengths, n_folds)
        The scores on the test rows, the larger the better.
    mse_path_ : ndarray of shape (n_strengths, n_folds)
        The mean squared errors, where ``scoring`` is None.
    paths_ : list of PathResult
        The path on all rows, with the certificate of every point; one a problem.
    fold_gaps_ : ndarray, like ``scores_``
        The certified relative gaps of the fits on the folds.
    l1_ratio_ : float
    coef_, intercept_, dual_coef_, certificate_, certificates_, status_, message_, n_iter_, trace_, solver_
        As in :class:`Lasso`: of the fit on all rows at the chosen strength. Likewise ``regularizer_``.

    See Also
    --------
    Lasso : The same at one strength.
    fenchel.path : The path alone.

    References
    ----------
    J. Friedman, T. Hastie, R. Tibshirani, Regularization paths for generalized linear models via coordinate
    descent, Journal of Statistical Software 33(1), 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from fenchel import LassoCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LassoCV(n_strengths=20, selection="one_se", standardize=True).fit(X, y)
    >>> int((model.coef_ != 0).sum())
    6
    >>> bool(model.paths_[0].relative_gaps.max() <= 1e-6)
    True
    """

    def __init__(
        self,
        *,
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
        random_state: RandomState = None,
    ) -> None:
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
        self.random_state = random_state
