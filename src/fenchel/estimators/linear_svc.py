"""Linear support vector classification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from fenchel.driver.solve import Callback
from fenchel.errors import InvalidInputError
from fenchel.estimators.classification import LinearClassifier
from fenchel.estimators.randomness import RandomState
from fenchel.losses import Loss, MulticlassHinge, get_loss
from fenchel.regularizers import Regularizer
from fenchel.solvers.base import Solver

__all__ = ["LinearSVC"]


class LinearSVC(LinearClassifier):
    r"""A linear support vector classifier with a certified duality gap.

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i \max(0, 1 - y_i (x_i^\top w + c))^p
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2

    with p = 2 for the squared hinge, p = 1 for the hinge. :class:`Classifier` with one
    of these losses. The intercept is not penalised: a rare class is not given up.

    Each of more than two classes is fitted against the rest, or all of them in one problem, the machine of
    Crammer and Singer,

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i
              \max_l \, (x_i^\top (w_l - w_{y_i}) + c_l - c_{y_i} + [l \ne y_i])
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge"}, default "squared_hinge"
    multi_class : {"ovr", "crammer_singer"}, default "ovr"
        "crammer_singer" is one problem of all classes, whatever ``loss`` is, with coefficients for each class
        also where there are two. ``l2 = 1 / (C n_samples)`` is scikit-learn's C there, too.
    l1 : float or str, default 0.0
        The strength of the l1 penalty, or its share of the largest useful one, such as ``"0.05max"``.
    l2 : float, optional
        The strength of the squared l2 penalty; ``1 / (C n_samples)`` for the hinge of a solver with C. By
        default 1e-4 when there is no other penalty and no constraint, else 0.
    penalty_weights, penalty, lower, upper, constraint, standardize, fit_intercept
        As in :class:`Classifier`.
    tol, max_passes, time_limit, solver, class_weight, warm_start, random_state, verbose, callback
        As in :class:`Classifier`; so are the attributes.

    References
    ----------
    C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, A dual coordinate descent method
    for large-scale linear SVM, ICML 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import LinearSVC
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = LinearSVC(loss="hinge", l2=0.1).fit(X, [0, 0, 1, 1])
    >>> model.predict([[-3.0], [3.0]])
    array([0, 1])
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def __init__(
        self,
        loss: str = "squared_hinge",
        *,
        multi_class: str = "ovr",
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
        self.loss = loss
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
        if self.loss not in ("squared_hinge", "hinge"):
            raise InvalidInputError(
                f"LinearSVC cannot use loss={self.loss!r}: it has 'squared_hinge' and 'hinge'. "
                "Use Classifier for the other losses."
            )
        return get_loss(self.loss)

    def _loss_for(self, n_classes: int) -> Loss:
        if self.multi_class not in ("ovr", "crammer_singer"):
            raise InvalidInputError(
                f"LinearSVC cannot use multi_class={self.multi_class!r}: it has 'ovr' and 'crammer_singer'. "
                "Use Classifier for other forms."
            )
        loss = self._loss()
        return MulticlassHinge() if self.multi_class == "crammer_singer" else loss
