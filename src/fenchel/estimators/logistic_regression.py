"""Logistic regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from fenchel.driver.solve import Callback
from fenchel.estimators.classification import LinearClassifier
from fenchel.estimators.randomness import RandomState
from fenchel.losses import Logistic, Loss
from fenchel.regularizers import Regularizer
from fenchel.solvers.base import Solver

__all__ = ["LogisticRegression"]


class LogisticRegression(LinearClassifier):
    r"""Logistic regression with a certified duality gap.

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i \log(1 + e^{-y_i (x_i^\top w + c)})
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2

    :class:`Classifier` with ``loss="logistic"``; ``l2 = 1 / (C n_samples)`` for a solver that uses C. More
    than two classes are one problem with the softmax loss, and coefficients :math:`w_l, c_l` for each class,

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i
              \Bigl( \log \sum_l e^{x_i^\top w_l + c_l} - x_i^\top w_{y_i} - c_{y_i} \Bigr)
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2.

    Parameters
    ----------
    multi_class : {"auto", "native", "one_vs_rest"}, default "auto"
        "one_vs_rest" fits each of more than two classes against the rest; the others fit one problem.
    l1 : float or str, default 0.0
        The strength of the l1 penalty, or its share of the largest useful one, such as ``"0.05max"``.
    l2 : float, optional
        The strength of the squared l2 penalty. By default 1e-4 when there is no other penalty and
        no constraint, else 0.
    penalty_weights, penalty, lower, upper, constraint, standardize, fit_intercept
        As in :class:`Classifier`.
    tol, max_passes, time_limit, solver, class_weight, warm_start, random_state, verbose, callback
        As in :class:`Classifier`; so are the attributes.

    References
    ----------
    T. Hastie, R. Tibshirani, M. Wainwright, Statistical Learning with Sparsity, CRC Press, 2015, chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import LogisticRegression
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = LogisticRegression(l2=0.1).fit(X, [0, 1, 0, 1])
    >>> model.predict_proba([[0.0]]).round(6)
    array([[0.5, 0.5]])
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def __init__(
        self,
        *,
        multi_class: str = "auto",
        l1: float | str = 0.0,
        l2: float | None = None,
        penalty_weights: npt.ArrayLike | None = None,
        penalty: Regularizer | None = None,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        constraint: Regularizer | None = None,
        standardize: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_passes: float = 10_000,
        time_limit: float | None = None,
        solver: str | Solver[Any] = "auto",
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.multi_class = multi_class
        self.l1 = l1
        self.l2 = l2
        self.penalty_weights = penalty_weights
        self.penalty = penalty
        self.lower = lower
        self.upper = upper
        self.constraint = constraint
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.solver = solver
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _loss(self) -> Loss:
        return Logistic()
