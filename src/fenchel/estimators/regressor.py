"""Linear regression with any loss for it."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from fenchel.driver.solve import Callback
from fenchel.estimators.base import make_loss
from fenchel.estimators.randomness import RandomState
from fenchel.estimators.regression import LinearRegressor
from fenchel.losses import Loss
from fenchel.regularizers import Regularizer
from fenchel.solvers.base import Solver

__all__ = ["Regressor"]


class Regressor(LinearRegressor):
    r"""A linear regression with a certified duality gap.

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i \, \phi(x_i^\top w + c, y_i)
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2

    The intercept c is never penalised. The loss is a weighted mean, so the strengths do not depend on
    the number of samples; the squared loss is half the squared error.

    Parameters
    ----------
    loss : str or Loss, default "squared"
        "squared", "absolute", "huber", "quantile", "epsilon_insensitive", "multi_squared", or an instance
        from ``fenchel.losses``. The squared loss takes y of shape (n_samples, n_outputs) too.
    loss_parameters : dict, optional
        Parameters of a loss that is given by name, such as ``{"threshold": 2.0}``.
    l1 : float or str, default 0.0
        The strength of the l1 penalty. A string such as ``"0.05max"`` is relative to the smallest
        strength at which every coefficient is zero.
    l2 : float, optional
        The strength of the squared l2 penalty. By default 1e-4 when there is no other penalty and no
        constraint, else 0.
    penalty_weights : array-like of shape (n_features,), optional
        Factors on l1 and l2, one a feature; 0 leaves a feature unpenalised.
    penalty : Regularizer, optional
        The whole penalty, in place of l1, l2 and penalty_weights, such as ``GroupL2(0.1, groups)``.
    lower, upper : float or array-like of shape (n_features,), optional
        Bounds on the coefficients, which hold exactly; ``lower=0`` for coefficients that are not negative.
    constraint : Regularizer, optional
        The set in which the coefficients lie, in place of lower and upper, such as ``L1Ball(5.0)``. Some sets
        go with a penalty: ``constraint=L1Ball(5.0), l1=0.1`` is ``constraint=L1Ball(5.0, l1=0.1)``.
        Several outputs share a set that is not a bound on each coefficient.
    standardize : bool, default False
        Penalise every column as if it had unit standard deviation (about zero without an intercept). The
        data are left as they are, and the coefficients are in their units.
    fit_intercept : bool, default True
    tol : float, default 1e-6
        Stop when the duality gap is at most ``tol`` times the larger of the primal and the dual value.
    max_passes : float, default 10000
        The most passes over the data.
    time_limit : float, optional
        The most seconds; the best model until then is kept.
    solver : str or Solver, default "auto"
        The name of a solver (see :func:`~fenchel.solve`), an instance, or "auto".
    warm_start : bool, default False
        Start from the previous fit when the shapes agree.
    random_state : int, Generator, RandomState or None, default None
        The same int gives the same model.
    verbose : int, default 0
        1 shows a progress bar on stderr.
    callback : callable, optional
        Called with the progress after every certificate; a true answer ends the fit.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
    intercept_ : float or ndarray of shape (n_outputs,)
    dual_coef_ : ndarray of shape (n_samples,) or (n_outputs, n_samples)
        A feasible dual point: with ``coef_`` it proves the certificate.
    certificate_ : Certificate
        Primal value, dual value and gap.
    certificates_ : list of Certificate
        The same, in a list.
    status_ : Status
        Why the fit ended.
    message_ : str
        The status in words.
    n_iter_ : int
        Passes over the data; at least 1.
    trace_ : list of Progress
        One record a certificate.
    solver_ : str
        The solver that ran.
    regularizer_ : Regularizer
        The penalty and the constraint with all their numbers, as one function.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    See Also
    --------
    Lasso, ElasticNet : The squared loss with a fixed choice of penalties.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, Mathematical Programming 155, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Regressor
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = Regressor(loss="huber", l2=0.0).fit(X, [1.0, 3.0, 5.0, 7.0])
    >>> model.predict([[10.0]]).round(3)
    array([21.])

    The weights of a mean, which are not negative and sum to one:

    >>> from fenchel.regularizers import Simplex
    >>> X = np.array([[1.0, 2.0, 9.0], [2.0, 4.0, -3.0], [4.0, 3.0, 5.0]])
    >>> Regressor(constraint=Simplex(), fit_intercept=False).fit(X, X @ [0.25, 0.75, 0.0]).coef_.round(6)
    array([0.25, 0.75, 0.  ])
    """

    def __init__(
        self,
        loss: str | Loss = "squared",
        *,
        loss_parameters: dict[str, float] | None = None,
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
        warm_start: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.loss = loss
        self.loss_parameters = loss_parameters
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
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _loss(self) -> Loss:
        return make_loss(self, "regression")
