"""Columns and rows that represent a matrix: a convex CUR decomposition."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from fenchel.design.bilinear import BilinearDesign
from fenchel.driver.solve import Callback
from fenchel.errors import InvalidInputError
from fenchel.estimators.fitting import FitOptions, keep_outcome, warn_unless_solved
from fenchel.estimators.randomness import RandomState, as_generator
from fenchel.estimators.runs import run
from fenchel.losses import Squared
from fenchel.numerics.projections import row_maxima
from fenchel.problem.problem import Problem
from fenchel.regularizers import RowColumnBall
from fenchel.solvers.base import Solver, Start
from fenchel.typing import BoolArray, FloatArray, IndexArray

__all__ = ["CURSelector"]

_NEGLIGIBLE = 1e-6
"""A row or column of W that is this small beside the largest one counts as zero."""


class CURSelector(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Choose columns and rows of a matrix from which the whole can be rebuilt, with a certified gap.

    .. math:: \min_W \; \frac1{2 m d} \, \bigl\| \hat M - \hat M W \hat M \bigr\|_F^2
              \quad \text{with} \quad \sum_j \max_l |W_{jl}| \le r, \;\;
              \sum_l \max_j |W_{jl}| \le r, \qquad \hat M = M / \|M\|_2

    over W of shape (d, m) for M of shape (m, d). Row j of W uses column j of M, and column l of W uses row l:
    the budget makes both few. :meth:`transform` keeps the chosen columns, as a feature selector does.

    Parameters
    ----------
    radius : float, default 1.0
        The budget r. It does not depend on the scale of M.
    n_columns, n_rows : int, optional
        At most so many columns and rows, those with the largest scores; by default all with a score
        above 1e-6 of the largest one.
    oracle_accuracy : float in (0, 1), default 1e-10
        How near each call of the oracle comes to its optimum, as a share of it. Most of the time goes there:
        with more than some ten thousand entries 1e-4 is a multiple faster. The certificate stays true, but
        where the best W leaves almost no error the gap stops falling at a share that may exceed ``tol``.
    tol : float, default 1e-3
        Stop when the duality gap is at most ``tol`` times the larger of the primal and the dual value.
    max_passes : float, default 1000
        The most passes over M; a step takes four products with it.
    time_limit : float, optional
        The most seconds; the best model until then is kept.
    solver : str or Solver, default "auto"
    random_state : int, RandomState, Generator or None, default None
        Nothing is drawn by the solver that "auto" takes.
    verbose : int, default 0
        1 shows a progress bar.
    callback : callable, optional
        Called with the progress after every certificate; a true answer ends the fit.

    Attributes
    ----------
    coef_ : ndarray of shape (d, m)
        W.
    column_scores_, row_scores_ : ndarray of shape (d,), ndarray of shape (m,)
        The largest sizes in the rows of W and in its columns.
    column_indices_, row_indices_ : ndarray of int
        The chosen ones, the largest score first.
    relative_error_ : float
        :math:`\|M - C\, C^+ M R^+ R\|_F / \|M\|_F` with the chosen columns C and rows R.
    certificate_, status_, message_, n_iter_, trace_, solver_
        As in :class:`Regressor`.

    See Also
    --------
    fenchel.FullyCorrectiveFrankWolfe : the solver, its cost and its source.

    Notes
    -----
    M is dense and of moderate size: the oracle of the set is a game on all of its entries.

    References
    ----------
    .. [1] J. Bien, Y. Xu and M. W. Mahoney, "CUR from a sparse optimization viewpoint", Advances in Neural
       Information Processing Systems 23, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import CURSelector
    >>> M = np.outer([1.0, 0.2, 0.1], [0.1, 2.0, 0.3, 0.2])
    >>> model = CURSelector(radius=0.5).fit(M)
    >>> model.column_indices_, model.row_indices_, round(model.relative_error_, 6)
    (array([1]), array([0]), 0.0)
    >>> model.transform(M).ravel()
    array([2. , 0.4, 0.2])
    """

    def __init__(
        self,
        radius: float = 1.0,
        *,
        n_columns: int | None = None,
        n_rows: int | None = None,
        oracle_accuracy: float = 1e-10,
        tol: float = 1e-3,
        max_passes: float = 1000,
        time_limit: float | None = None,
        solver: str | Solver[Any] = "auto",
        random_state: RandomState = None,
        verbose: int = 0,
        callback: Callback | None = None,
    ) -> None:
        self.radius = radius
        self.n_columns = n_columns
        self.n_rows = n_rows
        self.oracle_accuracy = oracle_accuracy
        self.tol = tol
        self.max_passes = max_passes
        self.time_limit = time_limit
        self.solver = solver
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: npt.ArrayLike, y: Any = None) -> CURSelector:
        """Choose columns and rows, and prove how good their weights are.

        Parameters
        ----------
        X : array-like of shape (m, d)
            M, dense.
        y : ignored

        Returns
        -------
        self

        Warns
        -----
        ConvergenceWarning
            When the fit stopped before it reached ``tol``. The choice is usable, and its certificate true.
        """
        for name in ("n_columns", "n_rows"):
            _check_count(name, getattr(self, name))
        M: FloatArray = validate_data(self, X, dtype=np.float64)
        norm = float(np.linalg.norm(M, 2)) or 1.0
        ball = RowColumnBall(float(self.radius), self.oracle_accuracy)
        problem = Problem(BilinearDesign(M / norm), (M / norm).ravel(), Squared(), ball)
        options = FitOptions.of(self)
        (result,) = run([problem], [Start()], options, as_generator(self.random_state))
        self.coef_ = result.w
        self.column_scores_, self.row_scores_ = row_maxima(result.w), row_maxima(result.w.T)
        self.column_indices_ = _largest(self.column_scores_, self.n_columns)
        self.row_indices_ = _largest(self.row_scores_, self.n_rows)
        self.relative_error_ = self._relative_error(M)
        keep_outcome(self, [result])
        warn_unless_solved(type(self).__name__, [result], options, stacklevel=3)
        return self

    def get_support(self) -> BoolArray:
        """Whether each column is chosen, shape (d,)."""
        check_is_fitted(self)
        mask = np.zeros(len(self.column_scores_), dtype=bool)
        mask[self.column_indices_] = True
        return mask

    def transform(self, X: npt.ArrayLike) -> FloatArray:
        """Keep the chosen columns, in the order in which they stand.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, number of chosen columns)
        """
        support = self.get_support()
        kept: FloatArray = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])[:, support]
        return kept

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the chosen columns: those of the data frame of the fit, or x0, x1 and so on."""
        support = self.get_support()
        return _check_feature_names_in(self, input_features)[support]

    def _relative_error(self, M: FloatArray) -> float:
        """Of the best matrix that the chosen columns and rows span."""
        columns, rows = M[:, self.column_indices_], M[self.row_indices_]
        rebuilt = columns @ (np.linalg.pinv(columns) @ M @ np.linalg.pinv(rows)) @ rows
        size = float(np.linalg.norm(M))
        return float(np.linalg.norm(M - rebuilt)) / size if size > 0 else 0.0


def _largest(scores: FloatArray, count: int | None) -> IndexArray:
    """The positions of the largest scores that are not negligible, in descending order."""
    order = np.argsort(-scores, kind="stable")
    above = scores[order] > _NEGLIGIBLE * scores.max(initial=0.0)
    chosen: IndexArray = order[above][:count].astype(np.int64)
    return chosen


def _check_count(name: str, count: object) -> None:
    if count is not None and (not isinstance(count, Integral) or int(count) < 1):
        raise InvalidInputError(f"{name}={count!r} is not a positive integer. Pass one, or None for all.")
