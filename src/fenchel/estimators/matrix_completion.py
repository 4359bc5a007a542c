"""Matrix completion: a matrix of low rank from some of its entries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from fenchel.design import as_sample_weight
from fenchel.design.completion import CompletionDesign
from fenchel.driver.solve import Callback
from fenchel.errors import InvalidInputError
from fenchel.estimators.base import make_loss
from fenchel.estimators.fitting import FitOptions, keep_outcome, warn_unless_solved
from fenchel.estimators.observations import Observations, as_observations, as_positions
from fenchel.estimators.randomness import RandomState, as_generator
from fenchel.estimators.runs import run
from fenchel.losses import Loss
from fenchel.numerics.effects import Effects, fit_effects
from fenchel.problem.certificate import Certificate
from fenchel.problem.problem import Problem
from fenchel.regularizers import NuclearBall
from fenchel.solvers.base import Solver, Start
from fenchel.typing import FloatArray

__all__ = ["CompletionPoint", "MatrixCompletion"]

_CENTERS = ("mean", "effects", None)


class CompletionPoint(NamedTuple):
    """A model of a path, and its root mean square errors; ``held_out`` is NaN without held-out data."""

    model: MatrixCompletion
    observed: float
    held_out: float


class MatrixCompletion(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Matrix completion in a nuclear-norm ball, with a certified duality gap.

    .. math:: \min_W \; \frac1{\sum_t s_t} \sum_t s_t \, \phi(W_{i_t j_t}, \; y_t - c_{i_t j_t})
              \quad \text{with} \quad \|W\|_* \le r

    over (m, p) matrices W, for observations :math:`y_t` of the entries :math:`(i_t, j_t)` and a centre c
    that is fitted before and then held. W is kept in factors: nothing of the size of the matrix is formed.

    Parameters
    ----------
    radius : float, default 1.0
        The budget r for the sum of the singular values. The useful values grow with the size of the matrix;
        :meth:`path` tries several.
    center : {"mean", "effects", None}, default "mean"
        What is subtracted from the values at first, and added to predictions: their weighted mean; the mean
        and the effects of rows and columns, by 20 sweeps of alternating least squares; or nothing. The
        certificate is that of W, with the centre as it is.
    loss : str or Loss, default "squared"
        A smooth loss for regression: "squared" or "huber", or an instance.
    loss_parameters : dict, optional
        Parameters of a loss that is given by name.
    shape : (int, int), optional
        (m, p); by default that of the sparse matrix, or the largest positions plus one. Give it where rows
        or columns may be without observations, as in cross-validation.
    tol : float, default 1e-3
        Stop when the duality gap is at most ``tol`` times the larger of the primal and the dual value.
    max_passes : float, default 10000
        The most passes over the observations.
    time_limit : float, optional
        The most seconds; the best model until then is kept.
    solver : str or Solver, default "auto"
    warm_start : bool, default False
        Start from the previous fit when the shapes agree.
    random_state : int, RandomState, Generator or None, default None
        Of the first basis for singular vectors.
    verbose : int, default 0
        1 shows a progress bar.
    callback : callable, optional
        Called with the progress after every certificate; a true answer ends the fit.

    Attributes
    ----------
    matrix_ : LowRank
        W, as ``left @ diag(sizes) @ right.T``.
    factors_ : (ndarray of shape (m, k), ndarray of shape (p, k))
        W as a product: the first times the transpose of the second.
    singular_values_ : ndarray of shape (k,)
    rank_ : int
        k.
    offset_, row_effects_, column_effects_ : float, ndarray of shape (m,), ndarray of shape (p,)
        The centre; the effects are zero unless ``center="effects"``.
    certificate_ : Certificate
        ``certificate_.failure`` is 0 when the gap is proven, as it is where the shorter side is at most 2048.
    status_, message_, n_iter_, trace_, solver_
        As in :class:`Regressor`.
    dual_coef_ : ndarray of shape (n_observations,)

    See Also
    --------
    fenchel.SoftImpute : the solver, its cost and its source.

    Notes
    -----
    Rows of ``sample_weight`` zero are no observations, though they count for the shape.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MatrixCompletion
    >>> pairs = [[0, 0], [0, 1], [1, 0]]
    >>> model = MatrixCompletion(1.9, center=None).fit(pairs, [1.0, 1.0, 1.0])
    >>> model.predict([[1, 1]]).round(2), model.rank_
    (array([0.9]), 1)
    """

    matrix_: Any

    def __init__(
        self,
        radius: float = 1.0,
        *,
        center: str | None = "mean",
        loss: str | Loss = "squared",
        loss_parameters: dict[str, Any] | None = None,
        shape: tuple[int, int] | None = None,
        tol: float = 1e-3,
        max_passes: float = 10_000,
        time_limit: float | None = None,
        solver: str | Solver[Any] = "auto",
        warm_start: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.radius = radius
        self.center = center
        self.loss = loss
        self.loss_parameters = loss_parameters
        self.shape = shape
        self.tol = tol
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.solver = solver
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MatrixCompletion:
        """Fit the matrix, and prove how good it is.

        Parameters
        ----------
        X : array-like of shape (n_observations, 2), or sparse matrix of shape (m, p)
            The positions (row, column); or the matrix itself, whose stored entries are the observations,
            explicit zeros too.
        y : array-like of shape (n_observations,)
            The values; None for a sparse matrix.
        sample_weight : array-like of shape (n_observations,), optional
            For a sparse matrix in the order of its rows, then columns.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When the data or a parameter has a value that no fit can use.
        UnsupportedProblemError
            When the loss is not smooth.

        Warns
        -----
        ConvergenceWarning
            When the fit stopped before it reached ``tol``. The model is usable, and its certificate true.
        """
        observed = as_observations(X, y, self.shape)
        weight = as_sample_weight(sample_weight, len(observed.values))
        center = self._fit_center(observed, weight)
        problem = self._problem(observed, center, weight)
        options = FitOptions.of(self)
        (result,) = run([problem], [self._start(observed.shape)], options, as_generator(self.random_state))
        self.offset_, self.row_effects_, self.column_effects_ = center
        w: Any = result.w
        self.matrix_ = w.compressed()
        self.singular_values_, self.rank_ = self.matrix_.sizes, self.matrix_.rank
        root = np.sqrt(self.singular_values_)
        self.factors_ = self.matrix_.left * root, self.matrix_.right * root
        self.dual_coef_ = result.u
        keep_outcome(self, [result])
        self.n_features_in_ = 2
        warn_unless_solved(type(self).__name__, [result], options, stacklevel=3)
        return self

    def predict(self, X: Any) -> FloatArray:
        """The entries at pairs of positions.

        Parameters
        ----------
        X : array-like of shape (n, 2)
            Rows and columns of the fitted matrix.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        rows, columns = as_positions(X, self.matrix_.shape)
        predicted: FloatArray = self._center.at(rows, columns) + self.matrix_.entries(rows, columns)
        return predicted

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Prove again, on these data and with the fitted centre, how far W is from the optimum."""
        check_is_fitted(self)
        observed = as_observations(X, y, self.matrix_.shape)
        problem = self._problem(observed, self._center, as_sample_weight(sample_weight, len(observed.values)))
        dual = self.dual_coef_ if len(self.dual_coef_) == len(observed.values) else None
        found = [problem.certify(self.matrix_, u) for u in (None, dual)]
        return max(found, key=lambda certificate: certificate.dual)

    def path(
        self, radii: Iterable[float], X: Any, y: Any = None, *, held_out: tuple[Any, Any] | None = None
    ) -> list[CompletionPoint]:
        """Fit a model a radius, each from the one before; small radii first are the fastest.

        Parameters
        ----------
        radii : iterable of float
        X, y
            As in :meth:`fit`.
        held_out : (pairs, values), optional
            Observations that are not fitted.

        Returns
        -------
        list of CompletionPoint
            Fitted clones of this estimator, in the order of the radii, with their root mean square errors.
        """
        observed = as_observations(X, y, self.shape)
        pairs = np.column_stack([observed.rows, observed.columns])
        points: list[CompletionPoint] = []
        for radius in radii:
            model = clone(self).set_params(radius=radius, shape=observed.shape, warm_start=True)
            if points:
                model.matrix_ = points[-1].model.matrix_
            model.fit(pairs, observed.values)
            error = np.nan if held_out is None else model._error(*held_out)
            points.append(CompletionPoint(model, model._error(pairs, observed.values), error))
        return points

    def _error(self, X: npt.ArrayLike, y: npt.ArrayLike) -> float:
        """The root mean square error."""
        return float(np.sqrt(np.mean((self.predict(X) - np.asarray(y)) ** 2)))

    @property
    def _center(self) -> Effects:
        return Effects(self.offset_, self.row_effects_, self.column_effects_)

    def _fit_center(self, observed: Observations, weight: FloatArray) -> Effects:
        if self.center not in _CENTERS:
            raise InvalidInputError(f"center={self.center!r} is unknown. Use one of {_CENTERS}.")
        if self.center is None:
            return Effects(0.0, np.zeros(observed.shape[0]), np.zeros(observed.shape[1]))
        rows, columns, values, shape = observed
        return fit_effects(rows, columns, values, weight, shape, additive=self.center == "effects")

    def _problem(self, observed: Observations, center: Effects, weight: FloatArray) -> Problem:
        rows, columns, values, shape = observed
        design = CompletionDesign(rows, columns, shape)
        target = values - center.at(rows, columns)
        return Problem(design, target, make_loss(self, "regression"), NuclearBall(self.radius), weight)

    def _start(self, shape: tuple[int, int]) -> Start:
        """The matrix of the previous fit, when it is wanted and has the right shape."""
        previous = getattr(self, "matrix_", None) if self.warm_start else None
        return Start(previous if previous is not None and previous.shape == shape else None)
