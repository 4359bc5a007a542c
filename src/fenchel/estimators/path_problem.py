"""The problem of which a path is asked for, from data as an estimator takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fenchel.errors import InvalidInputError
from fenchel.estimators.base import LinearModel, problems_of
from fenchel.estimators.inputs import check_design, require_target
from fenchel.estimators.penalty import Penalty
from fenchel.problem.problem import Problem

__all__ = ["path_problem"]


def path_problem(estimator: LinearModel, X: Any, y: Any, share: float) -> Problem:
    r"""Return the problem that ``estimator`` would solve, with the penalty at strength 1.

    Parameters
    ----------
    estimator : LinearModel
        Its strengths l1 and l2 are not used.
    X, y
        As in ``fit``.
    share : float
        The share r of the l1 part: the penalty is :math:`r \|w\|_1 + (1 - r) \|w\|^2 / 2`.

    Raises
    ------
    InvalidInputError
        When there are more than two classes and the loss has no form for all of them at once.
    """
    if not 0.0 <= share <= 1.0:
        raise InvalidInputError(f"The share of the l1 part is {share:g}, not in [0, 1]. Pass 1 for a lasso.")
    require_target(estimator, y)
    design = check_design(estimator, X, reset=True)
    task = estimator._task(y, np.ones(design.shape[0]), reset=True)
    if len(task.targets) > 1:
        raise InvalidInputError(
            f"There are {len(task.targets)} classes or outputs, and the loss {task.loss.name!r} has no form "
            "for all of them at once, so there is a path for each. Use 'logistic', or one of them at a time."
        )
    parameters = {**estimator.get_params(deep=False), "l1": share, "l2": 1.0 - share}
    penalty = Penalty.of(parameters).resolve(design, *task, estimator.fit_intercept)
    return problems_of(design, task, penalty, estimator.fit_intercept)[0]
