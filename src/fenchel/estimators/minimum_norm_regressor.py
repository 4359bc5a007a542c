"""The linear fit of least norm."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from fenchel.design import as_target
from fenchel.driver.solve import Callback
from fenchel.errors import InvalidInputError
from fenchel.estimators.base import Task
from fenchel.estimators.fitting import FitOptions
from fenchel.estimators.minimum_norm import MinimumNormModel
from fenchel.estimators.randomness import RandomState
from fenchel.estimators.regression import LinearRegressor
from fenchel.losses import BallConstraint, EqualityConstraint, IntervalConstraint, Loss
from fenchel.problem.problem import Problem
from fenchel.solvers.base import Solver
from fenchel.typing import FloatArray

__all__ = ["MinimumNormRegressor"]


class MinimumNormRegressor(MinimumNormModel, LinearRegressor):
    r"""The coefficients of least norm that fit every target, with a certificate.

    .. math:: \min_w \; \tfrac12 \|w\|_p^2 \quad \text{subject to} \quad |x_i^\top w - y_i| \le \epsilon
              \text{ for all } i

    For p = 2 and :math:`\epsilon = 0` it is the solution of the pseudo-inverse; with d features
    :math:`p = 1 + 1/\log d` stands for the l1 norm, of which it is at most a factor e above:
    :math:`\|w\|_p \le \|w\|_1 \le d^{1 - 1/p} \|w\|_p`.

    Several outputs are one problem: the distance is the Euclidean one of the row of targets, and the norm
    runs over all coefficients.

    Parameters
    ----------
    p : float, 1 < p <= 2, default 2.0
        The exponent of the norm.
    epsilon : float, default 0.0
        How far a fitted value may be from its target; 0 for an exact fit.
    max_norm : float, optional
        The fit ends as soon as it is proven that every solution has a larger norm: the targets contradict
        each other, or might as well. The certificate is of half the squared norm, so that the limit on its
        dual value is ``max_norm ** 2 / 2``. By default there is none.
    fit_intercept : bool, default False
        Whether a column of ones joins the features. Its coefficient is the intercept, and counts in the norm
        as any other: for p = 2 and an exact fit with a free one, centre X and y.
    tol : float, default 1e-6
        Stop when the duality gap is at most ``tol`` times the larger of the primal and the dual value, and
        no fitted value is further from its target than epsilon by more than ``tol`` times the largest target.
    max_passes : float, default 10000
    time_limit : float, optional
    solver : str or Solver, default "auto"
    warm_start : bool, default False
        Start from the dual point of the previous fit when the shapes agree.
    random_state : int, Generator, RandomState or None, default None
    verbose : int, default 0
    callback : callable, optional
        These are as in :class:`Regressor`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,) or (n_outputs, n_features)
    intercept_ : float or ndarray of shape (n_outputs,)
    dual_coef_ : ndarray of shape (n_samples,) or (n_outputs, n_samples)
        The dual point, which proves the lower bound on the norm.
    violation_ : float
        By how much the worst fitted value is further from its target than epsilon; 0 up to rounding. The gap
        of a fit with a violation is that to the least norm under the distances it has.
    certificate_ : Certificate
        Of half the squared norm.
    certificates_, status_, message_, n_iter_, trace_, solver_, regularizer_
        As in :class:`Regressor`.
    loss_ : Loss
        The constraint.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    Warns
    -----
    ConvergenceWarning
        When the fit stopped before it reached ``tol``; the text has the violation. Where no coefficients
        meet all constraints, the dual values grow without end: ``max_norm`` makes that a proof, with the
        status ``Status.INFEASIBLE``. The coefficients are then of no importance, and depend on the seed.

    See Also
    --------
    Regressor : With slack, by ``Regressor(SquaredDistance(EqualityConstraint(), C), penalty=SquaredLp(p))``.

    Notes
    -----
    A sample weight of 0 is the same as a row that is not there; other weights change nothing. Sparse X stays
    sparse. A model file (``fenchel fit``) does not hold this estimator. Cost of a pass: the stored entries of
    X; with a power for each for p < 2.

    References
    ----------
    A. Raj and F. Bach, Explicit regularization of stochastic gradient methods through duality, AISTATS 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MinimumNormRegressor
    >>> X, y = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([1.0, 2.0])
    >>> model = MinimumNormRegressor(tol=1e-12).fit(X, y)
    >>> bool(np.allclose(model.coef_, np.linalg.pinv(X) @ y))
    True
    >>> sparse = MinimumNormRegressor(p=1.1).fit(X, y)
    >>> bool(abs(sparse.coef_).sum() < abs(model.coef_).sum())
    True
    >>> MinimumNormRegressor(epsilon=3.0).fit(X, y).coef_
    array([0., 0., 0.])
    """

    def __init__(
        self,
        p: float = 2.0,
        *,
        epsilon: float = 0.0,
        max_norm: float | None = None,
        fit_intercept: bool = False,
        tol: float = 1e-6,
        max_passes: float = 10_000,
        time_limit: float | None = None,
        solver: str | Solver[Any] = "auto",
        warm_start: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.p = p
        self.epsilon = epsilon
        self.max_norm = max_norm
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
        return EqualityConstraint() if self.epsilon == 0.0 else IntervalConstraint(self.epsilon)

    def _task(self, y: Any, sample_weight: FloatArray, *, reset: bool) -> Task:
        targets = np.asarray(y)
        if targets.ndim != 2:
            return super()._task(y, sample_weight, reset=reset)
        if reset:
            self._several = True
        matrix = as_target(targets, len(sample_weight), n_dim=2)
        if matrix.shape[1] == 1:
            return Task(self._loss(), [matrix[:, 0].copy()], sample_weight)
        return Task(BallConstraint(self.epsilon), [matrix], sample_weight)

    def _options(self) -> FitOptions:
        options, given = FitOptions.of(self), self._max_norm()
        return options if given is None else replace(options, limit=0.5 * given**2)

    def _max_norm(self) -> float | None:
        given: object = self.max_norm
        if given is None:
            return None
        if not isinstance(given, Real) or not float(given) > 0.0:
            raise InvalidInputError(
                f"max_norm={given!r} is not a positive number. Pass the largest norm that would be of use, "
                "or None."
            )
        return float(given)

    def _store(self, problems: list[Problem], results: list[Any]) -> None:
        super()._store(problems, results)
        self.violation_ = self.certificate_.violation
