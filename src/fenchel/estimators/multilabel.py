"""Linear classification of samples that have any number of labels."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from fenchel.driver.solve import Callback
from fenchel.estimators.base import make_loss
from fenchel.estimators.multilabel_classification import LinearMultilabelClassifier
from fenchel.estimators.randomness import RandomState
from fenchel.losses import Loss
from fenchel.regularizers import Regularizer
from fenchel.solvers.base import Solver

__all__ = ["MultilabelClassifier"]


class MultilabelClassifier(LinearMultilabelClassifier):
    r"""A linear classifier for samples with any number of labels, with a certified duality gap.

    .. math:: \sum_k \min_{w_k, c_k} \; \frac1{\sum_i s_i} \sum_i s_i \, \phi(y_{ik} (x_i^\top w_k + c_k))
              + \lambda_1 \|w_k\|_1 + \frac{\lambda_2}2 \|w_k\|_2^2

    with :math:`y_{ik} = 1` where sample i has label k, and -1 elsewhere. Every label is a problem of its
    own; all share one data matrix, and each stops on its own certificate.

    Parameters
    ----------
    loss : str or Loss, default "logistic"
        "logistic", "hinge", "squared_hinge", "smoothed_hinge", or an instance from ``fenchel.losses``.
    loss_parameters : dict, optional
        Parameters of a loss that is given by name, such as ``{"width": 0.5}``.
    l1 : float or str, default 0.0
        The strength of the l1 penalty. A string such as ``"0.05max"`` is relative to the smallest
        strength at which every coefficient of every label is zero.
    l2, penalty_weights, penalty, lower, upper, constraint, standardize, fit_intercept
        As in :class:`Classifier`; the same penalty and constraint for every label.
    tol, max_passes, solver
        As in :class:`Classifier`, for every label.
    time_limit : float, optional
        The most seconds for the whole fit. Every label gets an equal share of what is left, the time of the
        labels that are solved beside it included.
    n_jobs : int, default 1
        Threads over the labels; -1 is one for each core. The model does not depend on it, unless a time
        limit or the callback ends the fit.
    keep_dual : bool, default False
        Keep the dual points in ``dual_coef_``. A loss without kinks has an entry for every sample and
        label there.
    warm_start : bool, default False
        Start from the previous fit when the shapes agree.
    random_state : int, Generator, RandomState or None, default None
        The same int gives the same model. Every label has a generator of its own.
    callback : callable, optional
        Called with the progress after every certificate, by one thread at a time; a true answer ends
        the fit.

    Attributes
    ----------
    coef_ : csr_matrix or ndarray of shape (n_labels, n_features)
        Sparse where zeros are exact: an l1 part, an l1 ball or a simplex.
    intercept_ : ndarray of shape (n_labels,)
    dual_coef_ : csr_matrix of shape (n_labels, n_samples)
        With ``keep_dual=True``: feasible dual points, which prove the certificates with ``coef_``.
    certificate_ : Certificate
        Primal value, dual value and gap, summed over the labels.
    certificates_ : list of Certificate
        One a label, without dual points.
    status_, message_, n_iter_, trace_, solver_, regularizer_
        As in :class:`Classifier`.
    classes_ : ndarray of shape (n_labels,)
        The sorted labels; the numbers of the columns when y is a matrix.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)
        When X has names for its columns.

    See Also
    --------
    Classifier : For one label a sample.

    Notes
    -----
    The labels are solved in blocks of at most 16, whose certificates read X once for all of them. Memory
    beyond X and y is O(n + d) for each label of a block (a block for each thread) and what ``coef_`` stores:
    no array of the size n_samples times n_labels is made, unless :meth:`decision_function` is asked for
    one.

    A label that all samples (of positive weight) have, or none, has no unique answer when the intercept
    is free. Its coefficients are zero, and its intercept is a constant of the right sign at which the
    loss is zero in float64: 1 or -1 for the hinges, 1024 or -1024 for the logistic loss. Its
    certificate is zero, with no gap.

    References
    ----------
    M.-L. Zhang and Z.-H. Zhou, A review on multi-label learning algorithms, IEEE Transactions on Knowledge
    and Data Engineering 26, 2014: binary relevance.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import MultilabelClassifier
    >>> X = np.array([[2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]])
    >>> y = [("tall",), ("tall", "wide"), ("wide",), ()]
    >>> model = MultilabelClassifier("squared_hinge", l2=0.01).fit(X, y)
    >>> model.predict([[3.0, 0.0], [2.0, 3.0]])
    [('tall',), ('tall', 'wide')]
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def __init__(
        self,
        loss: str | Loss = "logistic",
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
        n_jobs: int | None = 1,
        keep_dual: bool = False,
        warm_start: bool = False,
        random_state: RandomState = None,
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
        self.n_jobs = n_jobs
        self.keep_dual = keep_dual
        self.warm_start = warm_start
        self.random_state = random_state
        self.callback = callback

    def _loss(self) -> Loss:
        return make_loss(self, "classification")
