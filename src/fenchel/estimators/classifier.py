"""Linear classification with any loss for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from fenchel.driver.solve import Callback
from fenchel.estimators.base import make_loss
from fenchel.estimators.classification import LinearClassifier
from fenchel.estimators.randomness import RandomState
from fenchel.losses import Loss
from fenchel.regularizers import Regularizer
from fenchel.solvers.base import Solver

__all__ = ["Classifier"]


class Classifier(LinearClassifier):
    r"""A linear classifier with a certified duality gap.

    .. math:: \min_{w, c} \; \frac1{\sum_i s_i} \sum_i s_i \, \phi(y_i (x_i^\top w + c))
              + \lambda_1 \|w\|_1 + \frac{\lambda_2}2 \|w\|_2^2

    The intercept c is never penalised. The loss is a weighted mean, so the strengths do not depend on
    the number of samples: C times a sum of losses is ``l2 = 1 / (C n_samples)``.

    More than two classes are one problem where the loss has a form for all classes at once, softmax for
    "logistic" and the hinge of Crammer and Singer for "hinge": w has a column and c a number for each class,
    and one certificate covers them all. The other losses are fitted one class against the rest.

    Parameters
    ----------
    loss : str or Loss, default "logistic"
        "logistic", "hinge", "squared_hinge", "smoothed_hinge", "softmax", "multiclass_hinge", or an instance
        from ``fenchel.losses``. With two classes "logistic" and "hinge" have one vector of coefficients,
        "softmax" and "multiclass_hinge" one a class, which under the same penalty is another problem.
    loss_parameters : dict, optional
        Parameters of a loss that is given by name, such as ``{"width": 0.5}``.
    multi_class : {"auto", "native", "one_vs_rest"}, default "auto"
        More than two classes are one problem ("native"), or one for each class against the rest. "auto" takes
        the first where the loss has a native form. Two classes are always one problem.
    l1 : float or str, default 0.0
        The strength of the l1 penalty. A string such as ``"0.05max"`` is relative to the smallest
        strength at which every coefficient is zero (over all classes).
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
        Classes that share one problem share the set.
    standardize : bool, default False
        Penalise every column as if it had unit standard deviation (about zero without an intercept). The
        data are left as they are, and the coefficients are in their units.
    fit_intercept : bool, default True
    tol : float, default 1e-6
        Stop when the duality gap is at most ``tol`` times the larger of the primal and the dual value.
    max_passes : float, default 10000
        The most passes over the data, for each problem.
    time_limit : float, optional
        The most seconds for the whole fit; the best model until then is kept.
    solver : str or Solver, default "auto"
        The name of a solver (see :func:`~fenchel.solve`), an instance, or "auto".
    class_weight : dict or "balanced", optional
        Factors on the sample weights by label; "balanced" gives every class the same total weight.
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
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Of mean 0 where the classes share one problem: there a constant added to all changes nothing.
    dual_coef_ : ndarray of shape (1, n_samples) or (n_classes, n_samples)
        Feasible dual points: with ``coef_`` they prove the certificates.
    loss_ : Loss
        The loss that was minimised: of several classes where they share one problem.
    certificate_ : Certificate
        Primal value, dual value and gap, summed over the problems.
    certificates_ : list of Certificate
        One a problem.
    status_ : Status
        Why the fit ended; the worst over the problems.
    message_ : str
        The status in words.
    n_iter_ : int
        Passes over the data, the most over the problems; at least 1.
    trace_ : list of Progress
        The records of all problems, one problem after the other.
    solver_ : str
        The solver that ran.
    regularizer_ : Regularizer
        The penalty and the constraint with all their numbers, as one function.
    classes_ : ndarray of shape (n_classes,)
        The sorted labels of the samples with a positive weight.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    See Also
    --------
    LogisticRegression, LinearSVC : The same with a fixed choice of losses.

    References
    ----------
    S. Shalev-Shwartz and T. Zhang, Accelerated proximal stochastic dual coordinate ascent for regularized
    loss minimization, Mathematical Programming 155, 2016. K. Crammer and Y. Singer, On the algorithmic
    implementation of multiclass kernel-based vector machines, Journal of Machine Learning Research 2, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import Classifier
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = Classifier(loss="squared_hinge", l2=0.1).fit(X, ["no", "no", "yes", "yes"])
    >>> model.predict([[-3.0], [0.5]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.certificate_.relative_gap <= 1e-6
    True

    Sparse logistic regression under a budget in place of a penalty:

    >>> from fenchel.regularizers import L1Ball
    >>> model = Classifier(constraint=L1Ball(0.5)).fit(X, ["no", "no", "yes", "yes"])
    >>> model.regularizer_, bool(abs(model.coef_).sum() <= 0.5)
    (L1Ball(radius=0.5, l1=0.0), True)

    Three classes in one problem, with probabilities:

    >>> model = Classifier(l2=0.1).fit(X, ["low", "middle", "middle", "high"])
    >>> model.loss_, model.coef_.shape, len(model.certificates_)
    (Softmax(), (3, 1), 1)
    >>> model.predict_proba([[2.0]]).sum().round(12)
    np.float64(1.0)
    """

    def __init__(
        self,
        loss: str | Loss = "logistic",
        *,
        loss_parameters: dict[str, float] | None = None,
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
        self.loss = loss
        self.loss_parameters = loss_parameters
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
        return make_loss(self, "classification", "multiclass")
