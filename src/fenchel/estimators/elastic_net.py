"""The elastic net."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from fenchel.driver.solve import Callback
from fenchel.estimators.penalty import DEFAULT_L2
from fenchel.estimators.randomness import RandomState
from fenchel.estimators.regression import LinearRegressor
from fenchel.losses import Loss, Squared
from fenchel.solvers.base import Solver

__all__ = ["ElasticNet"]


class ElasticNet(LinearRegressor):
    r"""Least squares with an l1 and a squared l2 penalty, and a certified duality gap.

    .. math:: \min_{w, c} \; \frac1{2 \sum_i s_i} \sum_i s_i (x_i^\top w + c - y_i)^2
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2

    :class:`Regressor` with the squared loss.

    Parameters
    ----------
    l1 : float or str, default "0.1max"
        The strength of the l1 penalty, or its share of the largest useful one, such as ``"0.05max"``.
    l2 : float, default 1e-4
        The strength of the squared l2 penalty.
    penalty_weights, lower, upper, standardize, fit_intercept
        As in :class:`Regressor`.
    tol, max_passes, time_limit, solver, warm_start, random_state, verbose, callback
        As in :class:`Regressor`; so are the attributes.

    References
    ----------
    H. Zou and T. Hastie, Regularization and variable selection via the elastic net, Journal of the Royal
    Statistical Society B 67(2), 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import ElasticNet
    >>> model = ElasticNet(l1=0.5, l2=0.5, fit_intercept=False).fit(np.eye(2), [3.0, 0.5])
    >>> model.coef_
    array([1., 0.])
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def __init__(
        self,
        l1: float | str = "0.1max",
        l2: float = DEFAULT_L2,
        *,
        penalty_weights: npt.ArrayLike | None = None,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        standardize: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_passes: float = 10_000,
        time_limit: float | None = None,
        solver: str | Solver[Any] = "auto",
        warm_start: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.l1 = l1
        self.l2 = l2
        self.penalty_weights = penalty_weights
        self.lower = lower
        self.upper = upper
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.solver = solver
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _loss(self) -> Loss:
        return Squared()
