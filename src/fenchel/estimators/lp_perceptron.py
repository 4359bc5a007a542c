"""The perceptron as an estimator, for data at hand or in a stream."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from fenchel._kernels.primal_mirror import perceptron_pass
from fenchel.design import Design
from fenchel.errors import ConvergenceWarning, InvalidInputError
from fenchel.estimators.base import Task
from fenchel.estimators.classification import LinearClassifier
from fenchel.estimators.fitting import total_certificate
from fenchel.estimators.inputs import check_design, require_target
from fenchel.estimators.labels import foretold_classes
from fenchel.estimators.margins import least_margin, margin_bound
from fenchel.estimators.minimum_norm import MinimumNormModel
from fenchel.estimators.randomness import RandomState, as_generator
from fenchel.losses import Loss, MarginConstraint
from fenchel.problem.multiples import feasible_multiple
from fenchel.problem.problem import Problem
from fenchel.solvers.interpolation.image_state import response
from fenchel.solvers.interpolation.perceptron import Perceptron
from fenchel.solvers.interpolation.setting import dual_point, map_arrays
from fenchel.typing import FloatArray, IndexArray

__all__ = ["LpPerceptron"]


class LpPerceptron(MinimumNormModel, LinearClassifier):
    r"""The perceptron of the lp norm: a row on the wrong side moves the image by its own features.

    .. math:: y_i x_i^\top w \le 0: \qquad t \leftarrow t + y_i x_i, \qquad
              w = \nabla \tfrac12 \|t\|_q^2, \quad \tfrac1p + \tfrac1q = 1

    Rosenblatt's for p = 2. For p near 1 few features matter: the number of mistakes grows with the logarithm
    of the number of features. The method is that of :class:`Perceptron`, a row at a time. Each of
    more than two classes is told from the rest.

    Parameters
    ----------
    p : float, 1 < p <= 2, default 2.0
        The exponent of the norm that margins are measured in.
    margin : float, default 0.0
        Rows with a label times score of at most this move the image, too: a mistake is a score on the wrong
        side of it. It is measured in units of w, which grows with the number of moves.
    fit_intercept : bool, default False
        Whether a column of ones joins the features. Its coefficient is the intercept.
    max_passes : int, default 1000
        The most passes of :meth:`fit`, which ends after one without a mistake.
    shuffle : bool, default True
        Whether every pass of :meth:`fit` has an order of its own; else it is that of the rows.
    random_state : int, Generator, RandomState or None, default None

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    image_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The sums t; with ``fit_intercept`` they have one entry more.
    mistakes_ : int or ndarray of shape (n_classes,)
        The moves since :meth:`fit` began, or the first :meth:`partial_fit`: with margin 0, the mistakes.
    margin_bounds_ : ndarray of shape (2,) or (n_classes, 2)
        The margin of the coefficients on the data of :meth:`fit` (0 where a row is on the wrong side, and
        after :meth:`partial_fit`, which has not seen all rows), and a bound on the margin of any hyperplane
        over all rows so far, :math:`\|t\|_q` over the number of moves.
    separates_ : bool
        Whether the last pass was without a mistake.
    n_iter_ : int
        The passes so far.
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        The moves of every row of :meth:`fit` as dual points; of no columns after :meth:`partial_fit`.
    certificate_, certificates_ : Certificate, list of Certificate
        Of half the squared norm of the coefficients, scaled to scores of at least 1, against the least that
        any hyperplane needs. After :meth:`fit` alone.
    loss_, regularizer_
        The constraint and the norm of that problem.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    Warns
    -----
    ConvergenceWarning
        By :meth:`fit`, when its last pass made mistakes.

    See Also
    --------
    MaximumMarginClassifier : The hyperplane of the largest margin.
    Perceptron : The solver, which draws rows with replacement.

    Notes
    -----
    Where the largest margin is m, there are at most :math:`\max_i \|x_i\|_q^2 / ((p - 1) m^2)` mistakes,
    whatever the order. There are no sample weights: leave rows out. Cost of a pass: the stored entries of X,
    twice where a row moves; a power for each for p < 2. A model file (``fenchel fit``) does not hold this
    estimator.

    References
    ----------
    F. Rosenblatt, The perceptron: a probabilistic model for information storage and organization in the
    brain, Psychological Review 65, 1958. C. Gentile, The robustness of the p-norm algorithms, Machine
    Learning 53(3), 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import LpPerceptron
    >>> X, y = np.array([[2.0, 1.0], [1.0, 2.0], [-1.0, 1.0]]), np.array([1, 1, 0])
    >>> model = LpPerceptron(random_state=0).fit(X, y)
    >>> model.separates_, model.predict(X).tolist(), bool(model.margin_bounds_[0] > 0)
    (True, [1, 1, 0], True)

    In a stream:

    >>> stream = LpPerceptron(p=1.5)
    >>> for rows, labels in [(X[:1], [1]), (X[1:], [1, 0])]:
    ...     stream = stream.partial_fit(rows, labels, classes=[0, 1])
    >>> stream.mistakes_
    1
    """

    loss = MarginConstraint.name
    multi_class = "one_vs_rest"
    class_weight = None

    def __init__(
        self,
        p: float = 2.0,
        *,
        margin: float = 0.0,
        fit_intercept: bool = False,
        max_passes: int = 1000,
        shuffle: bool = True,
        random_state: RandomState = None,
    ) -> None:
        self.p = p
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_passes = max_passes
        self.shuffle = shuffle
        self.random_state = random_state

    def _loss(self) -> Loss:
        return MarginConstraint()

    def fit(self, X: Any, y: Any) -> LpPerceptron:  # type: ignore[override]  # There are no weights.
        """Pass over the rows until none is on the wrong side.

        Parameters
        ----------
        X : array-like or sparse matrix or data frame of shape (n_samples, n_features)
            float32 and float64, CSR and CSC are taken without a copy. It is never modified.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When the data or a parameter has a value that no fit can use.
        """
        self._check()
        require_target(self, y)
        design = check_design(self, X, reset=True)
        task = self._task(y, np.ones(design.shape[0]), reset=True)
        problems = self._begin(design, task)
        moves = [np.zeros(problem.n_samples) for problem in problems]
        rng, order = as_generator(self.random_state), np.arange(design.shape[0])
        while self.n_iter_ < self.max_passes and not self.separates_:
            self._pass(problems, moves, rng.permutation(order) if self.shuffle else order)
        points = self._responses(problems)
        least = [least_margin(problem, w, self.p) for problem, w in zip(problems, points, strict=True)]
        self._keep(points, [max(margin, 0.0) for margin in least])
        self._certify_moves(problems, points, moves)
        self._warn_of_mistakes(stacklevel=3)
        return self

    def partial_fit(self, X: Any, y: Any, classes: npt.ArrayLike | None = None) -> LpPerceptron:
        """Pass once over some rows, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All labels that will ever come; needed in the first call, and later no others.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When the data have a value that no fit can use, or a label that was not foretold.
        """
        self._check()
        require_target(self, y)
        first = not hasattr(self, "image_")
        design = check_design(self, X, reset=first)
        self.classes_ = foretold_classes(classes, None if first else self.classes_)
        if first:
            self.loss_ = self._loss()
        task = self._task(y, np.ones(design.shape[0]), reset=False)
        problems = self._begin(design, task) if first else self._problems(design, task)
        moves = [np.zeros(problem.n_samples) for problem in problems]
        self._pass(problems, moves, np.arange(design.shape[0]))
        self._keep(self._responses(problems), [0.0] * len(problems))
        return self

    def _warn_of_mistakes(self, stacklevel: int) -> None:
        if not self.separates_:
            warnings.warn(
                f"LpPerceptron made mistakes in its last pass of {self.n_iter_}. fenchel.separability tells "
                "whether any hyperplane separates the classes. Raise max_passes, or accept the mistakes.",
                ConvergenceWarning,
                stacklevel=stacklevel,
            )

    def _check(self) -> None:
        """Refuse what no pass can use; the solver checks the margin."""
        passes: object = self.max_passes
        if not isinstance(passes, Integral) or int(passes) < 1:
            raise InvalidInputError(f"max_passes={passes!r} is not a whole number of at least 1. Pass 1000.")
        Perceptron(margin=self.margin)

    def _begin(self, design: Design, task: Task) -> list[Problem]:
        """The problems, with images of zero."""
        self.loss_ = task.loss
        self.regularizer_ = self._regularizer(design, task)
        problems = self._problems(design, task)
        self.image_ = np.zeros((len(problems), problems[0].n_features))
        self._moved = np.zeros(len(problems), dtype=np.int64)
        self.separates_, self.n_iter_ = False, 0
        return problems

    def _pass(self, problems: list[Problem], moves: list[FloatArray], order: IndexArray) -> None:
        before = self._moved.sum()
        for k, problem in enumerate(problems):
            total = np.abs(moves[k]).sum()
            perceptron_pass(
                problem.design.rows,
                order,
                problem.b,
                step=np.ones(problem.n_samples),
                margin=float(self.margin),
                mirror=map_arrays(problem),
                a=moves[k],
                t=self.image_[k],
            )
            self._moved[k] += round(np.abs(moves[k]).sum() - total)
        self.separates_ = bool(self._moved.sum() == before)
        self.n_iter_ += 1

    def _keep(self, points: list[FloatArray], lower: list[float]) -> None:
        """The coefficients, and the margins that these and the images prove."""
        w, single = np.vstack(points), len(points) == 1
        self.coef_ = w[:, : self.n_features_in_]
        self.intercept_ = w[:, -1].copy() if self.fit_intercept else np.zeros(len(w))
        self.dual_coef_ = np.zeros((len(w), 0))
        for name in ("certificate_", "certificates_"):  # They are of coefficients that are no more.
            if hasattr(self, name):
                delattr(self, name)
        upper = [margin_bound(float(c), t, self.p) for c, t in zip(self._moved, self.image_, strict=True)]
        bounds = np.column_stack([lower, upper])
        self.margin_bounds_ = bounds[0] if single else bounds
        self.mistakes_ = int(self._moved[0]) if single else self._moved.copy()

    def _certify_moves(
        self, problems: list[Problem], points: list[FloatArray], moves: list[FloatArray]
    ) -> None:
        """What the moves of all rows prove."""
        duals = [dual_point(problem, a) for problem, a in zip(problems, moves, strict=True)]
        self.dual_coef_ = np.vstack(duals)
        self.certificates_ = [
            problem.certify(feasible_multiple(problem, w), u)
            for problem, w, u in zip(problems, points, duals, strict=True)
        ]
        self.certificate_ = total_certificate(self.certificates_)

    def _responses(self, problems: list[Problem]) -> list[FloatArray]:
        return [response(problem, t) for problem, t in zip(problems, self.image_, strict=True)]
