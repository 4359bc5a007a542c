"""The hyperplane of the largest margin."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.design import Design
from fenchel.driver.separability import separability
from fenchel.driver.separability_verdict import Separability
from fenchel.driver.solve import Callback
from fenchel.errors import InvalidInputError
from fenchel.estimators.base import Task
from fenchel.estimators.classification import LinearClassifier
from fenchel.estimators.margins import Margins
from fenchel.estimators.minimum_norm import MinimumNormModel
from fenchel.estimators.randomness import RandomState
from fenchel.losses import Loss, MarginConstraint, SquaredDistance
from fenchel.problem.problem import Problem
from fenchel.regularizers import SquaredLp
from fenchel.solvers.base import Solver
from fenchel.typing import FloatArray

__all__ = ["MaximumMarginClassifier"]

_VERDICT_PASSES = 1000.0
_ANY_MARGIN = 1e9
"""The question is whether the classes separate: any bounds on the margin will do."""


class MaximumMarginClassifier(MinimumNormModel, LinearClassifier):
    r"""The hyperplane of the largest margin in an lp norm, with bounds on that margin.

    .. math:: \min_w \; \tfrac12 \|w\|_p^2 \quad \text{subject to} \quad y_i x_i^\top w \ge 1
              \text{ for all } i, \qquad
              \text{margin} = \min_i \frac{y_i x_i^\top w}{\|w\|_p}
              \in \Bigl[\frac1{\sqrt{2 P}}, \frac1{\sqrt{2 D}}\Bigr]

    with the primal value P and the dual value D of the certificate. Classes that no hyperplane separates have
    no margin: a fit says so with what proves it, and slack is given only where it is asked for.

    Each of more than two classes is told from the rest.

    Parameters
    ----------
    p : float, 1 < p <= 2, default 2.0
        The exponent of the norm; :math:`1 + 1/\log d` stands for the l1 norm of d features.
    slack : float, optional
        What to do with classes that are not separable. By default, and for None, the fit is refused. A number
        C > 0 gives every row slack, as the squared hinge does:

        .. math:: \min_w \; \tfrac12 \|w\|_p^2
                  + \frac C{2 \sum_i s_i} \sum_i s_i \max(0, 1 - y_i x_i^\top w)^2

        Classes that are proven to be separable have none. Where one of more than two classes needs slack, all
        have it, so that their scores compare.
    fit_intercept : bool, default False
        Whether a column of ones joins the features. Its coefficient is the intercept, and counts in the norm
        as any other.
    tol : float, default 1e-6
        Stop when the duality gap of half the squared norm is at most ``tol`` times the larger of the values.
    max_passes : float, default 10000
    time_limit : float, optional
        Of the fit, without the verdict on separability.
    solver : str or Solver, default "auto"
    warm_start : bool, default False
        Start from the dual point of the previous fit when the shapes agree.
    random_state : int, Generator, RandomState or None, default None
    verbose : int, default 0
    callback : callable, optional
        These are as in :class:`Classifier`.

    Attributes
    ----------
    margin_ : float or ndarray of shape (n_classes,)
        The margin of the coefficients; of each class against the rest where there are more than two. It is
        negative where a row is on the wrong side.
    margin_bounds_ : ndarray of shape (2,) or (n_classes, 2)
        No hyperplane has a margin above the second number; some has the first one. Both are 0 where the
        classes are proven not to be separable.
    separability_ : list of Separability
        The verdict on each problem, with its direction or the weights that cancel; it is there after a fit
        that was refused, too.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        The dual points, which prove the upper bounds.
    loss_ : Loss
        ``MarginConstraint()``, or the same with slack.
    certificate_ : Certificate
        Summed over the problems.
    certificates_, status_, message_, n_iter_, trace_, solver_, regularizer_
        As in :class:`Classifier`.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    Raises
    ------
    InvalidInputError
        By :meth:`fit`, when the classes are proven not to be separable and ``slack`` is None.

    See Also
    --------
    LinearSVC : With a free intercept, and slack for every row.
    fenchel.separability : The verdict alone, with a free intercept or without.

    Notes
    -----
    A sample weight of 0 is the same as a row that is not there; other weights count with slack alone. Sparse
    X stays sparse. The verdict takes up to 1000 passes for each of its fits and dense arithmetic for a proof
    that the classes are not separable; where it stays open and no slack was asked for, the hard margin is
    tried. A model file (``fenchel fit``) does not hold this estimator.

    References
    ----------
    B. E. Boser, I. M. Guyon and V. N. Vapnik, A training algorithm for optimal margin classifiers, COLT 1992.
    A. Raj and F. Bach, Explicit regularization of stochastic gradient methods through duality, AISTATS 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MaximumMarginClassifier
    >>> X = np.array([[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]])
    >>> model = MaximumMarginClassifier().fit(X, ["up", "up", "down"])
    >>> round(model.margin_, 6), model.predict([[3.0, -1.0]]).tolist()
    (1.414214, ['up'])
    >>> bool(model.margin_bounds_[1] <= model.margin_ * (1 + 1e-6))
    True

    Classes that no hyperplane separates:

    >>> X, y = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]), [0, 0, 1, 1]
    >>> try:
    ...     MaximumMarginClassifier(fit_intercept=True).fit(X, y)
    ... except ValueError as error:
    ...     print(str(error)[:68])
    MaximumMarginClassifier found no margin: the classes 0 and 1 are not
    >>> soft = MaximumMarginClassifier(fit_intercept=True, slack=10.0).fit(X, y)
    >>> soft.loss_, soft.margin_bounds_.tolist()
    (SquaredDistance(constraint=MarginConstraint(), strength=10.0), [0.0, 0.0])
    """

    loss = MarginConstraint.name
    multi_class = "one_vs_rest"
    class_weight = None

    def __init__(
        self,
        p: float = 2.0,
        *,
        slack: float | None = None,
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
        self.slack = slack
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
        return MarginConstraint()

    def _posed(self, design: Design, task: Task) -> Task:
        """With the slack that was asked for, unless all classes are proven to be separable."""
        soft = None if self.slack is None else SquaredDistance(MarginConstraint(), self.slack)
        self.separability_ = self._verdicts(design, task)
        answers = [found.separable for found in self.separability_]
        if soft is not None:
            return task if all(answers) else task._replace(loss=soft)
        if False in answers:
            raise InvalidInputError(self._refusal(answers.index(False)))
        return task

    def _verdicts(self, design: Design, task: Task) -> list[Separability]:
        counts = np.flatnonzero(task.sample_weight > 0.0)
        if counts.size < design.shape[0]:
            design = design.submatrix(counts, np.arange(design.shape[1]))
        return [
            separability(
                design,
                b[counts],
                fit_intercept=bool(self.fit_intercept),
                p=SquaredLp(self.p).p,
                tol=_ANY_MARGIN,
                max_passes=min(_VERDICT_PASSES, self.max_passes),
            )
            for b in task.targets
        ]

    def _refusal(self, number: int) -> str:
        found, labels = self.separability_[number], self.classes_.tolist()
        who = (
            f"the classes {labels[0]!r} and {labels[1]!r} are"
            if len(labels) == 2
            else f"the class {labels[number]!r} and the rest are"
        )
        rows = int(np.count_nonzero(found.weights))
        through = "" if self.fit_intercept else " by a hyperplane through the origin"
        return (
            f"{type(self).__name__} found no margin: {who} not separable{through}. The proof is in "
            f"separability_[{number}]: weights on {rows} rows, with which both sides cancel "
            f"({found.proof}). Pass slack=C for the squared hinge, or "
            + ("other features." if self.fit_intercept else "fit_intercept=True, or other features.")
        )

    def _store(self, problems: list[Problem], results: list[Any]) -> None:
        super()._store(problems, results)
        margins = Margins.of(problems, [(result.w, result.u) for result in results], self.p)
        contrary = [found.separable is False for found in self.separability_]
        margins.bounds[contrary] = 0.0
        self.margin_: float | FloatArray
        self.margin_, self.margin_bounds_ = margins.shaped()
