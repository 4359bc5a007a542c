"""What the estimators of least norm share: the norm, and an intercept that counts in it."""

from __future__ import annotations

from fenchel.design import Design, InterceptDesign
from fenchel.estimators.base import LinearModel, Task, problems_of
from fenchel.problem.problem import Problem
from fenchel.regularizers import Regularizer, SquaredLp

__all__ = ["MinimumNormModel"]


class MinimumNormModel(LinearModel):
    """Half the squared lp norm of the coefficients, an intercept being one of them.

    The methods that move one row at a time have no free intercept: it would tie all rows together.
    """

    p: float

    def _regularizer(self, design: Design, task: Task) -> Regularizer:
        return SquaredLp(self.p)

    def _problems(self, design: Design, task: Task) -> list[Problem]:
        columns = InterceptDesign(design) if self.fit_intercept else design
        return problems_of(columns, task, self.regularizer_, False)
